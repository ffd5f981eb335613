/* A wheel-brake controller: start at update (one step from rest) or launch (three steps).

   A step has 24 ways: six of the pedal, two of the automatic brake, two of the skid sensor; what the
   valves do with them is known on every path. Three steps: 24 * 24 * 24 = 13,824. */

static int normal;    /* pressure of each line */
static int alternate;
static int mode;      /* 0 normal, 1 alternate */
static int wet;       /* steps in which the wheel slipped */

static void rest(void)
{
    normal = 0;
    alternate = 0;
    mode = 0;
    wet = 0;
}

static int command(int pedal)
{
    if (pedal == 0)
        return 0;
    if (pedal == 1)
        return 10;
    if (pedal == 2)
        return 20;
    if (pedal == 3)
        return 30;
    if (pedal == 4)
        return 40;
    return 0;
}

static void step(int pedal, int automatic, int skid)
{
    int wanted = command(pedal);
    int before = normal + alternate;
    int slip = 0;
    if (automatic)
        wanted = wanted + 5;
    if (skid) {
        slip = 1;
        wet = wet + 1;
    }
    if (wanted > 20 && slip == 0)
        mode = 0;
    else if (wet > 1)
        mode = 1;
    if (slip)
        wanted = wanted / 2;
    if (before > wanted + 10)
        wanted = wanted + 5;
    if (mode == 0) {
        normal = wanted;
        alternate = 0;
    } else {
        normal = 0;
        alternate = wanted;
    }
}

int update(int pedal, int automatic, int skid)
{
    rest();
    step(pedal, automatic, skid);
    return normal + 100 * alternate + 10000 * mode + 20000 * wet;
}

int launch(int pedal1, int automatic1, int skid1, int pedal2, int automatic2, int skid2,
           int pedal3, int automatic3, int skid3)
{
    rest();
    step(pedal1, automatic1, skid1);
    step(pedal2, automatic2, skid2);
    step(pedal3, automatic3, skid3);
    return normal + 100 * alternate + 10000 * mode + 20000 * wet;
}
