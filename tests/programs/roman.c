/* Roman numerals, both ways, for all numbers up to 3999. */
#include <stdio.h>
#include <string.h>

static const struct { int value; const char *text; } parts[] = {
    { 1000, "M" }, { 900, "CM" }, { 500, "D" }, { 400, "CD" }, { 100, "C" }, { 90, "XC" },
    { 50, "L" }, { 40, "XL" }, { 10, "X" }, { 9, "IX" }, { 5, "V" }, { 4, "IV" }, { 1, "I" },
};

static char *to_roman(int n, char *out)
{
    int i;
    *out = '\0';
    for (i = 0; n > 0; i++)
        for (; n >= parts[i].value; n -= parts[i].value)
            strcat(out, parts[i].text);
    return out;
}

static int digit(char c)
{
    switch (c) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
    }
    return 0;
}

static int from_roman(const char *s)
{
    int total = 0;
    for (; *s; s++)
        total += digit(s[0]) < digit(s[1]) ? -digit(*s) : digit(*s);
    return total;
}

int main(void)
{
    char text[20], longest[20] = "";
    int n, wrong = 0;
    for (n = 1; n < 4000; n += 37) {
        to_roman(n, text);
        wrong += from_roman(text) != n;
        if (strlen(text) > strlen(longest))
            strcpy(longest, text);
    }
    printf("%d %s\n", wrong, longest);
    printf("%s %s %s\n", to_roman(1994, text), to_roman(3999, longest), longest);
    printf("%d %d\n", from_roman("MCMXCIV"), from_roman("IIII"));
    return 0;
}
