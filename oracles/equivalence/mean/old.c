/* The mean of four measurements, and whether one is far from it. */
double mean(const float *measured, int *outlier)
{
    double sum = 0.0, mean;

    for (int i = 0; i < 4; i++)
        sum = sum + measured[i];
    mean = sum / 4.0;
    outlier[0] = 0;
    for (int i = 0; i < 4; i++) {
        if (measured[i] > 2.0 * mean)
            outlier[0] = 1;
    }
    return mean;
}
