/* A queue of two places: capitals come in, '-' serves the first one. Letters that find it full are
   lost. What was served last, 256 for each letter that was lost. */
#define SIZE 2

struct queue {
    char places[SIZE];
    int first, count;
};

static int put(struct queue *queue, char letter)
{
    int place = queue->first + queue->count;

    if (queue->count == SIZE)
        return 0;
    queue->places[place < SIZE ? place : place - SIZE] = letter;
    queue->count++;
    return 1;
}

int served(const char *events)
{
    struct queue queue = { .count = 0 };
    int last = 0, lost = 0;

    for (int i = 0; events[i] != '\0'; i++) {
        char event = events[i];

        if (event >= 'A' && event <= 'Z') {
            if (!put(&queue, event))
                lost += 256;
        } else if (event == '-' && queue.count > 0) {
            int first = queue.first;

            last = queue.places[first];
            if (++first == SIZE)
                first = 0;
            queue.first = first;
            queue.count--;
        }
    }
    return last + lost;
}
