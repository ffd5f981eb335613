/* Is this a size that the allocator takes: a power of two, at least 8? */
int is_size(unsigned size)
{
    unsigned power;

    if (size < 8)
        return 0;
    for (power = 8; power != 0; power <<= 1) {
        if (power == size)
            return 1;
    }
    return 0;
}
