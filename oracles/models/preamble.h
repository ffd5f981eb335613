/* What the cases of all models have: what a case shows goes to `seen`, which both sides read. */

#include <stdarg.h>

struct input {
    void *at;
    unsigned long size;
};

unsigned char seen[2048];
int seen_bytes;
const struct input *own;

void see_long(long value)
{
    if (seen_bytes + 8 > (int) sizeof seen)
        return;
    *(long *) (seen + seen_bytes) = value;
    seen_bytes += 8;
}

void see_bytes(const void *from, unsigned long size)
{
    const unsigned char *bytes = from;
    while (size-- && seen_bytes < (int) sizeof seen)
        seen[seen_bytes++] = *bytes++;
}

void see_double(double value) { see_bytes(&value, 8); }
void see_float(float value) { see_bytes(&value, 4); }
void see_extended(long double value) { see_bytes(&value, 10); }

/* An object of the case and the offset in it; 0 for a null pointer; -1 for anything else. */
int see_pointer(const void *pointer)
{
    unsigned long address = (unsigned long) pointer;
    unsigned place, past;
    if (!pointer) {
        see_long(0);
        return 0;
    }
    for (past = 0; past < 2; past++) /* first inside of one, then just behind one */
        for (place = 0; own[place].at; place++)
            if (address - (unsigned long) own[place].at < own[place].size + past) {
                see_long((place + 1) * 100000 + (long) (address - (unsigned long) own[place].at));
                return 0;
            }
    see_long(-1);
    return 1;
}

void see_text(const char *text)
{
    if (see_pointer(text)) {
        while (*text && seen_bytes < (int) sizeof seen)
            seen[seen_bytes++] = *text++;
        see_long(0);
    }
}

void see_wide_text(const wchar_t *text)
{
    if (see_pointer(text)) {
        while (*text && seen_bytes + 8 < (int) sizeof seen)
            see_long(*text++);
        see_long(0);
    }
}

/* A file in the working folder, and the stream that is open on it. */
void make_file(const char *name, const void *text, unsigned long size)
{
    int number = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    write(number, text, size);
    close(number);
}

FILE *stream_on(const void *text, unsigned long size)
{
    make_file("stream", text, size);
    return fopen("stream", "r+");
}

int descriptor_on(const void *text, unsigned long size)
{
    make_file("file", text, size);
    return open("file", O_RDWR);
}

void see_file(const char *name)
{
    unsigned char text[64];
    int number = open(name, O_RDONLY);
    see_long(number >= 0);
    if (number >= 0) {
        long size = read(number, text, sizeof text);
        see_long(size);
        if (size > 0)
            see_bytes(text, size);
        close(number);
    }
}

void see_stream(FILE *stream)
{
    if (!stream)
        return;
    see_long(feof(stream) != 0);
    see_long(ferror(stream) != 0);
    see_long(ftell(stream));
    fclose(stream);
    see_file("stream");
}

void see_descriptor(int number)
{
    see_long(lseek(number, 0, SEEK_CUR));
    see_file("file");
}

int by_byte(const void *left, const void *right)
{
    return *(const unsigned char *) left - *(const unsigned char *) right;
}

int by_third(const void *left, const void *right)
{
    return *(const unsigned char *) left / 3 - *(const unsigned char *) right / 3;
}

int by_byte_with(const void *left, const void *right, void *sign)
{
    return *(int *) sign * by_byte(left, right);
}

#define see_object(object) see_bytes(&(object), sizeof(object))

locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", 0); }
void see_sign(int value) { see_long((value > 0) - (value < 0)); }

/* A text in memory of the library's. */
void see_text_at(const char *text)
{
    while (*text && seen_bytes < (int) sizeof seen)
        seen[seen_bytes++] = *text++;
    see_long(0);
}

void see_time(const struct tm *time)
{
    if (!time) {
        see_long(-1);
        return;
    }
    see_long(time->tm_sec), see_long(time->tm_min), see_long(time->tm_hour);
    see_long(time->tm_mday), see_long(time->tm_mon), see_long(time->tm_year);
    see_long(time->tm_wday), see_long(time->tm_yday), see_long(time->tm_isdst);
}

void see_matches(const regmatch_t *matches, unsigned long count)
{
    unsigned long place;
    for (place = 0; place < count && place < 3; place++)
        see_long(matches[place].rm_so), see_long(matches[place].rm_eo);
}

void see_visit(const void *node, VISIT visit, int depth)
{
    see_long(visit * 100 + depth);
    see_pointer(*(void *const *) node);
}

void see_visit_with(const void *node, VISIT visit, void *text)
{
    see_long(visit);
    see_long(*(char *const *) node - (char *) text);
}

void see_free(void *node) { see_pointer(node); }

char k_data[4];
const struct option long_options[] = {
    {"width", 1, 0, 'w'}, {"wide", 0, 0, 'W'}, {"abi", 2, 0, 'i'}, {0, 0, 0, 0}
};

/* The text of a number around the limits of long and unsigned long. */
char *near_limit(int kind, int digit)
{
    static char text[32];
    const char *limit = kind & 1 ? "18446744073709551615" : "9223372036854775807";
    int place = 0;
    if (kind & 2)
        text[place++] = '-';
    while (limit[1])
        text[place++] = *limit++;
    text[place++] = '0' + digit;
    text[place] = 0;
    return text;
}

void freopen_on(FILE *stream, const void *text, unsigned long size)
{
    make_file("standard", text, size);
    freopen("standard", "r", stream);
}

int fgetc_or_wide(FILE *stream) { return fgetc(stream); }

/* A file "a", a folder "d" with a file "a", a link "l" to "a". */
void prepare(void)
{
    make_file("a", "xyz", 3);
    mkdir("d", 0755);
    make_file("d/a", "D", 1);
    symlink("a", "l");
}

int see_stat(const struct stat *about)
{
    see_long(about->st_mode);
    see_long(S_ISREG(about->st_mode) ? about->st_size : -1);
    return 0;
}

void see_place(void)
{
    static const char *const names[] = {"a", "d", "l", "b", "x", "d/a", "d/b", "d/l"};
    unsigned place;
    struct stat about;
    for (place = 0; place < 8; place++)
        if (lstat(names[place], &about))
            see_long(-1);
        else
            see_stat(&about);
    see_file("a");
}

void see_folder(DIR *folder)
{
    struct dirent *entry;
    unsigned count = 0, letters = 0;
    see_long(folder != 0);
    if (!folder)
        return;
    while ((entry = readdir(folder))) /* in whatever order */
        count++, letters += (unsigned char) entry->d_name[0] + entry->d_type;
    see_long(count), see_long(letters);
    rewinddir(folder);
    see_long(readdir(folder) != 0), see_long(dirfd(folder) > 2), see_long(closedir(folder));
}

void see_signal(int number) { see_long(number); }
void see_call(void) { see_long(4711); }
void tell_end(void) { write(1, "end", 3); }
void tell_end_with(int status, void *given)
{
    char text[2] = {'0' + status, given ? '!' : '-'};
    write(1, text, 2);
}

void named(void) { program_invocation_name = program_invocation_short_name = "case"; }

/* Text like an address: parts chosen by numbers. */
char *address_of(int version, int a, int b, int c)
{
    static const char *const old[] = {"1", "256", "0377", "0x1F", "0", "65536", "4294967295", "08", "0x"};
    static const char *const new[] = {"1:2:3:4:5:6", "::", "1::", "::1:2", "fe80", "::ffff", "1:2:3:4:5:6:7"};
    static char text[64];
    const char *const *known = version == 4 ? old : new;
    int n = version == 4 ? 9 : 7, parts = c % 4;
    sprintf(text, "%s%s%s%s%s", known[a % n], parts ? version == 4 ? "." : ":" : "",
            parts ? version == 4 ? old[b % 9] : b & 1 ? "1.2.3.4" : "12345" + b % 5 : "",
            parts > 1 ? ":.." + parts - 1 : "", parts > 1 ? b & 2 ? "7" : "1.2" : "");
    return text;
}
