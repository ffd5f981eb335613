/* A school grade for points, '?' for what are no points. */
char grade(int points)
{
    if (points < 0 || points > 100)
        return '?';
    if (points >= 90) {
        return 'A';
    } else {
        if (points >= 75) {
            return 'B';
        } else {
            if (points >= 60)
                return 'C';
            else if (points >= 45)
                return 'D';
            else
                return 'F';
        }
    }
}
