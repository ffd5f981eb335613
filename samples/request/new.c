/* Start at parse: a request as HTTP has it, "POST /path HTTP/1.1\r\nHost: a\r\n...\r\n\r\nbody".
   The result is the status to answer with, or the length of the body. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct request {
    int method, version, keeps_open, chunked;
    long length;
    char host[32];
};

static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE"};

static const char *method(const char *at, struct request *request)
{
    for (int i = 0; i < 5; i++) {
        size_t size = strlen(methods[i]);
        if (strncmp(at, methods[i], size) == 0 && at[size] == ' ') {
            request->method = i;
            return at + size + 1;
        }
    }
    return NULL;
}

static const char *path(const char *at)
{
    if (*at != '/')
        return NULL;
    while (*at > ' ' && *at < 127)
        at++;
    return *at == ' ' ? at + 1 : NULL;
}

static const char *version(const char *at, struct request *request)
{
    if (strncmp(at, "HTTP/1.", 7) != 0 || (at[7] != '0' && at[7] != '1'))
        return NULL;
    request->version = at[7] - '0';
    request->keeps_open = request->version;
    return strncmp(at + 8, "\r\n", 2) == 0 ? at + 10 : NULL;
}

static int is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* What the field says; 0 where that cannot be. */
static int take(struct request *request, const char *name, size_t size, const char *value, size_t length)
{
    if (size == 4 && strncasecmp(name, "Host", 4) == 0) {
        if (length >= sizeof request->host)
            return 0;
        memcpy(request->host, value, length);
        request->host[length] = '\0';
    } else if (size == 14 && strncasecmp(name, "Content-Length", 14) == 0) {
        if (request->length >= 0)
            return 0;
        request->length = strtol(value, NULL, 10);
    } else if (size == 10 && strncasecmp(name, "Connection", 10) == 0) {
        request->keeps_open = length == 10 && strncasecmp(value, "keep-alive", 10) == 0;
    } else if (size == 17 && strncasecmp(name, "Transfer-Encoding", 17) == 0) {
        request->chunked = length == 7 && strncasecmp(value, "chunked", 7) == 0;
    }
    return 1;
}

static const char *field(const char *at, struct request *request)
{
    const char *name = at;
    while (is_token(*at))
        at++;
    size_t size = (size_t) (at - name);
    if (size == 0 || *at++ != ':')
        return NULL;
    while (*at == ' ' || *at == '\t')
        at++;
    const char *value = at;
    while (*at && *at != '\r')
        at++;
    size_t length = (size_t) (at - value);
    if (strncmp(at, "\r\n", 2) != 0 || !take(request, name, size, value, length))
        return NULL;
    return at + 2;
}

int parse(const char *text)
{
    struct request request = {.length = -1};
    const char *at = method(text, &request);
    if (!at || !(at = path(at)) || !(at = version(at, &request)))
        return 400;
    while (*at && *at != '\r')
        if (!(at = field(at, &request)))
            return 400;
    if (strncmp(at, "\r\n", 2) != 0)
        return 400;
    if (request.version == 1 && !request.host[0])
        return 400;
    if (request.chunked && request.length >= 0)
        return 400;
    if (request.method >= 2 && request.method <= 3 && !request.chunked && request.length < 0)
        return 411;
    return request.keeps_open ? 200 : 201;
}
