/* Characters: C17 7.4 in the C locale. A predicate is one condition and yields the bit that glibc's
 * table holds for it, so that a program which prints it prints the same. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace
 *         isupper isxdigit toascii tolower toupper: nothing
 *     __csgtest_isalnum __csgtest_isalpha __csgtest_isblank __csgtest_iscntrl __csgtest_isdigit
 *         __csgtest_isgraph __csgtest_islower __csgtest_isprint __csgtest_ispunct
 *         __csgtest_isspace __csgtest_isupper __csgtest_isxdigit __csgtest_classes
 *         __csgtest_tolower __csgtest_toupper: nothing */

extern void __csgtest_approximated(const char *what);

/* glibc looks up a predicate in a table from -128 to 255. What stands behind it is not known. */
#define LOOK_UP(c)                                                                                     \
    if ((unsigned) (c) + 128 > 383)                                                                    \
    __csgtest_approximated("the class of a value that is no character (C17 7.4p1: undefined)")
#define BIT(condition, bit) ((condition) * (bit))
#define IS_DIGIT(c) ((unsigned) (c) - '0' < 10)
#define IS_LETTER(c) (((unsigned) (c) | 32) - 'a' < 26)
#define IS_UPPER(c) ((unsigned) (c) - 'A' < 26)
#define IS_LOWER(c) ((unsigned) (c) - 'a' < 26)
#define IS_GRAPHIC(c) ((unsigned) (c) - '!' < 94)

/* As a function, and as what a macro looks up (csg/lower/characters.py). */
#define CLASS(name, condition, bit)                                              \
    int name(int c) { LOOK_UP(c); return BIT(condition, bit); }                  \
    int __csgtest_##name(int c) { LOOK_UP(c); return BIT(condition, bit); }

CLASS(isupper, IS_UPPER(c), 256)
CLASS(islower, IS_LOWER(c), 512)
CLASS(isalpha, IS_LETTER(c), 1024)
CLASS(isdigit, IS_DIGIT(c), 2048)
CLASS(isxdigit, IS_DIGIT(c) | (((unsigned) c | 32) - 'a' < 6), 4096)
CLASS(isspace, (c == ' ') | ((unsigned) c - '\t' < 5), 8192)
CLASS(isprint, (unsigned) c - ' ' < 95, 16384)
CLASS(isgraph, IS_GRAPHIC(c), 32768)
CLASS(isblank, (c == ' ') | (c == '\t'), 1)
CLASS(iscntrl, ((unsigned) c < 32) | (c == 127), 2)
CLASS(ispunct, IS_GRAPHIC(c) & !(IS_LETTER(c) | IS_DIGIT(c)), 4)
CLASS(isalnum, IS_LETTER(c) | IS_DIGIT(c), 8)
int isascii(int c) { return (unsigned) c < 128; }
int toascii(int c) { return c & 127; }

int __csgtest_classes(int c)
{
    int letters = __csgtest_isupper(c) | __csgtest_islower(c) | __csgtest_isalpha(c)
                  | __csgtest_isdigit(c) | __csgtest_isxdigit(c) | __csgtest_isalnum(c);
    return letters | __csgtest_isspace(c) | __csgtest_isprint(c) | __csgtest_isgraph(c)
        | __csgtest_isblank(c) | __csgtest_iscntrl(c) | __csgtest_ispunct(c);
}

/* glibc's tables begin at -128, and hold the unsigned char there; EOF and what is in none stays. */
#define OF_CHAR(c) (((unsigned) (c) + 128 < 127) << 8)

int tolower(int c) { return c + (IS_UPPER(c) << 5) + OF_CHAR(c); }
int toupper(int c) { return c - (IS_LOWER(c) << 5) + OF_CHAR(c); }
int __csgtest_tolower(int c) { LOOK_UP(c); return tolower(c); }
int __csgtest_toupper(int c) { LOOK_UP(c); return toupper(c); }
