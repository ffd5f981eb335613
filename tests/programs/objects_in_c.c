/* Objects with tables of functions: shapes, a stack of callbacks with data, container of. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct shape;
struct methods { const char *name; int (*area)(const struct shape *); void (*scale)(struct shape *, int); };
struct shape { const struct methods *methods; };
struct rectangle { struct shape shape; int width, height; };
struct square { int id; struct shape shape; int side; };

#define CONTAINER(p, type, member) ((type *) ((char *) (p) - offsetof(type, member)))

static int rectangle_area(const struct shape *s)
{
    const struct rectangle *r = (const struct rectangle *) s;
    return r->width * r->height;
}
static void rectangle_scale(struct shape *s, int by)
{
    struct rectangle *r = (struct rectangle *) s;
    r->width *= by;
    r->height *= by;
}
static int square_area(const struct shape *s)
{
    const struct square *q = CONTAINER(s, const struct square, shape);
    return q->side * q->side;
}
static void square_scale(struct shape *s, int by) { CONTAINER(s, struct square, shape)->side *= by; }

static const struct methods rectangles = { "rectangle", rectangle_area, rectangle_scale };
static const struct methods squares = { .name = "square", .scale = square_scale, .area = square_area };

static int total(struct shape *const *shapes, size_t n, void (*visit)(const struct shape *, void *), void *data)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += shapes[i]->methods->area(shapes[i]);
        visit(shapes[i], data);
    }
    return sum;
}

static void count_names(const struct shape *s, void *data) { ((int *) data)[s->methods == &squares]++; }

int main(void)
{
    struct rectangle r = { { &rectangles }, 3, 4 };
    struct square *q = malloc(sizeof *q);
    struct shape *shapes[3];
    int counts[2] = { 0, 0 };
    *q = (struct square) { .id = 7, .shape = { &squares }, .side = 5 };
    shapes[0] = &r.shape;
    shapes[1] = shapes[2] = &q->shape;
    printf("%d\n", total(shapes, 3, count_names, counts));
    for (int i = 0; i < 3; i++)
        shapes[i]->methods->scale(shapes[i], i + 1);
    printf("%d %d %d\n", total(shapes, 3, count_names, counts), counts[0], counts[1]);
    printf("%s %d %d\n", shapes[2]->methods->name, q->id, q->side);
    free(q);
    return 0;
}
