/* Room that an object takes on a disk: whole blocks, and one for each 1024 of them. */
#define SHIFT 9
#define MASK ((1ul << SHIFT) - 1)

unsigned long blocks(unsigned long bytes, int *padding)
{
    unsigned long count = (bytes + MASK) >> SHIFT;

    padding[0] = (int)(-bytes & MASK);
    return count + ((count + 1023) >> 10);
}
