/* A shelf of nine slots, numbered from 0. */
int wanted_place(const char *text);
int put(int place);
