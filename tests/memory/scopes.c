/* A local object of a block ends with the block, as far as gcc's AddressSanitizer follows it. */
#include <string.h>
struct pair { int a, b; };
static int *kept;
static void keep(void *p) { kept = p; }
static int sum(int *p, int n) { int s = 0; while (n--) s += p[n]; return s; }
// range: x=0..33
int f(int x)
{
    int result = 0;
    kept = 0;
    switch (x) {
    case 0:
        { int here = 5; keep(&here); }
        return *kept;                                         // error: use-after-scope
    case 1:
        { int here[4] = { 1, 2, 3, 4 }; kept = here + 1; }
        return *kept;                                         // error: use-after-scope
    case 2:
        { struct pair here = { 1, 2 }; kept = &here.b; }
        return *kept;                                         // error: use-after-scope
    case 3:
        for (int i = 0; i < 3; i++) { int here = i; if (i) result += *kept; kept = &here; }
        return result;
    case 4:
        for (int i = 0; i < 3; i++) { if (i) result += *kept; int here = i; kept = &here; }  // error: use-after-scope
        return result;
    case 5:
        for (int i = 0; i < 3; i++) keep(&i);
        return *kept;                                         // error: use-after-scope
    case 6:
        while (1) { int here = 7; keep(&here); if (here) break; }
        return *kept;                                         // error: use-after-scope
    case 7:
        { int here = 7; keep(&here); goto out; }
    out: return *kept;                                        // error: use-after-scope
    case 8:
        { int n = 3; int here[n]; here[0] = 2; keep(here); }
        return *kept;
    case 9:
        { keep(&(struct pair){ 3, 4 }); }
        return *kept;                                         // error: use-after-scope
    case 10:
        keep(({ struct pair t = { 1, 2 }; &t; }));
        return *kept;                                         // error: use-after-scope
    case 11:
        { volatile int here = 4; keep((void *) &here); }
        return *kept;                                         // error: use-after-scope
    case 12: {
        int again = 0;
      back:;
        int here;
        if (again) return *kept;
        here = 5; keep(&here); again = 1;
        goto back;
    }
    case 13:
        switch (result) { int here; case 0: here = 4; keep(&here); result = *kept; }
        return result;
    case 14:
        switch (result) { int here; case 0: here = 4; keep(&here); }
        return *kept;                                         // error: use-after-scope
    case 15:
        goto into; { int here; into: here = 3; keep(&here); result = *kept; }
        return result;
    case 16:
        goto in2; { int here; in2: here = 3; keep(&here); }
        return *kept;                                         // error: use-after-scope
    case 17:
        for (int i = 0; i < 2; i++) { int here = 1; if (i == 0) { keep(&here); continue; } result = *kept; }
        return result;
    case 18:
        { static int here = 3; keep(&here); }
        return *kept;
    case 19:
        { int here = 3; keep(&here); { int inner = 4; result += inner; } result += *kept; }
        return result;
    case 20:
        do { int here = 3; keep(&here); } while (*kept == 4);  // error: use-after-scope
        return 0;
    case 21:
        for (int i = 0, *p; i < 2; i++) { { int here = i; p = &here; } if (i) return *p; }  // error: use-after-scope
        return 0;
    case 22:
        { char text[8]; strcpy(text, "ab"); keep(text); }
        return *(char *) kept;                                // error: use-after-scope
    case 23:
        if (x) { int here[2] = { 1, 2 }; result = sum(here, 2); }
        return result;
    case 24:
        { int n = 3; int here[n]; { int inner = 3; keep(&inner); } here[0] = *kept; return here[0]; }  // error: use-after-scope
    case 25:
        { struct pair one = { 1, 2 }, *p = &one; { struct pair two = *p; p = &two; } return p->a; }  // error: use-after-scope
    case 26:
        { int here = 3; keep(&here); } { int other = 4; return *kept + other; }  // error: use-after-scope
    case 27:
        { int here = 3; keep(&here); } *kept = 4;             // error: use-after-scope
        return 0;
    case 28:
        for (int i = 0; i < 2; i++) { int here; if (i == 0) here = 9; keep(&here); result = *kept; }
        return result;
    case 29:
        if (({ int t = 3; keep(&t); t; }) == *kept) return 1;  // error: use-after-scope
        return 0;
    case 30:
        { int here = 3; keep(&here); void *l = &&lab; goto *l; }
    lab: return *kept;
    case 31:
        { int *p; { int here = 3; p = &here; if (result) goto lab2; } { lab2: return *p; } }  // error: use-after-scope
    case 32:
        for (int i = 0; i < 3; i++) switch (i) { int here; case 1: here = 2; keep(&here); break; case 2: here = 3; result = *kept; }
        return result;
    case 33:
        for (int i = 0; i < 3; i++) { if (i) goto past; int here; past: here = i; keep(&here); result += *kept; }
        return result;
    default: return 0;
    }
}                                                             // error: uninitialised
