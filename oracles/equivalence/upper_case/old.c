/* Change small letters to capitals, in place; how many there were. */
int upper(char *text)
{
    int changed = 0;
    int i;

    for (i = 0; text[i] != '\0'; i++) {
        if (text[i] >= 'a' && text[i] <= 'z') {
            text[i] = text[i] - 'a' + 'A';
            changed = changed + 1;
        }
    }
    return changed;
}
