/* A queue of two places: capitals come in, '-' serves the first one. Letters that find it full are
   lost. What was served last, 256 for each letter that was lost. */
#define SIZE 2

int served(const char *events)
{
    char queue[SIZE];
    int head = 0, tail = 0, full = 0;
    int last = 0, lost = 0;

    for (; *events; events++) {
        if (*events == '-') {
            if (head != tail || full) {
                last = queue[head];
                head = (head + 1) % SIZE;
                full = 0;
            }
        } else if (*events >= 'A' && *events <= 'Z') {
            if (full) {
                lost++;
            } else {
                queue[tail] = *events;
                tail = (tail + 1) % SIZE;
                full = tail == head;
            }
        }
    }
    return last + 256 * lost;
}
