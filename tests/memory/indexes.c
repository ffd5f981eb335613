// Indexes beyond an array that lies in a larger object, as -fsanitize=bounds of gcc sees them.
// range: x=0..230
struct inner { int first, two[2]; };
struct shape {
    int before;
    int three[3];
    unsigned char bytes[4];
    struct inner pair[2];
    int grid[2][3];
    union { int four[4]; char raw[20]; } either;
    int tail[2];
};

void *calloc(unsigned long count, unsigned long size);

static struct shape known;
static int square[4][4];

static int used(int *place)
{
    return place != 0;
}

int f(int x)
{
    struct shape *p = (struct shape *)calloc(1, 4096) + 4;
    int i = x % 10 - 2, n = 3, sized[2][n];
    unsigned long far = i + 3ul;
    for (int k = 0; k < n; k++)
        sized[0][k] = sized[1][k] = k;
    switch (x / 10) {
    case 0:
        return p->three[i];             // error: index-out-of-bounds
    case 1:
        p->bytes[i]++;                  // error: index-out-of-bounds
        return p->bytes[0];
    case 2:
        return used(&p->three[i]);      // error: index-out-of-bounds
    case 3:
        return *(p->three + i);
    case 4:
        return p->pair[i].first;        // error: index-out-of-bounds
    case 5:
        return used(&p->pair[i].first); // error: index-out-of-bounds
    case 6:
        return p->pair[1].two[i];
    case 7:
        return p->grid[i][0];           // error: index-out-of-bounds
    case 8:
        return p->grid[1][i];           // error: index-out-of-bounds
    case 9:
        return used(p->grid[i]);        // error: index-out-of-bounds
    case 10:
        return p->either.four[i];       // error: index-out-of-bounds
    case 11:
        return p->tail[i];
    case 12:
        return known.tail[i];           // error: index-out-of-bounds
    case 13:
        p->three[i] += 2;               // error: index-out-of-bounds
        return p->three[0];
    case 14:
        return square[1][i];            // error: index-out-of-bounds
    case 15:
        return used(&square[1][i]);     // error: index-out-of-bounds
    case 16:
        return sized[0][i & 3];         // error: index-out-of-bounds
    case 17:
        return (&p->pair[i])->first;    // error: index-out-of-bounds
    case 18:
        return *&p->three[i];           // error: index-out-of-bounds
    case 19:
        return p->three[far];           // error: index-out-of-bounds
    case 20:
        return p->three[(unsigned)i % 3];
    case 21:
        return p->bytes[i & 3];
    default: {
        int (*row)[4] = square + 1;
        return (*row)[i];               // error: index-out-of-bounds
    }
    }
}
