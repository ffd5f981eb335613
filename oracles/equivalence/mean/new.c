/* The mean of four measurements, and whether one is far from it. */
double mean(const float *measured, int *outlier)
{
    const float *end = measured + 4, *each;
    double sum = 0.0, limit;

    for (each = measured; each < end; each++)
        sum += *each;
    sum = sum * 0.25;
    limit = sum + sum;
    *outlier = 0;
    for (each = measured; each < end && !*outlier; each++)
        *outlier = *each > limit;
    return sum;
}
