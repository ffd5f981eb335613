/* What a generated driver (attack/drivers.py) tells the part that all drivers have in common (driver.c): the
 * types of the function that is called, as tables.
 *
 *     int sum(struct list *l)      types: 0 int, 1 struct list, 2 pointer to 1      arguments: 2
 *                                  members of 1: n at 0 (type 0), next at 8 (type 2)
 *
 * It comes behind the user's text: all names begin with csgtest_, and nothing is included. */
#ifndef CSGTEST_WEAK
#define CSGTEST_WEAK __attribute__((weak)) /* an object that may be in no file of the program */
#endif
enum csgtest_kind {
    CSGTEST_VOID,
    CSGTEST_INTEGER,
    CSGTEST_BOOL,
    CSGTEST_FLOATING,
    CSGTEST_POINTER,  /* inner: to what */
    CSGTEST_ARRAY,    /* count elements of the type inner; 0: none, or as many as there are */
    CSGTEST_STRUCT,   /* count members from the one called first on */
    CSGTEST_UNION,
    CSGTEST_FUNCTION, /* count: 1 + its stub, 0: there is none */
    CSGTEST_FILE,
    CSGTEST_OPAQUE    /* nothing is known of its parts */
};
struct csgtest_type {
    unsigned char kind, is_signed, is_text; /* is_text: of one byte, as a string is made of */
    unsigned char is_const;                 /* a pointer through which nothing is written */
    unsigned size, inner, first, count;
};
struct csgtest_member {
    unsigned type, offset;
    unsigned char bit, width; /* width 0: no bit-field */
    const char *name;
};
struct csgtest_argument {
    unsigned type;
    unsigned char may_be_null;
    const char *name;
};
struct csgtest_object {
    const char *name;
    unsigned type;
    unsigned char is_set; /* callers can set it */
    void *at;
};
struct csgtest_text {
    const char *bytes;
    unsigned size;
};
struct csgtest_tables {
    const struct csgtest_type *types;
    const struct csgtest_member *members;
    const struct csgtest_argument *arguments;
    const struct csgtest_object *objects;
    const unsigned long *numbers;
    const struct csgtest_text *words;
    void (*const *stubs)(void);
    unsigned argument_count, object_count, number_count, word_count;
    unsigned result;
    unsigned char aliases; /* pointers may lead to one object */
    unsigned char tags;    /* the text looks at the low bits of pointers */
    unsigned char whole;   /* bits of all arguments together, where every value is tried; 0: more */
};
extern const struct csgtest_tables csgtest_tables;
extern void csgtest_call(void **arguments, void *result);
extern int csgtest_allowed(void **arguments);
extern int csgtest_is_there(const volatile void *at, unsigned long size); /* can it be read? */
extern void csgtest_stub_called(unsigned stub);
extern void csgtest_stub_given(unsigned type, const void *value);
extern void csgtest_stub_result(unsigned type, void *result, const void *left, const void *right);
