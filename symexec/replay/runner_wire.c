/* Frames: a 32-bit length, then numbers and counted bytes, all little-endian. Requests may come
 * many at a time; their answers then go together. */
#include "runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PENDING = 16384 };

static struct writer pending; /* frames for the other side */

static char *grow(struct writer *frame, size_t size)
{
    if (frame->size + size > frame->capacity) {
        frame->capacity = 2 * (frame->size + size) + 4096;
        frame->data = realloc(frame->data, frame->capacity);
        if (!frame->data)
            fail("out of memory");
    }
    return frame->data + frame->size;
}

static void append(struct writer *frame, const void *data, size_t size)
{
    char *to = grow(frame, size);
    if (size > 0)
        memcpy(to, data, size);
    frame->size += size;
}

static void send_pending(void)
{
    for (size_t done = 0; done < pending.size;) {
        ssize_t put = write(1, pending.data + done, pending.size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(0); /* nobody listens any more */
        done += (size_t) put;
    }
    pending.size = 0;
}

static int read_all(char *data, size_t size)
{
    static char buffer[65536];
    static size_t from, to;
    while (size > 0) {
        if (from == to) {
            send_pending();
            ssize_t got = read(0, buffer, sizeof buffer);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return 0;
            from = 0;
            to = (size_t) got;
        }
        size_t part = size < to - from ? size : to - from;
        memcpy(data, buffer + from, part);
        from += part;
        data += part;
        size -= part;
    }
    return 1;
}

int read_frame(struct reader *frame)
{
    uint32_t size;
    if (!read_all((char *) &size, sizeof size))
        return 0;
    free(frame->data);
    frame->data = malloc((size_t) size + 1);
    if (!frame->data)
        fail("out of memory");
    frame->size = size;
    frame->position = 0;
    return read_all(frame->data, size);
}

static char *take(struct reader *frame, size_t size)
{
    if (size > frame->size - frame->position)
        fail("a request is cut short");
    char *start = frame->data + frame->position;
    frame->position += size;
    return start;
}

uint32_t read_u32(struct reader *frame)
{
    uint32_t value;
    memcpy(&value, take(frame, sizeof value), sizeof value);
    return value;
}

uint64_t read_u64(struct reader *frame)
{
    uint64_t value;
    memcpy(&value, take(frame, sizeof value), sizeof value);
    return value;
}

struct bytes read_bytes(struct reader *frame)
{
    struct bytes result;
    result.size = read_u32(frame);
    result.data = take(frame, result.size + 1); /* the sender adds a NUL */
    return result;
}

char **read_strings(struct reader *frame)
{
    uint32_t count = read_u32(frame);
    char **strings = calloc((size_t) count + 1, sizeof *strings);
    if (!strings)
        fail("out of memory");
    for (uint32_t i = 0; i < count; i++)
        strings[i] = read_bytes(frame).data;
    return strings;
}

void write_u32(struct writer *frame, uint32_t value)
{
    append(frame, &value, sizeof value);
}

void write_u64(struct writer *frame, uint64_t value)
{
    append(frame, &value, sizeof value);
}

void write_bytes(struct writer *frame, const char *data, size_t size)
{
    write_u32(frame, (uint32_t) size);
    append(frame, data, size);
}

/* Its first bytes; fewer where another process cuts it. */
static size_t write_beginning(struct writer *frame, int file, size_t size)
{
    size_t done = 0, start = frame->size;
    write_u32(frame, 0);
    while (done < size) {
        ssize_t got = pread(file, grow(frame, size - done), size - done, (off_t) done);
        if (got <= 0)
            break;
        frame->size += (size_t) got;
        done += (size_t) got;
    }
    uint32_t count = (uint32_t) done;
    memcpy(frame->data + start, &count, sizeof count);
    return done;
}

static uint64_t mixed(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9E3779B97F4A7C15u;
    return sum ^ sum >> 29;
}

/* A sum of what is in a file and where: of zeros that are written the same as of holes. Holes are
 * not read, and of the rest at most *left bytes. */
static uint64_t summed(int file, uint64_t size, size_t *left)
{
    enum { BLOCK = 512, BLOCKS = 64 };
    static uint64_t words[BLOCKS * BLOCK];
    uint64_t sum = mixed(1, size);
    off_t at = 0;
    while (*left > 0) {
        off_t data = lseek(file, at, SEEK_DATA);
        at = data > at ? data & ~(off_t) (BLOCK * sizeof *words - 1) : at;
        ssize_t got = data < 0 && errno == ENXIO ? 0 : pread(file, words, sizeof words, at);
        if (got <= 0)
            break;
        memset((char *) words + got, 0, -(size_t) got % sizeof *words);
        for (size_t i = 0; i * sizeof *words < (size_t) got; i++)
            if (words[i])
                sum = mixed(mixed(sum, (uint64_t) at / sizeof *words + i), words[i]);
        at += got;
        *left -= (size_t) got < *left ? (size_t) got : *left;
    }
    return sum;
}

/* Size, bytes that are allocated, a sum of what is not sent, and at most `most` bytes: returns how
 * many. `file` is -1 where there is nothing. */
size_t write_summary(struct writer *frame, int file, const struct stat *status, size_t most,
                     size_t *left)
{
    uint64_t size = file < 0 ? 0 : (uint64_t) status->st_size;
    write_u64(frame, size);
    write_u64(frame, (uint64_t) status->st_blocks * 512);
    write_u64(frame, size > most ? summed(file, size, left) : 0);
    return write_beginning(frame, file, size < most ? size : most);
}

void write_frame(struct writer *frame)
{
    uint32_t size = (uint32_t) frame->size;
    append(&pending, &size, sizeof size);
    append(&pending, frame->data, frame->size);
    frame->size = 0;
    if (pending.size > MOST_PENDING)
        send_pending();
}
