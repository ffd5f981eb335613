/* Command-line options: POSIX getopt, and glibc's long options and permutation.
 *
 *     prog file -a --width=3     ->  'a', then "width" with optarg "3"; file is moved behind them
 *
 * With symbolic arguments a question is asked per option, not per byte: names are compared as a
 * whole, without a decision before their end. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     getopt __posix_getopt: reads 1+ 2 optind opterr, writes 1 optind optarg optopt errno
 *     getopt_long getopt_long_only: reads 1+ 2 3+ optind opterr, writes 1 3+ 4 optind optarg
 *         optopt errno */

typedef union {
    int descriptor;
    char room[216];
} FILE;

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

extern FILE *stderr;
extern int fprintf(FILE *to, const char *format, ...);
extern char *getenv(const char *name);
extern unsigned long strlen(const char *s);
extern void __csgtest_is_option(int byte);

enum { NO_ARGUMENT, REQUIRED_ARGUMENT, OPTIONAL_ARGUMENT };
enum order { PERMUTE, REQUIRE_ORDER, RETURN_IN_ORDER };

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* Between the calls: the rest of a word of short options, and the operands passed over so far, which
 * are argv[first_operand] up to (not with) argv[last_operand]. */
static char *rest;
static int first_operand, last_operand, started;
/* Each call leaves this in optopt, whatever a program has stored there. */
static int told;
static enum order order;

/* Swap the operands passed over with the options that came behind them; both keep their order. */
static void move_operands(char **argv)
{
    int operands = last_operand - first_operand;
    for (int from = last_operand, to = first_operand; from < optind; from++, to++) {
        char *word = argv[from];
        for (int i = from; i > to; i--)
            argv[i] = argv[i - 1];
        argv[to] = word;
    }
    first_operand = optind - operands;
    last_operand = optind;
}

static const char *begin(const char *letters)
{
    first_operand = last_operand = optind;
    rest = 0;
    if (*letters == '-')
        order = RETURN_IN_ORDER;
    else if (*letters == '+')
        order = REQUIRE_ORDER;
    else
        order = getenv("POSIXLY_CORRECT") ? REQUIRE_ORDER : PERMUTE;
    started = 1;
    return letters;
}

static int is_operand(const char *word) { return word[0] != '-' || !word[1]; }

/* Is the word's start, of a known length, a beginning of the name? One condition. */
static int begins(const char *word, unsigned long length, const char *name)
{
    unsigned differs = 0;
    if (length > strlen(name))
        return 0;
    for (unsigned long i = 0; i < length; i++)
        differs |= (unsigned) (word[i] ^ name[i]);
    return !differs;
}

static void list_possible(char **argv, const char *word, unsigned long length,
                          const struct option *table, const char *prefix)
{
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", argv[0], prefix, word);
    for (; table->name; table++)
        if (begins(word, length, table->name))
            fprintf(stderr, " '%s%s'", prefix, table->name);
    fprintf(stderr, "\n");
}

static int is_same(const struct option *a, const struct option *b)
{
    return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

struct found {
    const struct option *option;
    int index, ambiguous;
};

static struct found look_up(const char *word, unsigned long length, const struct option *table,
                            int long_only)
{
    struct found found = {0, -1, 0};
    for (int i = 0; table[i].name; i++)
        if (length == strlen(table[i].name) && begins(word, length, table[i].name)) {
            found.option = &table[i], found.index = i;
            return found;
        }
    for (int i = 0; table[i].name; i++)
        if (begins(word, length, table[i].name)) {
            if (!found.option)
                found.option = &table[i], found.index = i;
            else if (long_only || !is_same(found.option, &table[i]))
                found.ambiguous = 1;
        }
    return found;
}

/* A word with a long option; -1 when it may be one of short options after all. */
static int long_option(int argc, char **argv, const char *letters, const struct option *table,
                       int *index, int long_only, int quiet, const char *prefix)
{
    unsigned long length = 0;
    while (rest[length] && rest[length] != '=')
        length++;
    struct found found = look_up(rest, length, table, long_only);
    if (found.ambiguous) {
        if (!quiet)
            list_possible(argv, rest, length, table, prefix);
        rest += strlen(rest);
        optind++;
        told = 0;
        return '?';
    }
    if (!found.option) {
        if (long_only && argv[optind][1] != '-') {
            for (const char *letter = letters; *letter; letter++)
                if (*letter == *rest && *letter != ':' && *letter != ';')
                    return -1;
        }
        if (!quiet)
            fprintf(stderr, "%s: unrecognized option '%s%s'\n", argv[0], prefix, rest);
        rest = 0;
        optind++;
        told = 0;
        return '?';
    }
    const struct option *option = found.option;
    char *value = rest + length;
    rest = 0;
    optind++;
    if (*value) {
        if (option->has_arg == NO_ARGUMENT) {
            if (!quiet)
                fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", argv[0], prefix,
                        option->name);
            told = option->val;
            return '?';
        }
        optarg = value + 1;
    } else if (option->has_arg == REQUIRED_ARGUMENT) {
        if (optind >= argc) {
            if (!quiet)
                fprintf(stderr, "%s: option '%s%s' requires an argument\n", argv[0], prefix,
                        option->name);
            told = option->val;
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = found.index;
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int missing_argument(char **argv, const char *letters, int c, int quiet)
{
    if (!quiet)
        fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], c);
    told = c;
    return letters[0] == ':' ? ':' : '?';
}

static int short_option(int argc, char **argv, const char *letters, const struct option *table,
                        int *index, int quiet)
{
    char c = *rest++;
    const char *letter = letters;
    while (*letter && (*letter != c || c == ':' || c == ';'))
        letter++;
    if (!*rest)
        optind++;
    if (!*letter) {
        if (!quiet)
            fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], c);
        told = c;
        return '?';
    }
    c = *letter;
    if (c == 'W' && letter[1] == ';' && table) { /* "-W foo" is "--foo" */
        if (!*rest && optind == argc)
            return missing_argument(argv, letters, c, quiet);
        if (!*rest)
            rest = argv[optind];
        return long_option(argc, argv, letters, table, index, 0, quiet, "-W ");
    }
    if (letter[1] != ':')
        return c;
    if (*rest) {
        optarg = rest;
        optind++;
    } else if (letter[2] == ':') {
        optarg = 0;
    } else if (optind >= argc) {
        c = missing_argument(argv, letters, c, quiet);
    } else {
        optarg = argv[optind++];
    }
    rest = 0;
    return c;
}

/* Find the next word with options; -1 at the end, 1 for an operand in order, 0 when there is one. */
static int next_word(int argc, char **argv)
{
    if (last_operand > optind)
        last_operand = optind;
    if (first_operand > optind)
        first_operand = optind;
    if (order == PERMUTE) {
        if (first_operand != last_operand && last_operand != optind)
            move_operands(argv);
        else if (last_operand != optind)
            first_operand = optind;
        while (optind < argc && is_operand(argv[optind]))
            optind++;
        last_operand = optind;
    }
    if (optind != argc && argv[optind][0] == '-' && argv[optind][1] == '-' && !argv[optind][2]) {
        __csgtest_is_option(argv[optind][0]);
        optind++;
        if (first_operand != last_operand && last_operand != optind)
            move_operands(argv);
        else if (first_operand == last_operand)
            first_operand = optind;
        last_operand = argc;
        optind = argc;
    }
    if (optind == argc) {
        if (first_operand != last_operand)
            optind = first_operand;
        return -1;
    }
    if (is_operand(argv[optind])) {
        if (order == REQUIRE_ORDER)
            return -1;
        optarg = argv[optind++];
        return 1;
    }
    return 0;
}

static int get_option(int argc, char **argv, const char *letters, const struct option *table,
                      int *index, int long_only)
{
    if (argc < 1)
        return -1;
    optarg = 0;
    if (optind == 0 || !started) {
        if (optind == 0)
            optind = 1;
        begin(letters);
    }
    if (*letters == '-' || *letters == '+')
        letters++;
    int quiet = !opterr || *letters == ':';
    if (!rest || !*rest) {
        int found = next_word(argc, argv);
        if (found)
            return found;
        char *word = argv[optind];
        __csgtest_is_option(word[0]);
        if (table && word[1] == '-') {
            rest = word + 2;
            return long_option(argc, argv, letters, table, index, long_only, quiet, "--");
        }
        if (table && long_only) {
            int is_letter = 0;
            for (const char *letter = letters; *letter; letter++)
                is_letter |= *letter == word[1];
            if (word[2] || !is_letter) {
                rest = word + 1;
                int code = long_option(argc, argv, letters, table, index, 1, quiet, "-");
                if (code != -1)
                    return code;
            }
        }
        rest = word + 1;
    } else {
        __csgtest_is_option(*rest);
    }
    return short_option(argc, argv, letters, table, index, quiet);
}

static int next_option(int argc, char **argv, const char *letters, const struct option *table,
                       int *index, int long_only)
{
    int code = get_option(argc, argv, letters, table, index, long_only);
    optopt = told;
    return code;
}

int getopt(int argc, char *const *argv, const char *letters)
{
    return next_option(argc, (char **) argv, letters, 0, 0, 0);
}

int __posix_getopt(int argc, char *const *argv, const char *letters)
{
    static char strict[130];
    if (*letters == '+' || *letters == '-' || strlen(letters) > sizeof strict - 2)
        return getopt(argc, argv, letters);
    strict[0] = '+';
    for (unsigned long i = 0; i <= strlen(letters); i++)
        strict[i + 1] = letters[i];
    return getopt(argc, argv, strict);
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *table,
                int *index)
{
    return next_option(argc, (char **) argv, letters, table, index, 0);
}

int getopt_long_only(int argc, char *const *argv, const char *letters,
                     const struct option *table, int *index)
{
    return next_option(argc, (char **) argv, letters, table, index, 1);
}
