/* Indexes that are checked, and those that need not be (csg/lower/lvalues.py). */
struct inner { int b[2]; };
struct s { int n, a[3]; struct inner t[2]; int z[3]; };
static struct s s;
static int g[4], m[4][4];
static long l[4];

int member(struct s *p, int i) { return p->a[i]; }
int *past_the_end(struct s *p, long i) { return &p->a[i]; }
int last(struct s *p, int i) { return p->z[i] + p->t[1].b[i]; }
int declared(unsigned i) { return s.z[i]; }
int part(struct s *p, unsigned char i) { p->t[i].b[0] = 1; return *&p->a[i & 1]; }
int whole(int i, long k) { return g[i] + (int)l[k]; }
int row(int i) { return m[i][1]; }
int column(int i) { return m[1][i]; }
int *decayed(int i) { return m[i]; }
int known(struct s *p) { return p->a[2] + p->a[3]; }
int pointed(int (*q)[4], int n, int (*v)[n], int i) { return (*q)[i] + v[1][i] + q[i][1]; }
int operators(int i) { return *(g + i) + *(m[i] + 1); }
