/* A heap as a priority queue, and Huffman code lengths with it. */
#include <stdio.h>
#include <string.h>

struct item { int weight, node; };
static struct item heap[32];
static int count;

static int before(struct item a, struct item b)
{
    return a.weight != b.weight ? a.weight < b.weight : a.node < b.node;
}

static void push(struct item x)
{
    int i = count++;
    while (i > 0 && before(x, heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = x;
}

static struct item pop(void)
{
    struct item top = heap[0], last = heap[--count];
    int i = 0, child;
    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

int main(void)
{
    const char *text = "abracadabra alakazam";
    int frequency[128] = { 0 }, parent[64] = { 0 }, letters[32], n = 0, next, i, bits = 0;
    for (i = 0; text[i]; i++)
        frequency[(int) text[i]]++;
    for (i = 0; i < 128; i++)
        if (frequency[i]) {
            letters[n] = i;
            push((struct item) { frequency[i], n++ });
        }
    next = n;
    while (count > 1) {
        struct item a = pop(), b = pop();
        parent[a.node] = parent[b.node] = next;
        push((struct item) { a.weight + b.weight, next++ });
    }
    for (i = 0; i < n; i++) {
        int depth = 0, at;
        for (at = i; at != next - 1; at = parent[at])
            depth++;
        printf("'%c' %d %d\n", letters[i], frequency[letters[i]], depth);
        bits += depth * frequency[letters[i]];
    }
    printf("%d of %zu\n", bits, 8 * strlen(text));
    return n;
}
