/* Functions of ctype.h that take a locale, and the tables behind the macros: there is one locale. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     isalnum_l isalpha_l isdigit_l isspace_l tolower_l toupper_l: nothing */

/* Calls of isdigit itself are gcc's, and become 1 and 0. */
#define IN_LOCALE(name)                                                                     \
    extern int __csgtest_##name(int c);                                                     \
    int name##_l(int c, void *locale) { return (void) locale, __csgtest_##name(c); }        \
    int __##name##_l(int c, void *locale) { return (void) locale, __csgtest_##name(c); }

IN_LOCALE(isalnum)
IN_LOCALE(isalpha)
IN_LOCALE(isblank)
IN_LOCALE(iscntrl)
IN_LOCALE(isdigit)
IN_LOCALE(isgraph)
IN_LOCALE(islower)
IN_LOCALE(isprint)
IN_LOCALE(ispunct)
IN_LOCALE(isspace)
IN_LOCALE(isupper)
IN_LOCALE(isxdigit)
IN_LOCALE(tolower)
IN_LOCALE(toupper)

int _tolower(int c) { return tolower(c); }
int _toupper(int c) { return toupper(c); }

extern int tolower(int c), toupper(int c), __csgtest_classes(int c);

int isctype(int c, int mask) { return __csgtest_classes(c) & mask; }

/* From -128 to 255: for lookups that csg/lower/characters.py does not know. */
enum { BELOW = 128, ENTRIES = 384 };

static unsigned short classes[ENTRIES];
static int small[ENTRIES], capital[ENTRIES];
static const unsigned short *classes_at = classes + BELOW;
static const int *small_at = small + BELOW, *capital_at = capital + BELOW;

static void fill(void)
{
    if (classes_at['A'])
        return;
    for (int c = -BELOW; c < ENTRIES - BELOW; c++) {
        classes[c + BELOW] = (unsigned short) (c < 0 || c > 127 ? 0 : isctype(c, ~0));
        small[c + BELOW] = tolower(c);
        capital[c + BELOW] = toupper(c);
    }
}

const unsigned short **__ctype_b_loc(void) { return fill(), &classes_at; }
const int **__ctype_tolower_loc(void) { return fill(), &small_at; }
const int **__ctype_toupper_loc(void) { return fill(), &capital_at; }
