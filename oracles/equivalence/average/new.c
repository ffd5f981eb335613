/* The middle of two sequence numbers, rounded down. */
unsigned midpoint(unsigned a, unsigned b)
{
    return (a & b) + ((a ^ b) >> 1);
}
