/* A school grade for points, '?' for what are no points. */
struct step {
    int least;
    char grade;
};

static const struct step steps[] = {
    { 90, 'A' }, { 75, 'B' }, { 60, 'C' }, { 45, 'D' }, { 0, 'F' },
};

char grade(int points)
{
    const struct step *step = steps;

    if ((unsigned)points > 100)
        return '?';
    while (points < step->least)
        step++;
    return step->grade;
}
