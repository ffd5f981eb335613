/* Is this a size that the allocator takes: a power of two, at least 8? */
int is_size(unsigned size)
{
    if (size < 8)
        return 0;
    return (size & (size - 1)) == 0;
}
