/* May this user do that? Mode bits as chmod has them. */
enum { ALL = 7 };

int permitted(unsigned mode, int is_owner, int in_group, unsigned wanted)
{
    unsigned granted = is_owner ? mode >> 6 : in_group ? mode >> 3 : mode;

    return !(~granted & wanted & ALL);
}
