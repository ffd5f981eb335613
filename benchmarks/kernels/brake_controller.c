/* A wheel brake system: three steps of a controller on nine unknown inputs.

   Every step has 24 ways: four of the pedal, three of the automatic brake, two of the skid sensor;
   what it does with them depends on its state, which is known on every path. 24 * 24 * 24 = 13,824. */
void klee_make_symbolic(void *address, unsigned long size, const char *name);

enum pedal { RELEASED, LIGHT, FIRM, FULL };
enum automatic { OFF, LOW, HIGH };
enum source { NONE, NORMAL, ALTERNATE };

struct controller {
    enum pedal pedal;
    enum automatic automatic;
    enum source source;
    int pressure[3];        /* of each source's line */
    int released;           /* steps since the wheel last slipped */
    int meter;
};

static enum pedal read_pedal(int position)
{
    if (position <= 0)
        return RELEASED;
    if (position < 30)
        return LIGHT;
    if (position < 80)
        return FIRM;
    return FULL;
}

static enum automatic read_automatic(int knob)
{
    if (knob == 0)
        return OFF;
    if (knob == 1)
        return LOW;
    return HIGH;
}

static int wanted_pressure(enum pedal pedal, enum automatic automatic)
{
    static const int by_pedal[] = { 0, 25, 60, 100 };
    static const int by_knob[] = { 0, 30, 70 };
    return by_pedal[pedal] > by_knob[automatic] ? by_pedal[pedal] : by_knob[automatic];
}

static void choose_source(struct controller *c)
{
    switch (c->source) {
    case NONE:
        if (c->pedal != RELEASED || c->automatic != OFF)
            c->source = NORMAL;
        break;
    case NORMAL:
        if (c->released == 0 && c->pressure[NORMAL] > 60)
            c->source = ALTERNATE;
        else if (c->pedal == RELEASED && c->automatic == OFF)
            c->source = NONE;
        break;
    case ALTERNATE:
        if (c->released > 1)
            c->source = NORMAL;
        break;
    }
}

static void update(struct controller *c, int pedal, int knob, int skid)
{
    int target;

    c->pedal = read_pedal(pedal);
    c->automatic = read_automatic(knob);
    if (skid != 0)
        c->released = 0;
    else
        c->released++;
    choose_source(c);
    target = wanted_pressure(c->pedal, c->automatic);
    if (c->released == 0)
        target /= 4;
    c->pressure[c->source] = (c->pressure[c->source] + 3 * target) / 4;
    c->meter += pedal - knob;
}

static int launch(int inputs[3][3])
{
    struct controller c = { RELEASED, OFF, NONE, { 0, 0, 0 }, 2, 0 };
    int step;

    for (step = 0; step < 3; step++)
        update(&c, inputs[step][0], inputs[step][1], inputs[step][2]);
    return c.pressure[c.source];
}

int main(void)
{
    int inputs[3][3];

    klee_make_symbolic(inputs, sizeof inputs, "inputs");
    return launch(inputs);
}
