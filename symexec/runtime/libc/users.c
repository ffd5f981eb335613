/* Users and groups: POSIX pwd.h, grp.h. The database has root and nobody; who runs the program
 * (user 1000) has no entry in it, as in a container. Each look at it is an event: the host's is
 * another one.
 *
 *     getpwuid(0)->pw_dir   ->   "/root"
 *     getpwnam("me")        ->   null, errno stays */

typedef unsigned long size_t;

struct passwd { char *name, *password; unsigned user, group; char *about, *home, *shell; };
struct group { char *name, *password; unsigned group; char **members; };

extern int __csgtest_errno;
extern int strcmp(const char *a, const char *b);
extern size_t strlen(const char *s);
extern void *memcpy(void *to, const void *from, size_t n);
extern void __csgtest_approximated(const char *what);

enum { OUT_OF_RANGE = 34, NO_DEVICE = 6, INVALID = 22, USERS = 2, GROUPS = 2 };

static const struct passwd users[USERS] = {
    {(char *) "root", (char *) "x", 0, 0, (char *) "root", (char *) "/root", (char *) "/bin/bash"},
    {(char *) "nobody", (char *) "x", 65534, 65534, (char *) "nobody", (char *) "/nonexistent",
     (char *) "/usr/sbin/nologin"},
};
static const struct { const char *name; unsigned group; } groups[GROUPS] = {{"root", 0}, {"nogroup", 65534}};

static int next_user, next_group;

static void look(void) { __csgtest_approximated("of users and groups there are root and nobody"); }

static int user_by(const char *name, unsigned id)
{
    look();
    for (int i = 0; i < USERS; i++)
        if (name ? !strcmp(users[i].name, name) : users[i].user == id)
            return i;
    return -1;
}

static int group_by(const char *name, unsigned id)
{
    look();
    for (int i = 0; i < GROUPS; i++)
        if (name ? !strcmp(groups[i].name, name) : groups[i].group == id)
            return i;
    return -1;
}

/* ``text`` into a buffer that others are in already; null when it is full. */
static char *kept(const char *text, char **room, char *end)
{
    size_t n = strlen(text) + 1;
    char *to = *room;
    if (n > (size_t) (end - to))
        return 0;
    *room += n;
    return memcpy(to, text, n);
}

static int put_user(int found, struct passwd *to, char *room, size_t n, struct passwd **result)
{
    char *end = room + n;
    *result = 0;
    if (found < 0)
        return 0;
    *to = users[found];
    if (!(to->name = kept(to->name, &room, end)) || !(to->password = kept(to->password, &room, end)) ||
        !(to->about = kept(to->about, &room, end)) || !(to->home = kept(to->home, &room, end)) ||
        !(to->shell = kept(to->shell, &room, end)))
        return __csgtest_errno = OUT_OF_RANGE;
    *result = to;
    return 0;
}

static int put_group(int found, struct group *to, char *room, size_t n, struct group **result)
{
    size_t gap = -(size_t) room & 7;
    char *end = room + n;
    *result = 0;
    if (found < 0)
        return 0;
    if (n < gap + sizeof *to->members)
        return __csgtest_errno = OUT_OF_RANGE;
    to->members = (char **) (room + gap);
    to->members[0] = 0;
    room += gap + sizeof *to->members;
    to->group = groups[found].group;
    if (!(to->name = kept(groups[found].name, &room, end)) || !(to->password = kept("x", &room, end)))
        return __csgtest_errno = OUT_OF_RANGE;
    *result = to;
    return 0;
}

int getpwuid_r(unsigned id, struct passwd *to, char *room, size_t n, struct passwd **result)
{
    return put_user(user_by(0, id), to, room, n, result);
}

int getpwnam_r(const char *name, struct passwd *to, char *room, size_t n, struct passwd **result)
{
    return put_user(user_by(name, 0), to, room, n, result);
}

int getgrgid_r(unsigned id, struct group *to, char *room, size_t n, struct group **result)
{
    return put_group(group_by(0, id), to, room, n, result);
}

int getgrnam_r(const char *name, struct group *to, char *room, size_t n, struct group **result)
{
    return put_group(group_by(name, 0), to, room, n, result);
}

static struct passwd *shared_user(int found)
{
    static struct passwd user;
    static char room[64];
    struct passwd *result;
    put_user(found, &user, room, sizeof room, &result);
    return result;
}

static struct group *shared_group(int found)
{
    static struct group group;
    static char room[64];
    struct group *result;
    put_group(found, &group, room, sizeof room, &result);
    return result;
}

struct passwd *getpwuid(unsigned id) { return shared_user(user_by(0, id)); }
struct passwd *getpwnam(const char *name) { return shared_user(user_by(name, 0)); }
struct group *getgrgid(unsigned id) { return shared_group(group_by(0, id)); }
struct group *getgrnam(const char *name) { return shared_group(group_by(name, 0)); }

void setpwent(void) { next_user = 0; }
void endpwent(void) { next_user = 0; }
void setgrent(void) { next_group = 0; }
void endgrent(void) { next_group = 0; }

struct passwd *getpwent(void)
{
    look();
    return next_user < USERS ? shared_user(next_user++) : 0;
}

struct group *getgrent(void)
{
    look();
    return next_group < GROUPS ? shared_group(next_group++) : 0;
}

/* ---------------------------------------------------------------------- of the process */

int getgroups(int room, unsigned *to)
{
    (void) to;
    look();
    if (room < 0) {
        __csgtest_errno = INVALID;
        return -1;
    }
    return 0;
}

int group_member(unsigned group) { return (void) group, look(), 0; } /* of no groups but its own */

int getgrouplist(const char *user, unsigned group, unsigned *to, int *room)
{
    (void) user;
    look();
    int fits = *room > 0;
    if (fits)
        *to = group;
    *room = 1;
    return fits ? 1 : -1;
}

/* Nobody has logged in: there is no terminal. */
char *getlogin(void)
{
    look();
    __csgtest_errno = NO_DEVICE;
    return 0;
}

int getlogin_r(char *to, size_t room)
{
    (void) to, (void) room;
    look();
    return __csgtest_errno = NO_DEVICE;
}

int getresuid(unsigned *real, unsigned *effective, unsigned *saved)
{
    *real = *effective = *saved = 1000;
    return 0;
}

int getresgid(unsigned *real, unsigned *effective, unsigned *saved)
{
    return getresuid(real, effective, saved);
}
