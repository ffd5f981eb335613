/* May this user do that? Mode bits as chmod has them. */
struct mode {
    unsigned others : 3;
    unsigned group : 3;
    unsigned owner : 3;
    unsigned rest : 23;
};

static struct mode unpack(unsigned bits)
{
    struct mode mode;

    mode.others = bits;
    mode.group = bits >> 3;
    mode.owner = bits >> 6;
    mode.rest = 0;
    return mode;
}

int permitted(unsigned mode, int is_owner, int in_group, unsigned wanted)
{
    struct mode bits = unpack(mode);
    unsigned granted;

    if (is_owner)
        granted = bits.owner;
    else if (in_group)
        granted = bits.group;
    else
        granted = bits.others;
    wanted = wanted % 8;
    return (granted & wanted) == wanted;
}
