/* Room that an object takes on a disk: whole blocks, and one for each 1024 of them. */
#define BLOCK 512

unsigned long blocks(unsigned long bytes, int *padding)
{
    unsigned long count, index;

    count = bytes / BLOCK;
    if (bytes % BLOCK != 0)
        count = count + 1;
    padding[0] = (int)(count * BLOCK - bytes);
    index = count / 1024;
    if (count % 1024)
        index++;
    return count + index;
}
