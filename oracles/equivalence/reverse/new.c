/* Turn a string around, in place. */
void reverse(char *text)
{
    char *left = text, *right = text;

    if (*text == '\0')
        return;
    while (right[1])
        right++;
    while (left < right) {
        char kept = *left;
        *left++ = *right;
        *right-- = kept;
    }
}
