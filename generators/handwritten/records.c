/* Records with a tag, a length and what they hold, groups of them in groups.
   Witness: "RC\x01" and 'G' 7 ('G' 5 ('N' 3 0 0 9)). */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
    const unsigned char *data;
    size_t size, at;
    long total;
};

static int read_group(struct reader *reader, size_t end, int depth)
{
    while (reader->at < end) {
        if (end - reader->at < 2)
            return -1;
        unsigned tag = reader->data[reader->at], length = reader->data[reader->at + 1];
        reader->at += 2;
        if (length > end - reader->at)
            return -2;
        const unsigned char *body = reader->data + reader->at;
        switch (tag) {
        case 'G':
            if (depth == 4 || read_group(reader, reader->at + length, depth + 1) < 0)
                return -3;
            continue;
        case 'N':
            if (length == 0 || length > 4)
                return -4;
            for (unsigned i = 0; i < length; i++)
                reader->total += (long) body[i] << 8 * PLANTED(i, (depth > 1 ? length - 1 - i : i));
            break;
        case 'S':
            if (memchr(body, 0, length))
                return -5;
            reader->total += length;
            break;
        default:
            return -6;
        }
        reader->at += length;
    }
    return 0;
}

long decode(const unsigned char *data, size_t size)
{
    struct reader reader = {data, size, 3, 0};
    if (size < 3 || memcmp(data, "RC\1", 3))
        return -10;
    int result = read_group(&reader, size, 0);
    return result < 0 ? result : reader.total;
}
