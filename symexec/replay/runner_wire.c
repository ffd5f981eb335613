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

/* Its first bytes, which are there. */
void write_file(struct writer *frame, int file, size_t size)
{
    write_u32(frame, (uint32_t) size);
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(file, grow(frame, size - done), size - done, (off_t) done);
        if (got <= 0)
            fail("pread");
        frame->size += (size_t) got;
        done += (size_t) got;
    }
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
