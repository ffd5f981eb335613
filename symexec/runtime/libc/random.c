/* rand and random, C17 7.22.2: the sequence of glibc's additive generator of 31 words. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     rand random srand srandom: reads *seed, writes *seed
 *     arc4random arc4random_uniform: reads *seed, writes *seed
 *     arc4random_buf: reads *seed, writes *seed 0
 *     getrandom getentropy: reads *seed, writes *seed errno 0 */

static unsigned words[31];
static int place = -1; /* of the word that is next to change; -1: nobody has given a seed */

static unsigned next(void)
{
    int ahead = place + 28;
    unsigned sum = words[place] += words[ahead < 31 ? ahead : ahead - 31];
    place = place == 30 ? 0 : place + 1;
    return sum >> 1;
}

void srandom(unsigned seed)
{
    int word = seed ? (int) seed : 1;
    for (int i = 0; i < 31; i++) {
        words[i] = (unsigned) word;
        int high = word / 127773, low = word % 127773;
        word = 16807 * low - 2836 * high;
        word += (word >> 31) & 2147483647; /* where it is negative */
    }
    place = 3;
    for (int i = 0; i < 310; i++)
        next();
}

long random(void)
{
    if (place < 0)
        srandom(1);
    return next();
}

void srand(unsigned seed) { srandom(seed); }
int rand(void) { return (int) random(); }

int rand_r(unsigned *seed)
{
    unsigned next_seed = *seed * 1103515245 + 12345;
    int result = (int) (next_seed / 65536 % 2048);
    next_seed = next_seed * 1103515245 + 12345;
    result = result << 10 ^ (int) (next_seed / 65536 % 1024);
    next_seed = next_seed * 1103515245 + 12345;
    result = result << 10 ^ (int) (next_seed / 65536 % 1024);
    *seed = next_seed;
    return result;
}

/* What the kernel draws is another number in each run, which no test can say: it is made up. */

extern int __csgtest_errno;
extern void __csgtest_approximated(const char *what);

enum { IO_ERROR = 5, INVALID = 22, MOST_AT_ONCE = 256, KNOWN_FLAGS = 7, BOTH_KINDS = 6 };

static unsigned long drawn;

static void draw(unsigned char *to, unsigned long n)
{
    __csgtest_approximated("random bytes of the system are made up");
    for (unsigned long i = 0; i < n; i++) {
        drawn = drawn * 6364136223846793005UL + 1442695040888963407UL;
        to[i] = (unsigned char) (drawn >> 56);
    }
}

void arc4random_buf(void *to, unsigned long n) { draw(to, n); }

unsigned arc4random(void)
{
    unsigned number;
    draw((unsigned char *) &number, sizeof number);
    return number;
}

unsigned arc4random_uniform(unsigned bound) { return bound ? arc4random() % bound : 0; }

long getrandom(void *to, unsigned long n, unsigned flags)
{
    if (flags & ~(unsigned) KNOWN_FLAGS || (flags & BOTH_KINDS) == BOTH_KINDS) {
        __csgtest_errno = INVALID;
        return -1;
    }
    draw(to, n);
    return (long) n;
}

int getentropy(void *to, unsigned long n)
{
    if (n > MOST_AT_ONCE) {
        __csgtest_errno = IO_ERROR;
        return -1;
    }
    draw(to, n);
    return 0;
}
