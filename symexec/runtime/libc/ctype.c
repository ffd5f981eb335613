/* Characters: C17 7.4 in the C locale. A predicate is one condition and yields the bit that glibc's
 * table holds for it, so that a program which prints it prints the same. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace
 *         isupper isxdigit toascii tolower toupper: nothing */

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

int isupper(int c) { LOOK_UP(c); return BIT(IS_UPPER(c), 256); }
int islower(int c) { LOOK_UP(c); return BIT(IS_LOWER(c), 512); }
int isalpha(int c) { LOOK_UP(c); return BIT(IS_LETTER(c), 1024); }
int isdigit(int c) { LOOK_UP(c); return BIT(IS_DIGIT(c), 2048); }
int isxdigit(int c) { LOOK_UP(c); return BIT(IS_DIGIT(c) | (((unsigned) c | 32) - 'a' < 6), 4096); }
int isspace(int c) { LOOK_UP(c); return BIT((c == ' ') | ((unsigned) c - '\t' < 5), 8192); }
int isprint(int c) { LOOK_UP(c); return BIT((unsigned) c - ' ' < 95, 16384); }
int isgraph(int c) { LOOK_UP(c); return BIT(IS_GRAPHIC(c), 32768); }
int isblank(int c) { LOOK_UP(c); return BIT((c == ' ') | (c == '\t'), 1); }
int iscntrl(int c) { LOOK_UP(c); return BIT(((unsigned) c < 32) | (c == 127), 2); }
int ispunct(int c) { LOOK_UP(c); return BIT(IS_GRAPHIC(c) & !(IS_LETTER(c) | IS_DIGIT(c)), 4); }
int isalnum(int c) { LOOK_UP(c); return BIT(IS_LETTER(c) | IS_DIGIT(c), 8); }
int isascii(int c) { return (unsigned) c < 128; }
int toascii(int c) { return c & 127; }

/* glibc's tables begin at -128, and hold the unsigned char there; EOF and what is in none stays. */
#define OF_CHAR(c) (((unsigned) (c) + 128 < 127) << 8)

int tolower(int c) { return c + (IS_UPPER(c) << 5) + OF_CHAR(c); }
int toupper(int c) { return c - (IS_LOWER(c) << 5) + OF_CHAR(c); }
