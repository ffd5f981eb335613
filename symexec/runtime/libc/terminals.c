/* Terminals, POSIX termios.h: no descriptor is one, as in replay.
 *
 *     tcgetattr(0, &t)   ->   -1, errno ENOTTY
 *     ttyname(99)        ->   null, errno EBADF
 *     cfmakeraw(&t)      what only changes the object works */

typedef unsigned long size_t;

typedef union {
    int descriptor;
    char room[216];
} FILE;

struct termios {
    unsigned input, output, control, local;
    unsigned char line, characters[32];
    unsigned input_speed, output_speed;
};

extern FILE *stdin, *stderr;
extern int __csgtest_errno;
extern int isatty(int d);
extern int fputs(const char *text, FILE *to);
extern int fflush(FILE *to);
extern long getline(char **line, size_t *n, FILE *from);
extern char *strcpy(char *to, const char *from);

enum { NO_TERMINAL = 25, INVALID = 22, OUT_OF_RANGE = 34, SPEED = 010017, LEAST_EXTENDED = 010001 };
enum { SPEED_0_FOR_INPUT = 1u << 31, TIME = 5, LEAST = 6 };

/* -1; errno is what isatty says of any descriptor: ENOTTY or EBADF. */
static int not(int d) { return isatty(d), -1; }

static int invalid(void)
{
    __csgtest_errno = INVALID;
    return -1;
}

int tcgetattr(int d, struct termios *to) { return (void) to, not(d); }
int tcsetattr(int d, int when, const struct termios *from)
{
    (void) from;
    return (unsigned) when > 2 ? invalid() : not(d);
}

int tcgetpgrp(int d) { return not(d); }
int tcsetpgrp(int d, int group) { return (void) group, not(d); }
int tcgetsid(int d) { return not(d); }
int tcflush(int d, int queue) { return (void) queue, not(d); }
int tcflow(int d, int action) { return (void) action, not(d); }
int tcdrain(int d) { return not(d); }
int tcsendbreak(int d, int duration) { return (void) duration, not(d); }
char *ttyname(int d) { return not(d), (char *) 0; }

int ttyname_r(int d, char *to, size_t room)
{
    if (!to)
        __csgtest_errno = INVALID;
    else if (room < sizeof "/dev/pts/")
        __csgtest_errno = OUT_OF_RANGE;
    else
        not(d);
    return __csgtest_errno;
}

char *ctermid(char *to)
{
    static char own[9];
    return strcpy(to ? to : own, "/dev/tty");
}

/* Without a terminal the prompt goes to standard error, and the word is a line of standard input. */
char *getpass(const char *prompt)
{
    static char *line;
    static size_t room;
    fputs(prompt, stderr);
    fflush(stderr);
    isatty(0);
    long n = getline(&line, &room, stdin);
    if (!line)
        return 0;
    if (n < 0)
        line[0] = 0;
    else if (line[n - 1] == '\n')
        line[n - 1] = 0;
    return line;
}

/* ---------------------------------------------------------------------- settings, as an object */

unsigned cfgetospeed(const struct termios *t) { return t->control & SPEED; }
unsigned cfgetispeed(const struct termios *t)
{
    return t->input & SPEED_0_FOR_INPUT ? 0 : t->control & SPEED;
}

static int is_no_speed(unsigned speed)
{
    return (speed & ~(unsigned) SPEED) != 0 && (speed < LEAST_EXTENDED || speed > SPEED);
}

int cfsetospeed(struct termios *t, unsigned speed)
{
    if (is_no_speed(speed))
        return invalid();
    t->output_speed = speed;
    t->control = (t->control & ~(unsigned) SPEED) | speed;
    return 0;
}

int cfsetispeed(struct termios *t, unsigned speed)
{
    if (is_no_speed(speed))
        return invalid();
    t->input_speed = speed;
    if (!speed) {
        t->input |= SPEED_0_FOR_INPUT;
        return 0;
    }
    t->input &= ~(unsigned) SPEED_0_FOR_INPUT;
    t->control = (t->control & ~(unsigned) SPEED) | speed;
    return 0;
}

/* By its number of bits a second as well. */
int cfsetspeed(struct termios *t, unsigned speed)
{
    static const unsigned numbers[] = {
        0, 50, 75, 110, 134, 150, 200, 300, 600, 1200, 1800, 2400, 4800, 9600, 19200, 38400,
        57600, 115200, 230400, 460800, 500000, 576000, 921600, 1000000, 1152000, 1500000,
        2000000, 2500000, 3000000, 3500000, 4000000
    };
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned name = i < 16 ? i : LEAST_EXTENDED + i - 16;
        if (speed == name || speed == numbers[i]) {
            cfsetispeed(t, name);
            cfsetospeed(t, name);
            return 0;
        }
    }
    return invalid();
}

void cfmakeraw(struct termios *t)
{
    t->input &= ~02753u;
    t->output &= ~1u;
    t->control = (t->control & ~0460u) | 060;
    t->local &= ~0100113u;
    t->characters[LEAST] = 1;
    t->characters[TIME] = 0;
}
