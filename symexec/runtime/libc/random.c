/* rand and random, C17 7.22.2: the sequence of glibc's additive generator of 31 words. */

/* Effects of calls, as csg/ir/library_effects.py reads them:
 *     rand random srand srandom: reads *seed, writes *seed */

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
