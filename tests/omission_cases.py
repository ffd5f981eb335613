"""The rows of tests/test_omissions.py: a program for each call that records an omission.

Row("symexec/runtime/libc/processes.c:get_nprocs:approximated", "get_nprocs();")

int f(int x) { if (x == 3) { get_nprocs();  // here
    } return x + 1; }                              and 1 + x in the new version
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from symexec.ledger import Reason, Verdict
from symexec.options import After, InputOptions, SearchOptions

EQUAL = (Verdict.NO_CHANGE, Verdict.EQUIVALENT_WITHIN_BOUNDS)

# A header, and what a program has that needs it.
HEADERS = {
    "ctype": "isdigit",
    "dirent": "DIR",
    "errno": "errno",
    "fcntl": "open|fcntl|O_WRONLY",
    "fnmatch": "fnmatch",
    "glob": "glob_t",
    "grp": r"getgr\w+",
    "ifaddrs": "ifaddrs",
    "locale": "setlocale",
    "math": "jn|cos|fmin|ldexp",
    "net/if": r"if_\w+",
    "netdb": "gethostby\\w+|addrinfo",
    "poll": "pollfd",
    "pthread": r"pthread_\w+",
    "pwd": r"getpw\w+",
    "regex": "regex_t",
    "sched": r"sched_\w+|cpu_set_t",
    "semaphore": "sem_t",
    "setjmp": "jmp_buf",
    "signal": "sigset_t|raise",
    "stdarg": "va_list",
    "stdio": r"\w*printf|FILE|stdout|putchar|puts|fopen",
    "stdio_ext": "__fpending",
    "stdlib": "setenv|malloc|calloc|free|system|getloadavg",
    "string": "memset|memcpy|strlen",
    "sys/file": "flock",
    "sys/mman": "mmap|mlock|m(un)?lockall",
    "sys/prctl": "prctl",
    "sys/random": "getrandom",
    "sys/resource": "rlimit|getpriority",
    "sys/select": "fd_set",
    "sys/socket": r"socket\w*|gethostby\w+",
    "sys/stat": "mkfifo|futimens|umask",
    "sys/sysinfo": "sysinfo|get_nprocs|get_nprocs_conf|get_a?v?phys_pages",
    "sys/time": "itimerval|timeval",
    "sys/utsname": "utsname",
    "sys/vfs": "statfs",
    "sys/xattr": "getxattr|listxattr",
    "syslog": "syslog",
    "threads": "cnd_t",
    "time": "timespec|localtime|strptime",
    "unistd": r"alarm|close|pause|\w*host\w*|ftruncate|pipe|getpp?id|setuid|sysconf|"
    r"lockf|[gs]etpgid|getgroups|group_member|getlogin\w*|pwrite|lseek|read|getgrouplist",
    "wchar": "fputwc|wprintf|fwscanf",
}


@dataclass(frozen=True, slots=True)
class Row:
    """``line`` meets the recording call ``site``, and no other unless ``others``. ``before``: what
    stands before it; ``head``: what stands before the function. The comment "here" marks the line
    of the omission; without one it has no place."""

    site: str
    line: str = ""
    before: str = ""
    head: str = ""
    parameters: str = "int x"
    result: tuple[str, str] = ("x + 1", "1 + x")  # in the old and in the new version
    others: bool = False
    reaches: bool = False  # nothing that depends on a change comes behind the line
    whole: str = ""  # the program; ``$`` is the result
    options: Mapping[str, Any] = field(default_factory=dict)
    says: str = ""  # a part of the omission's text, where others stand on the line as well
    recorded: str = ""  # the reason, where the site does not say it

    @property
    def reason(self) -> Reason:
        return Reason(self.recorded or self.site.split(":")[2])


def program(row: Row) -> tuple[str, str]:
    """The old and the new version."""
    text = row.whole or FUNCTION.replace("PARAMETERS", row.parameters)
    if row.reaches:
        text = text.replace("{\n", "{\n    int differs = $;\n", 1).replace("return $", "return x")
    text = text.replace("BEFORE", row.before).replace("LINE", row.line)
    text = included(text) + row.head + "\n" + text
    old, new = ("x", "x + 1") if row.reaches else row.result
    return text.replace("$", old), text.replace("$", new)


FUNCTION = """\
int f(PARAMETERS)
{
    if (x == 3) {
        BEFORE
        LINE  // here
    }
    return $;
}
"""


def included(text: str) -> str:
    """The headers that a program needs."""
    wanted = (name for name, names in HEADERS.items() if re.search(rf"\b({names})\b", text))
    return "#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in wanted)


_C = "symexec/runtime/libc/"
_FILE = 'int d = open("a", O_CREAT | O_TRUNC | O_RDWR, 0600); '
_PAGES = "void *p = mmap(0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
_PIPE = "int p[2]; pipe(p);"
_TM = "struct tm t = {0};"
_HINTS = "struct addrinfo *r, h = {0};"

LIBRARY = [
    Row("ctype.c:LOOK_UP:approximated", "isdigit(1000);"),
    Row("integers.c:__csgtest_has_bit:approximated", "__builtin_ctz(x - 3);"),
    Row(
        "calendar.c:look_at_zone:approximated",
        "localtime(&t);",
        'long t = 0; setenv("TZ", "CET-1", 1);',
        others=True,
    ),
    Row("folders.c:no_attribute:approximated", 'getxattr("/", "user.a", 0, 0);'),
    Row("folders.c:no_attributes:approximated", 'listxattr("/", 0, 0);'),
    Row("date_reading.c:read_all:unsupported", 'strptime("1 2", "%Od %Om", &t);', _TM),
    Row("date_reading.c:from_day_of_year:unsupported", 'strptime("0 0", "%w %U", &t);', _TM),
    Row("patterns.c:fnmatch:unsupported", 'fnmatch("+(a)", "a", 1 << 5);'),
    Row("globbing.c:glob:unsupported", 'glob("{a,b}", GLOB_BRACE, 0, &g);', "glob_t g;"),
    Row(
        "host_names.c:uname:approximated",
        "uname(&u);",
        "struct utsname u;",
    ),
    Row("host_names.c:name:approximated", "gethostname(b, sizeof b);", "char b[99];"),
    Row("host_names.c:getdomainname:approximated", "getdomainname(b, sizeof b);", "char b[99];"),
    Row("host_names.c:gethostid:approximated", "gethostid();"),
    Row(
        "mappings.c:file_mapped:approximated",
        "mmap(0, 4096, PROT_READ, MAP_PRIVATE, d, 0);",
        _FILE + "ftruncate(d, 4096);",
    ),
    Row(
        "mappings.c:file_mapped:unsupported",
        "mmap(0, 4096, PROT_READ, MAP_PRIVATE, d, 0);",
        _FILE,
        others=True,
    ),
    Row(
        "mappings.c:mmap:unsupported",
        "mmap((void *) 8192, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);",
    ),
    Row(
        "mappings.c:mmap:unsupported:2",
        "mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, d, 0);",
        _FILE + "ftruncate(d, 4096);",
    ),
    Row("mappings.c:munmap:approximated", "munmap(p, 4096);", _PAGES),
    Row("mappings.c:mprotect:approximated", "mprotect(p, 4096, PROT_READ);", _PAGES),
    Row("mappings.c:madvise:unsupported", "madvise(p, 4096, MADV_DONTNEED);", _PAGES),
    Row("mappings.c:madvise:approximated", "madvise(p, 4096, MADV_DONTFORK);", _PAGES),
    Row(
        "memory_streams.c:settle_given:unsupported",
        "fclose(s);",
        'static char b[4]; FILE *s = fmemopen(b, 4, "w"); fputs("abcd", s);',
        others=True,
    ),
    Row(
        "more_signals.c:sigwait:unsupported",
        "sigwait(&s, &n);",
        "int n; sigset_t s; sigemptyset(&s);",
        reaches=True,
    ),
    Row(
        "more_signals.c:getitimer:approximated",
        "getitimer(ITIMER_REAL, &t);",
        "struct itimerval t = {{5, 0}, {5, 0}}; setitimer(ITIMER_REAL, &t, 0);",
        others=True,
    ),
    Row("more_signals.c:begin:approximated", "alarm(1);"),
    Row("more_signals.c:wait_for_signal:unsupported", "pause();", reaches=True),
    Row(
        "more_threads.c:pthread_atfork:approximated",
        "pthread_atfork(before, 0, 0);",
        head="static void before(void) {}",
    ),
    Row(
        "stdio.c:setvbuf:approximated",
        "setvbuf(stdout, b, _IOLBF, 0);",
        "static char b[8];",
        others=True,
    ),
    Row(
        "threads.c:__pthread_register_cancel:unsupported",
        "__pthread_register_cancel(w);",
        "static long w[30]; for (int i = 0; i < 64; i++) __pthread_register_cancel(w);",
        "void __pthread_register_cancel(long *);",
    ),
    Row(
        "threads.c:pthread_create:unsupported",
        "pthread_create(&t, 0, run, 0);",
        "pthread_t t; for (int i = 0; i < 64; i++) pthread_create(&t, 0, run, 0);",
        "static void *run(void *p) { return p; }",
        others=True,
    ),
    Row(
        "threads.c:pthread_create:approximated",
        "pthread_create(&t, 0, run, 0);",
        "pthread_t t;",
        "static void *run(void *p) { return p; }",
    ),
    Row(
        "threads.c:pthread_join:unsupported",
        whole="""\
static pthread_t first, second;
static void *waits(void *p)
{
    pthread_join(first, 0);  // here
    return p;
}
static void *begins(void *p)
{
    first = pthread_self();
    pthread_create(&second, 0, waits, 0);
    return p;
}
int f(int x)
{
    pthread_t t;
    if (x == 3)
        pthread_create(&t, 0, begins, 0);
    return $;
}
""",
        others=True,
    ),
    Row("more_stdlib.c:system:unsupported", 'system("ls");'),
    Row(
        "more_threads.c:for_ever:unsupported",
        "cnd_wait(&c, &m);",
        "static cnd_t c; static mtx_t m;",
        reaches=True,
    ),
    Row(
        "more_threads.c:cnd_wait:unsupported",
        "cnd_wait(&c, &m);",
        "static cnd_t c; static mtx_t m;",
        reaches=True,
    ),
    Row("more_threads.c:sem_wait:unsupported", "sem_wait(&s);", "sem_t s; sem_init(&s, 0, 0);"),
    Row(
        "more_threads.c:pthread_attr_getstacksize:approximated",
        "pthread_attr_getstacksize(&a, &n);",
        "size_t n; pthread_attr_t a; pthread_attr_init(&a);",
    ),
    Row("more_threads.c:is_this:unsupported", 'pthread_setname_np(2, "a");'),
    Row(
        "more_threads.c:pthread_getname_np:unsupported",
        "pthread_getname_np(pthread_self(), b, 16);",
        "char b[16];",
    ),
    Row("network.c:no_network:approximated", "socket(AF_INET, SOCK_STREAM, 0);"),
    Row("network.c:socket:approximated", "socket(AF_INET, SOCK_STREAM, 0);"),
    Row("network.c:socketpair:unsupported", "socketpair(AF_UNIX, SOCK_STREAM, 0, p);", "int p[2];"),
    Row(
        "network.c:socketpair:approximated", "socketpair(AF_INET, SOCK_STREAM, 0, p);", "int p[2];"
    ),
    Row("network.c:if_nametoindex:approximated", 'if_nametoindex("lo");'),
    Row("network.c:if_indextoname:approximated", "if_indextoname(1, b);", "char b[IF_NAMESIZE];"),
    Row("network.c:getifaddrs:approximated", "getifaddrs(&a);", "struct ifaddrs *a;"),
    Row("network.c:numbered:approximated", 'gethostbyname("1.2.3.4");'),
    Row(
        "network.c:gethostbyname:approximated",
        "gethostbyname(b);",
        "char b[301] = {0}; memset(b, 'a', 300);",
    ),
    Row("network.c:gethostbyname2:approximated", 'gethostbyname2("a", AF_INET6);'),
    Row("network.c:gethostbyaddr:approximated", 'gethostbyaddr("abcd", 4, AF_INET);'),
    Row("network.c:getaddrinfo:unsupported", 'getaddrinfo("1.2.3.4", "http", &h, &r);', _HINTS),
    Row(
        "network.c:getaddrinfo:unsupported:2",
        'getaddrinfo("1.2.3.4", 0, &h, &r);',
        _HINTS + " h.ai_protocol = 6;",
    ),
    Row("network.c:getaddrinfo:approximated", 'getaddrinfo("1.2.3.4", 0, &h, &r);', _HINTS),
    Row(
        "network.c:getaddrinfo:unsupported:3",
        'getaddrinfo("localhost", 0, &h, &r);',
        _HINTS,
        others=True,
    ),
    Row("network.c:vsyslog:approximated", 'syslog(LOG_ERR, "a");'),
    Row("network.c:__res_init:approximated", "__res_init();", head="int __res_init(void);"),
    Row("processes.c:as_in_replay:approximated", "setpgid(0, 0);"),
    Row("processes.c:change:approximated", "setuid(77);"),
    Row("processes.c:unlock:approximated", "munlockall();"),
    Row("processes.c:no_device:approximated", 'mkfifo("a", 0600);'),
    Row("processes.c:mlockall:approximated", "mlockall(MCL_FUTURE);"),
    Row("processes.c:mlock:approximated", "mlock(&x, sizeof x);"),
    Row("processes.c:none_such:approximated", "getpriority(PRIO_PROCESS, 0);"),
    Row("processes.c:rank:approximated", "sched_get_priority_max(7);"),
    Row(
        "processes.c:sched_setscheduler:approximated",
        "sched_setscheduler(0, SCHED_BATCH, &p);",
        "struct sched_param p = {0};",
    ),
    Row(
        "processes.c:sched_rr_get_interval:approximated",
        "sched_rr_get_interval(0, &t);",
        "struct timespec t;",
    ),
    Row("processes.c:one_processor:approximated", "sched_getcpu();"),
    Row(
        "processes.c:sched_setaffinity:approximated",
        "sched_setaffinity(0, sizeof s, &s);",
        "cpu_set_t s; memset(&s, 1, sizeof s);",
    ),
    Row("processes.c:sched_getcpu:approximated", "sched_getcpu();"),
    Row("processes.c:get_nprocs:approximated", "get_nprocs();"),
    Row("processes.c:get_nprocs_conf:approximated", "get_nprocs_conf();"),
    Row("processes.c:gigabyte:approximated", "get_phys_pages();"),
    Row("processes.c:get_phys_pages:approximated", "get_phys_pages();"),
    Row("processes.c:get_avphys_pages:approximated", "get_avphys_pages();"),
    Row("processes.c:sysinfo:approximated", "sysinfo(&s);", "struct sysinfo s;"),
    Row("processes.c:getloadavg:approximated", "getloadavg(d, 3);", "double d[3];"),
    Row("processes.c:prctl:unsupported", "prctl(PR_GET_NAME, b);", "char b[16];"),
    Row("processes.c:prctl:unsupported:2", "prctl(PR_GET_SECCOMP, 0);"),
    Row("processes.c:flock:approximated", "flock(1, LOCK_EX);"),
    Row("processes.c:lockf:approximated", "lockf(1, F_LOCK, 0);"),
    Row("random.c:draw:approximated", "getrandom(b, 4, 0);", "char b[4];"),
    Row(
        "scanning.c:next:unsupported",
        'fwscanf(s, L"%d", &n);',
        'int n; FILE *s = fopen("a", "w+"); fputs("\\377", s); rewind(s);',
    ),
    Row(
        "system.c:nanosleep:unsupported", "nanosleep(&t, 0);", "struct timespec t = {1L << 60, 0};"
    ),
    Row("system.c:deliver:unsupported", "raise(SIGTSTP);"),
    Row("system.c:process:approximated", "getppid();"),
    Row("system.c:sysconf:approximated", "sysconf(_SC_NPROCESSORS_ONLN);"),
    Row("system.c:sysconf:approximated:2", "sysconf(_SC_PHYS_PAGES);"),
    Row(
        "system.c:sched_getaffinity:approximated",
        "sched_getaffinity(0, sizeof s, &s);",
        "cpu_set_t s;",
    ),
    Row("system.c:getrlimit:approximated", "getrlimit(RLIMIT_AS, &l);", "struct rlimit l;"),
    Row("system.c:getrlimit:approximated:2", "getrlimit(RLIMIT_CPU, &l);", "struct rlimit l;"),
    Row("system.c:setrlimit:approximated", "setrlimit(RLIMIT_CORE, &l);", "struct rlimit l = {0};"),
    Row(
        "threads.c:pthread_mutex_lock:unsupported",
        "pthread_mutex_lock(&m);",
        "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);",
    ),
    Row(
        "threads.c:pthread_rwlock_wrlock:unsupported",
        "pthread_rwlock_wrlock(&m);",
        "pthread_rwlock_t m; pthread_rwlock_init(&m, 0); pthread_rwlock_rdlock(&m);",
    ),
    Row("users.c:look:approximated", "getlogin();"),
    Row("users.c:user_by:approximated", "getpwuid(0);"),
    Row("users.c:group_by:approximated", "getgrgid(0);"),
    Row("users.c:getpwent:approximated", "getpwent();"),
    Row("users.c:getgrent:approximated", "getgrent();"),
    Row("users.c:getgroups:approximated", "getgroups(0, 0);"),
    Row("users.c:group_member:approximated", "group_member(0);"),
    Row(
        "users.c:getgrouplist:approximated",
        'getgrouplist("root", 0, g, &n);',
        "gid_t g[1]; int n = 1;",
    ),
    Row("users.c:getlogin:approximated", "getlogin();"),
    Row("users.c:getlogin_r:approximated", "getlogin_r(b, 8);", "char b[8];"),
    Row(
        "waiting.c:pass_time:unsupported",
        "poll(&q, 1, -1);",
        _PIPE + " struct pollfd q = {p[0], POLLIN, 0};",
    ),
    Row(
        "waiting.c:select:approximated",
        "select(2, 0, &s, 0, &t);",
        "fd_set s = {0}; FD_SET(1, &s); struct timeval t = {1, 0};",
    ),
    Row("waiting.c:__fdelt_chk:unsupported", "__fdelt_chk(2000);", head="long __fdelt_chk(long);"),
    Row("wide_streams.c:fputwc:unsupported", "fputwc(0xe4, stdout);"),
    Row("wide_streams.c:narrowed:unsupported", 'wprintf(L"\\xe4");'),
    Row("wide_streams.c:check_ascii:unsupported", 'wprintf(L"%s", "\\303");'),
]
_R = "symexec/runtime/"
MODELS = [
    Row("filesystem/descriptors.py:_open:unsupported", 'open("/tmp", O_PATH);'),
    Row(
        "filesystem/descriptors.py:_opened_end:unsupported",
        "open(b, O_WRONLY);",
        _PIPE + ' char b[20]; sprintf(b, "/dev/fd/%d", p[1]);',
    ),
    Row(
        "filesystem/descriptors.py:control:approximated",
        "fcntl(1, F_SETLK, &l);",
        "struct flock l = {F_WRLCK};",
    ),
    *(
        Row("filesystem/descriptors.py:variadic_argument:undefined", line, others="CREAT" in line)
        for line in (
            "close(fcntl(1, F_DUPFD_CLOEXEC));",
            "fcntl(1, F_SETFD);",
            "fcntl(1, F_SETFL);",
            'open("b", O_CREAT | O_WRONLY);',
            'openat(AT_FDCWD, "b", O_CREAT | O_WRONLY);',
        )
    ),
    Row("filesystem/folders.py:_listing:unsupported", "readdir(d);", 'DIR *d = opendir("/dev");'),
    Row(
        "filesystem/open_files.py:_refused:unsupported", "read(p[0], b, 1);", _PIPE + " char b[1];"
    ),
    Row("filesystem/open_files.py:write_at:approximated", 'pwrite(d, "a", 1, 1L << 30);', _FILE),
    Row(
        "filesystem/open_files.py:seek_in:unsupported",
        "lseek(d, 0, SEEK_END);",
        'int d = open("/dev", O_RDONLY);',
    ),
    Row("filesystem/open_files.py:cut:approximated", "ftruncate(d, 1L << 30);", _FILE),
    Row(
        "filesystem/open_files.py:closed:approximated",
        "close(1);",
        'printf("a");',
    ),
    Row("filesystem/nodes.py:read_only:approximated", 'creat("/var/a", 0600);'),
    Row("filesystem/paths.py:look_up:approximated", 'fopen("a", "r");'),
    Row("stdio/opening.py:count_pending:approximated", "__fpending(stdout);", 'printf("a");'),
    Row(
        "stdio/streams.py:_note_unknown_lines:approximated",
        "putchar(c);",
        "setvbuf(stdout, 0, _IOLBF, 0);",
        parameters="int x, char c",
    ),
    Row(
        "stdio/streams.py:_area_after:approximated",
        'fprintf(f, "%d ab", 1);',
        'char own[8]; FILE *f = fopen("a", "w"); setvbuf(f, own, _IOFBF, 8);',
    ),
    Row(
        "process.py:fail_assertion:unsupported",
        '__assert_fail("x", "f", 1, "f");',
        "stderr = stdout;",
        head="void __assert_fail(const char *, const char *, unsigned, const char *);",
        reaches=True,
    ),
    Row("filesystem/paths.py:walk:unsupported", 'open("/etc/passwd", O_RDONLY);'),
    Row(
        "filesystem/status.py:_described_file_system:approximated",
        'statfs("/", &s);',
        "struct statfs s;",
    ),
    Row("filesystem/status.py:_unchanged:approximated", "futimens(d, 0);", _FILE),
    Row("formats/rendering.py:read_format:unsupported", 'printf("%");'),
    Row("formats/rendering.py:given:undefined", 'printf("%d");'),
    Row("formats/rendering.py:text_of:unsupported", 'printf("%*d", 1 << 30, 1);'),
    Row("formats/rendering.py:_convert:unsupported", 'printf("%y", 65);'),
    Row("formats/rendering.py:_string:undefined", 'printf("%s|", (char *) 0);'),
    Row("formats/rendering.py:_narrow:unsupported", 'printf("%lc", 0xe4);'),
    Row("host_library.py:calculate:unsupported", "jn(100000000, 1.0);"),
    Row("memory.py:_of_known_size:unsupported", "free(malloc(1L << 30));"),
    Row("process.py:tell:approximated", "get_nprocs();"),
    Row("process.py:admit_giving_up:unsupported", "pause();", reaches=True),
    Row(
        "regex/__init__.py:compile_expression:unsupported",
        'regcomp(&r, "\\\\(a\\\\)\\\\1", 0);',
        "regex_t r;",
    ),
    Row(
        "regex/__init__.py:execute_expression:approximated",
        'regexec(&r, "a b", 0, 0, 0);',
        'regex_t r; regcomp(&r, "a\\\\b b", REG_EXTENDED);',
    ),
    Row(
        "regex/__init__.py:execute_expression:unsupported",
        'regexec(&r, "bbab", 2, m, 0);',
        'regmatch_t m[2]; regex_t r; regcomp(&r, "((b){0,3}|(.)+)**", REG_EXTENDED);',
    ),
    Row(
        "stdio/streams.py:stream_of:unsupported",
        "fputc('a', (FILE *) p);",
        parameters="int x, long *p",
    ),
]

_POINTERS = "for (int i = 0; i < 40; i++) p[i] = malloc(4);"
_TURN = "*(long *) &p = (long) l[0] + ($) * ((long) l[1] - (long) l[0]);"

ONE_SIDED = """\
int f(int x)
{
    {
        static int g;  // here
        g = 1;
    }
    static int g;
    g = $;
    return 1;
}
"""
LIKE_ANOTHER = """\
int f(int x)
{
    {
        static int g;
        g = 1;
    }
    if (x) {
        static int g;  // here
        g = $;
    }
    return 1;
}
"""
LOOP = """\
int f(int x)
{
    int s = 0;
    for (int i = 0; i < x; i++)  // here
        s += i;
    return $;
}
"""

_FAST = Row(
    "csg/unify/predefined.py:read_otherwise:any",
    whole="""\
int f(int x)
{
#ifdef __FAST_MATH__  // here
    x++;
#endif
    return $;
}
""",
    options={"flags": ("-Ofast",)},
    recorded="compiled",
)
_WITHOUT_BUILTINS = Row(
    "csg/unify/predefined.py:read_otherwise:any:2",
    whole="""\
#include <string.h>
int f(int x)
{
    x += strcmp("a", "c");  // here
    return $;
}
""",
    options={"flags": ("-fno-builtin",)},
    recorded="compiled",
    others=True,
)

OTHERS = [
    Row("csg/lower/intrinsics.py:_refuse:unsupported", "__builtin_frame_address(0);"),
    Row("csg/lower/statements.py:assembly:unsupported", 'asm volatile ("nop" : "+r" (x));'),
    Row("csg/lower/statements.py:unsupported:unsupported", "__builtin_ia32_pause();"),
    Row(
        "symexec/executor/conventions.py:run:undefined",
        'x += strcmp("a", "b") > 0;',
        head="long strcmp(const char *, const char *);",
    ),
    Row("symexec/executor/engine.py:step:unsupported", 'asm volatile ("nop" : "+r" (x));'),
    Row("symexec/executor/execution.py:refuse:unsupported", 'asm volatile ("nop" : "+r" (x));'),
    Row("symexec/executor/execution.py:pin:concretised", "cos(d);", parameters="int x, double d"),
    Row("symexec/executor/helpers.py:_call_named:unsupported", "((int (*)(void)) strlen)();"),
    Row(
        "symexec/executor/helpers.py:_call_named:undefined",
        "x += ((int (*)(int)) g)(x);",
        head="static short g(int x) { return x; }",
    ),
    Row(
        "symexec/executor/machine.py:grow_stack:approximated",
        whole="""\
static int g(int n)  // here
{
    volatile char large[1 << 16];
    large[0] = n;
    return n ? g(n - 1) + large[0] : 0;
}
int f(int x)
{
    if (x == 3) g(70);
    return $;
}
""",
    ),
    Row(
        "symexec/executor/helpers.py:_call_unmodelled:approximated",
        "missing(1);",
        head="void missing(int);",
    ),
    Row(
        "symexec/executor/helpers.py:_call_unmodelled:unsupported",
        "x += missing(1);",
        head="int missing(int);",
    ),
    Row("symexec/executor/modelling.py:_run:unsupported", 'system("ls");'),
    Row("symexec/executor/context.py:event:any", "getlogin();", recorded="approximated"),
    Row("symexec/executor/context.py:_written:uninitialised", "putchar(c);", "char c;"),
    Row("symexec/executor/undefined_uses.py:decided:uninitialised", "if (c) x = 4;", "int c;"),
    Row(
        "symexec/executor/undefined_uses.py:note:any",
        "if (c) x = 4;",
        "int c;",
        recorded="uninitialised",
    ),
    Row(
        "symexec/executor/branching.py:divide:undefined",
        whole="""\
int f(int x)
{
    int y = x - 3;
    if (x == 3) return $ % y;  // here
    return 0;
}
""",
    ),
    Row(
        "symexec/executor/variadic.py:variadic:unsupported",
        whole="""\
static int h(int x, ...)
{
    va_list l[2];
    va_start(l[x & 1], x);  // here
    va_end(l[x & 1]);
    return 0;
}
int f(int x, int i)
{
    if (x == 3) h(i, 1);
    return $;
}
""",
    ),
    Row(
        "symexec/executor/branching.py:indirect:unsupported",
        whole="""\
int f(int x, int y)
{
    void *l[2] = {&&a, &&b}, *p;
    """
        + _TURN
        + """\

    goto *p;  // here
a:
    return 1;
b:
    return 1;
}
""",
        result=("y", "y + x"),
    ),
    Row(
        "symexec/exploration/moments.py:looked_at_meanwhile:approximated",
        whole="""\
int f(int x, void (*g)(void))
{
    errno = $;
    g();  // here
    errno = 0;
    return x;
}
""",
        result=("x", "x + 1"),
    ),
    Row(
        "symexec/exploration/callbacks.py:beyond_stubs:approximated",
        whole="""\
int level;
int f(int x, void (*g)(void))
{
    g();
    level += $;
    return level;  // here
}
""",
        others=True,
    ),
    Row(
        "symexec/exploration/lent_constants.py:stores_to_constants:approximated",
        whole="""\
int f(int x, const int *p)
{
    int *q = (int *) p;
    if ($)
        *q = *q;  // here
    return x;
}
""",
        result=("x == 3", "x == 4"),
    ),
    Row(
        "symexec/exploration/handed_out.py:handed_out:approximated:4",
        whole="""\
static $ char b[4] = "abc";  // here
const char *f(int x)
{
    return b;
}
""",
        result=("", "const"),
        others=True,
    ),
    _FAST,
    replace(_FAST, site="csg/unify/predefined.py:_mentions:any"),
    replace(
        _FAST,
        site="symexec/campaign/building.py:_prepare:any:2",
        result=("x", "x"),
        others=True,
    ),
    _WITHOUT_BUILTINS,
    replace(_WITHOUT_BUILTINS, site="csg/unify/predefined.py:_computed_calls:any"),
    Row(
        "symexec/exploration/start.py:begin:approximated:4",
        whole="""\
char *getenv(const char *name)  // here
{
    return 0;
}
int f(int x)
{
    return getenv("A") ? 0 : $;
}
""",
    ),
    Row(
        "symexec/runtime/memory.py:usable_size:approximated",
        "char *p = malloc(20); x += malloc_usable_size(p) == 24; free(p);",
        head="#include <malloc.h>\n#include <stdlib.h>",
        says="malloc_usable_size gives the size asked for",
        others=True,
    ),
    Row(
        "symexec/executor/address_uses.py:_tell:addresses",
        "x += t[(unsigned long) p % 4];",
        head="static const int t[4] = {1, 2, 3, 4};",
        parameters="char *p, int x",
        others=True,
    ),
    Row(
        "symexec/executor/address_uses.py:_tell_untraced:addresses",
        "long *q = malloc(16); memcpy(q, &p, 8); x += ((char *) q)[1]; free(q);",
        head="#include <stdlib.h>",
        parameters="int *p, int x",
        says="a pointer as a number",
        others=True,
    ),
    Row(
        "symexec/runtime/stdio/printing.py:_write:undefined",
        'char b[8] = "a"; sprintf(b, "x%s", b); x += b[1];',
        says="a text lies where sprintf writes to",
        others=True,
    ),
    Row(
        "symexec/executor/address_uses.py:_tell_apart:addresses",
        "x += s->a == &kept;",
        head="struct one { int *a; }; int kept;",
        parameters="struct one *s, int x",
    ),
    Row(
        "symexec/executor/context.py:_without_addresses:addresses",
        "putchar((unsigned long) p & 255);",
        parameters="char *p, int x",
        others=True,
    ),
    Row(
        "symexec/runtime/formats/rendering.py:_convert:addresses",
        'printf("%p", (void *) p);',
        parameters="char *p, int x",
        others=True,
    ),
    Row(
        "symexec/exploration/clocks.py:beyond_now:approximated",
        "if (time(0) > 1700000000) x += $;",
        result=("1", "2"),
        says="one answer of time",
        others=True,
    ),
    Row(
        "symexec/exploration/sampled_answers.py:beyond_samples:sampled",
        'x += fnmatch("[a-c]", s, 0) == 0;',
        head="#include <fnmatch.h>",
        parameters="const char *s, int x",
        says="the model of fnmatch was compared with the library in samples alone",
        others=True,
    ),
    Row(
        "symexec/exploration/clocks.py:beyond_silence:approximated",
        head="#include <signal.h>",
        result=("SIG_IGN", "SIG_DFL"),
        says="has changed, and no test has signals from outside",
        whole="""\
int f(int x)
{
    signal(10, $);  // here
    return x;
}
""",
        others=True,
    ),
    Row(
        "symexec/exploration/orientations.py:mixed_streams:undefined",
        head="#include <stdio.h>\n#include <wchar.h>",
        result=("1", "2"),
        whole="""\
int f(int x)
{
    wprintf(L"a");
    printf("%d", x > 5 ? $ : 0);  // here
    return x;
}
""",
        others=True,
    ),
    Row(
        "symexec/exploration/shared_memory.py:accesses_of_shared:approximated",
        "x += *p ^ *p + $;",
        parameters="volatile int *p, int x",
        result=("1", "1 + 0"),
        others=True,
    ),
    Row(
        "symexec/exploration/observable.py:_signals_apart:approximated",
        head="#include <signal.h>",
        result=("1", "2"),
        whole="""\
int main(int argc, char **argv)
{
    if (argc > $)
        signal(10, SIG_IGN);
    return 0;
}  // here
""",
        options={"inputs": InputOptions()},
        says="actions of signals differ",
        others=True,
    ),
    Row(
        "symexec/runtime/filesystem/descriptors.py:is_within_limit:approximated",
        "dup2(1, 5000);",
    ),
    Row(
        "symexec/runtime/libc/mathematics.c:BETTER:approximated",
        "double d = -x * 0.0; x += __builtin_signbit(fmin(d, 0.0)) != 0;",
    ),
    Row(
        "symexec/runtime/libc/mathematics.c:BETTER:approximated:2",
        'double d = fmin(x, __builtin_nans("")); x += d != d;',
    ),
    Row(
        "symexec/runtime/libc/scaling.c:SCALE:approximated",
        'double d = ldexp(__builtin_nans(""), 0); x += fmin(1.0, d) != 1;',
    ),
    Row(
        "symexec/runtime/libc/locale.c:setlocale:approximated",
        'x += setlocale(LC_ALL, "xx") != 0;',
    ),
    Row(
        "symexec/runtime/libc/system.c:is_clock:approximated",
        "struct timespec t; x += clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);",
        others=True,
        says="stand",
    ),
    Row(
        "symexec/runtime/libc/system.c:is_clock:approximated:2",
        "struct timespec t; x += clock_gettime(8, &t);",
        others=True,
        says="wake",
    ),
    Row(
        "symexec/runtime/libc/system.c:sysconf:approximated:3",
        "x += sysconf(_SC_ARG_MAX) > 5;",
        others=True,
        says="is not known",
    ),
    Row(
        "symexec/executor/context.py:next_argument:approximated",
        'char b[40]; g(b, "%g", x); x += b[0];',
        head="#include <stdarg.h>\nstatic void g(char *b, const char *s, ...)\n{\n"
        "    va_list l;\n    va_start(l, s);\n    vsprintf(b, s, l);  // here\n}\n",
    ),
    Row(
        "symexec/executor/variadic.py:variadic:approximated",
        "g(1, x);",
        head="#include <stdarg.h>\nstatic double g(int n, ...)\n{\n    va_list l;\n"
        "    va_start(l, n);\n    return va_arg(l, double);  // here\n}\n",
    ),
    Row(
        "symexec/executor/address_uses.py:_tell_elsewhere:addresses",
        "if (p->next == (struct node *) 8) x = 4;",
        head="struct node { struct node *next; };",
        parameters="struct node *p, int x",
    ),
    Row(
        "symexec/executor/modelling.py:jump_back:unsupported",
        whole="""\
static jmp_buf b;
static void g(int x)
{
    if ($)
        longjmp(b, 1);  // here
}
int f(int x)
{
    if (setjmp(b)) return 1;
    g(x);
    return 1;
}
""",
        result=("x > 3", "x > 4"),
        others=True,
    ),
    # ---------------------------------------------------------------- where inputs begin
    Row(
        "symexec/exploration/start.py:begin:approximated",
        "x += e[1];",
        head="extern int e[4];  // here",
    ),
    Row(
        "symexec/exploration/start.py:begin:approximated:2",
        whole="""\
static int g;
__attribute__((constructor)) static void begins(void)  // here
{
    g = 1;
}
int f(int x)
{
    return $;
}
""",
    ),
    Row(
        "symexec/exploration/start.py:begin:approximated:3",
        whole="""\
struct s {
    int (*p)(int);
};
int f(struct s *s, int x)  // here
{
    if (s->p) x = 3;
    return $;
}
""",
    ),
    # ---------------------------------------------------------------- what is compared
    Row(
        "symexec/exploration/handed_out.py:carried_over:approximated",
        whole="""\
static int g;  // here
int f(int x)
{
    g += x;
    return $;
}
""",
    ),
    Row(
        "symexec/exploration/handed_out.py:handed_out:approximated",
        whole="""\
static int twice(int x)  // here
{
    return $;
}
int (*f(int x))(int)
{
    return x == 3 ? twice : 0;
}
""",
        result=("x * 2", "x * 3"),
    ),
    Row(
        "symexec/exploration/handed_out.py:handed_out:approximated:2",
        whole="""\
static int step(int x)
{
    return $;
}
static int twice(int x)  // here
{
    return step(step(x));
}
int f(int x, int (*cb)(int (*)(int)))
{
    return x == 3 ? cb(twice) : 0;
}
""",
        result=("x + 2", "x + 3"),
    ),
    Row(
        "symexec/exploration/interleaved.py:order_apart:approximated",
        whole="""\
int f(int x)
{
    if ($) fputs("a", stderr);
    putchar('b');
    if (!($)) fputs("a", stderr);
    return x;
}  // here
""",
        result=("x == 3", "0"),
    ),
    Row(
        "symexec/exploration/handed_out.py:handed_out:approximated:3",
        whole="""\
int t[2] = {1, $};  // here
int *f(int x)
{
    return x == 3 ? t : 0;
}
""",
        result=("2", "3"),
    ),
    Row(
        "symexec/exploration/observable.py:_left_elsewhere:approximated",
        whole="""\
#include <errno.h>
int f(int x)
{
    errno = $;
    return 1;
}  // here
""",
        result=("x", "x + (x == 9)"),
    ),
    Row(
        "symexec/exploration/paths.py:_note_addresses:addresses",
        whole="""\
static int g;
unsigned long t;
void f(int x)
{
    t = (unsigned long) &g * $;
}  // here
""",
        result=("3", "5"),
        others=True,
        says="the memory depends on an address",
    ),
    Row(
        "symexec/exploration/preparation.py:unmodelled:compiled",
        whole="""\
struct __attribute__((scalar_storage_order("big-endian"))) s {
    int i;
};
int f(int x)
{
    struct s s = {3};
    return $;
}
""",
        others=True,
    ),
    Row(
        "symexec/exploration/preparation.py:_alternatives_left_out:approximated",
        "switch ((long) p) case 1: case 2: case 3: case 4: case 5: x = 3;",
        parameters="const char *p, int x",
        says="no test passes the address 5 as 'p'",
        others=True,
    ),
    Row(
        "symexec/exploration/preparation.py:_not_followed:approximated",
        whole="""\
#include <signal.h>
#include <time.h>
static void tick(union sigval v)  // here
{
    v.sival_int = $;
}
int f(int x)
{
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    timer_t t;
    if (x == 3) timer_create(CLOCK_REALTIME, &e, &t);
    return 1;
}
""",
        result=("1", "2"),
        says="is handed to the library",
        others=True,
    ),
    Row(
        "symexec/exploration/preparation.py:_not_as_named:approximated",
        whole="""\
$ bcmp(const void *a, const void *b, unsigned long n)  // here
{
    return n > 3;
}
int f(int x)
{
    return x == 3 ? bcmp("a", "b", 2) : 1;
}
""",
        result=("int", "long"),
        others=True,
        says="the compiler and the library may pass it over",
    ),
    Row(
        "symexec/exploration/handed_out.py:replaceable:compiled",
        whole="""\
__attribute__((weak)) int h(int x)  // here
{
    return x;
}
int f(int x)
{
    return h(x) + $;
}
""",
    ),
    Row(
        "symexec/exploration/observable.py:unseen:approximated",
        whole="""\
int f(int x)
{
    if ($ == 3) close(0);
    return x;
}  // here
""",
        result=("x", "2 * x"),
        others=True,
    ),
    Row(
        "symexec/runtime/filesystem/status.py:change_creation_mask:approximated",
        "if (umask(0)) umask(18);",
    ),
    Row("symexec/exploration/observable.py:outliving:approximated", whole=ONE_SIDED),
    Row("symexec/campaign/building.py:_prepare:any:3", whole=ONE_SIDED, recorded="approximated"),
    *(
        Row(site, whole=LIKE_ANOTHER, result=("x", "x + (x == 9)"), recorded="approximated")
        for site in (
            "symexec/exploration/observable.py:unseen:any",
            "symexec/exploration/paths.py:_ended:any",
            "symexec/exploration/paths.py:_note_unseen:any",
        )
    ),
    Row(
        "symexec/exploration/observable.py:unseen:any:2",
        whole="""\
int *f(int x)
{
    int *p = calloc(2, 4);
    p[1] = $;
    return p;
}  // here
""",
        result=("x", "x + (x == 9)"),
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/observable.py:unseen:any:3",
        whole="""\
char *f(int x)
{
    char *p = calloc(1, 4);
    p[2] = $;
    return p;
}  // here
""",
        result=("x", "x + (x == 9)"),
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/observable.py:unseen:any:4",
        whole="""\
const void *f(int x)
{
    return x > 3 ? $ : 0;
}  // here
""",
        result=('"ab"', '"ac"'),
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/allocated.py:allocated_apart:approximated",
        whole="""\
char *f(int x)
{
    return calloc($, 4);
}  // here
""",
        result=("2", "3"),
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/observable.py:_half_written:approximated",
        whole="""\
char *f(int x)
{
    static char kept[8];
    kept[0] = 'a';
    if ($)
        kept[1] = 0;
    return kept;
}  // here
""",
        result=("1", "0"),
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/observable.py:unseen:any:5",
        whole="""\
struct two { char c; int n; };
int f(int x, struct two *a, const struct two *b)
{
    if ($)
        *a = *b;
    else
        a->c = b->c, a->n = b->n;
    return 1;
}  // here
""",
        result=("x > 3", "x > 4"),
        recorded="approximated",
    ),
    Row(
        "symexec/executor/undefined_uses.py:tell_padding:approximated",
        "x += ((char *) p)[1] ? 1 : 2;",
        head="struct two { char c; int n; };",
        parameters="int x, struct two *p",
        others=True,
    ),
    Row(
        "symexec/exploration/paths.py:_note_carried:any",
        recorded="approximated",
        whole="""\
int g[40];  // here
int f(int x)
{
    return g[x & 7] + $;
}
""",
    ),
    Row(
        "symexec/exploration/observable.py:outliving:approximated:2",
        whole="".join(f"int g{i};" for i in range(32))
        + """\

int last;  // here
int f(int x)
{
    return """
        + " + ".join(f"g{i}" for i in range(32))
        + " + last + $;\n}\n",
    ),
    Row(
        "symexec/exploration/paths.py:_tried:approximated:2",
        whole="""\
int f(int x, double d)
{
    printf($, d);
    return 1;
}  // here
""",
        result=('"%f"', '"%.6f"'),
    ),
    # ---------------------------------------------------------------- the search
    *(
        Row(site, whole=LOOP, options={"search": SearchOptions(20, loop_bound=3)}, recorded="cut")
        for site in (
            "symexec/exploration/paths.py:_counts:cut",
            "symexec/exploration/paths.py:_omit:any",
        )
    ),
    Row(
        "symexec/exploration/paths.py:_run:output",
        whole="""\
int f(int x)
{
    printf("%d", $);  // here
    return 1;
}
""",
        options={"search": SearchOptions(20, mode="published")},
    ),
    Row(
        "symexec/exploration/paths.py:_ended:one-version",
        whole="""\
int f(int x)
{
    if ($)  // here
        return 1;
    return 1;
}
""",
        result=("x > 3", "x > 4"),
        options={"search": SearchOptions(20, after=After.NEW)},
    ),
    Row(
        "symexec/exploration/paths.py:_went_on:endless",
        whole="""\
int f(int x)
{
    if ($)  // here
        for (;;);
    return x;
}
""",
        result=("0", "x == 3"),
        others=True,
    ),
    *(
        Row(site, "*(int *) 0 = 1;", recorded="fails-alike")
        for site in (
            "symexec/exploration/paths.py:_ended:any:3",
            "symexec/exploration/paths.py:_count_failure:fails-alike",
        )
    ),
    Row(
        "symexec/campaign/building.py:ledger:fails-alike",
        whole="""\
int f(int x)
{
    int y = $;
    *(int *) 0 = y;
    return 1;
}
""",
        others=True,
    ),
    Row(
        "symexec/campaign/building.py:ledger:any",
        whole="""\
int f(int x)
{
    if ($)  // here
        return 1;
    return 2;
}
""",
        result=("x > 3", "x > 4"),
        recorded="unconfirmed",
    ),
    Row(
        "symexec/campaign/building.py:ledger:approximated",
        whole="""\
int f(double x, double y)
{
    unsigned long u;
    double z = x + y * 2;
    memcpy(&u, &z, 8);
    if (x != x && y != y && (u & 0xffff) == 0xbeef)
        return $;
    return 0;
}  // here
""",
        result=("1", "2"),
        others=True,
    ),
    *(
        Row(site, "getlogin();", recorded="approximated")
        for site in (
            "symexec/exploration/paths.py:_ended:any:2",
            "symexec/campaign/building.py:note_events:any",
        )
    ),
    Row(
        "symexec/exploration/paths.py:_run:any",
        "getlogin();",
        whole="""\
int f(int x, int y)
{
    if (x == 3)
        getlogin();  // here
    if (x > 2)
        return y ? 7 : 8;
    return $;
}
""",
        recorded="approximated",
    ),
    Row(
        "symexec/exploration/paths.py:_rested:any",
        whole="""\
int f(int x)
{
    if (x == 3)
        getlogin();  // here
    if (x > 2) {
        unsigned s = 0;
        for (unsigned i = 0; i < 3000; i++)
            s = s * 31 + i;
        return s;
    }
    return $;
}
""",
        recorded="approximated",
    ),
    *(
        Row(
            site,
            whole="""\
int f(int x, unsigned char n)
{
    char c;
    if ($)
        printf("%*d%c", n, 1, c);  // here
    return 1;
}
""",
            result=("0", "x > 4"),
            others=True,
            recorded="concretised",
        )
        for site in (
            "symexec/executor/modelling.py:_run:any",
            "symexec/state/state.py:note_again:any",
        )
    ),
]


def _in(folder: str, rows: list[Row]) -> list[Row]:
    return [replace(row, site=folder + row.site) for row in rows]


ROWS = [*_in(_C, LIBRARY), *_in(_R, MODELS), *OTHERS]
# Sites that no pair of programs gets to in a moment: the test that notices instead.
_UNITS = {
    "campaign/building.py:__init__:any": "what_was_never_searched",
    "campaign/building.py:_prepare:any": "a_file_that_cannot_be_read",
    "exploration/preparation.py:_unread:unread": "a_file_that_cannot_be_read",
    "exploration/preparation.py:_no_c:unread": "a_file_for_the_assembler",
    "exploration/preparation.py:_not_compiled:unread": "a_part_that_nobody_compiled",
    "validation/__init__.py:count:mismatched": "other_branches_of_a_validation",
    "campaign/attacking.py:_replayed:any": "a_difference_of_the_attack",
    "campaign/attacking.py:_plainly:any": "a_difference_of_the_attack",
    "campaign/attacking.py:_naturally:any": "a_difference_of_the_attack",
    "campaign/attacking.py:_naturally:any:2": "a_difference_of_the_attack",
    "campaign/attacking.py:_note:attacked": "a_difference_of_the_attack",
    "campaign/building.py:_attacked:any": "what_an_attack_has_shown",
    "campaign/building.py:_begun_in_time:time": "inputs_that_take_all_the_time",
    "campaign/building.py:_note_unseen:uninitialised": "what_no_filling_shows",
    "campaign/building.py:_verified:any": "what_no_filling_shows",
    "campaign/building.py:ledger:seeds": "a_search_near_seeds",
    "campaign/building.py:ledger:mismatched": "other_branches",
    "campaign/building.py:ledger:unconfirmed": "what_no_caller_meets",
    "campaign/building.py:ledger:attacked": "what_varies_natively",
    "campaign/building.py:_note_state:any": "what_later_calls_may_show",
    "exploration/paths.py:_tried:approximated": "a_doubt_on_many_paths",
    "exploration/paths.py:_take_turn:time": "a_turn_that_the_time_ends",
    "exploration/paths.py:_take_turn:unknown": "a_query_without_an_answer",
    "exploration/paths.py:_let_go:any": "a_turn_that_takes_too_much_memory",
    "exploration/paths.py:_has_room:any": "memory_that_other_things_take",
    "exploration/paths.py:_park:any": "states_that_nobody_can_park",
    "exploration/paths.py:_revive:any": "parked_states_without_time",
    "exploration/paths.py:_revive:any:2": "parked_states_that_are_lost",
    "exploration/paths.py:_give_up:any": "states_that_stay_parked",
    "exploration/paths.py:_give_up:time": "paths_that_wait_at_the_end",
    "exploration/paths.py:_forgotten:memory": "memory_that_other_things_take",
    "exploration/single_program.py:_searched:time": "one_program_whose_inputs_take_all_the_time",
    "exploration/single_program.py:_ended:any": "one_program_alone",
}
_WHAT_IS_TRIED = "tests/symexec/attack/test_what_is_tried.py::test_"
_ATTACK = "tests/symexec/attack/test_attack.py::test_"
_DISSENTS = "tests/test_dissents.py::test_"
# What the compiler says: a pair of tests/test_dissents.py for each difference.
_TOLD = {
    "dissents:any": "an alias",
    "dissents:any:2": "a definition of an object that the library has",
    "dissents:any:3": "the order in a section",
    "dissents:any:4": "what stands outside of all symbols",
    "dissents:any:5": "a guarantee to the compiler",
    "dissents:any:6": "a static object that is volatile",
    "_of_guarantees:any": "a guarantee to the compiler",
    "_of_volatile:any": "a static object that is volatile",
    "_of_symbols:any": "a static object of a changed function",
    "_of_symbols:any:2": "an alias",
    "_of_symbols:any:3": "the storage of an object",
    "_of_symbols:any:4": "a static object of a function",
    "_of_symbols:any:5": "a function of the library that others see",
    "_of_heads:any": "a static object of a changed function",
    "_of_heads:any:2": "the storage of a changed object",
    "_of_linking:any": "a function of the library that others see",
    "_of_definitions:any": "a definition of an object that the library has",
    "_of_definitions:any:2": "a definition in assembly alone",
    "_of_definitions:any:3": "a definition that may be missing",
    "_of_sections:any": "the order in a section",
    "_of_the_rest:any": "what stands outside of all symbols",
}
_LINKED = "tests/test_linked_definitions.py::test_"
_PARKED = "tests/symexec/exploration/test_parked.py::test_"
_FLEET = "tests/fleet/test_sharing.py::test_"
TESTED_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        **{
            f"symexec/{site}": f"tests/test_omissions.py::test_{name}_is_an_omission"
            for site, name in _UNITS.items()
        },
        "symexec/campaign/attacking.py:_call:any": _ATTACK
        + "a_destructor_that_is_called_twice_is_an_event",
        "symexec/campaign/attacking.py:_doubt:any": _ATTACK
        + "a_destructor_that_is_called_twice_is_an_event",
        "symexec/campaign/attacking.py:_judge_optimised:any": _WHAT_IS_TRIED
        + "each_build_is_tried[-O2]",
        "symexec/campaign/attacking.py:_witnessed:any": _ATTACK
        + "what_no_test_can_say_is_a_c_program",
        **{
            f"csg/unify/object_code.py:{site}": f"{_DISSENTS}each_difference_is_told[{kind}]"
            for site, kind in _TOLD.items()
        },
        "csg/unify/pairs.py:_read_by_assembler:any": "tests/test_omissions.py"
        "::test_what_the_assembler_reads_is_an_omission",
        "csg/unify/pairs.py:_linked_otherwise:any": _LINKED
        + "a_wrapped_function_is_an_omission_and_no_error",
        "csg/unify/linked.py:linked_otherwise:any": _LINKED
        + "a_wrapped_function_is_an_omission_and_no_error",
        "csg/unify/linked.py:_differing:any": _LINKED
        + "an_inline_definition_that_gcc_may_call_as_well_is_told",
        "csg/unify/pairs.py:_of_hooks:any": f"{_DISSENTS}what_runs_before_main_is_told",
        "symexec/campaign/building.py:ledger:undefined": "tests/test_closed_streams.py"
        "::test_what_no_sanitizer_sees_is_an_omission",
        "symexec/exploration/preparation.py:_unexplained:approximated": "tests/test_retained.py"
        "::test_the_verdict_is_no_false_one[init-array]",
        "symexec/solver/chain.py:_ask_backend:unknown": "tests/symexec/solver/test_layers.py"
        "::test_a_time_limit_is_an_answer[bitwuzla]",
        "symexec/report/session.py:explore:any": "tests/test_omissions.py"
        "::test_an_exploration_that_is_interrupted_claims_nothing",
        "fleet/portions.py:found:any": _PARKED + "what_a_portion_forgets_is_an_omission",
        "fleet/portions.py:_ended:any": _FLEET + "what_paths_of_portions_leave_out_is_told",
        "fleet/rounds.py:end:time": _FLEET + "rounds_that_are_not_begun_are_an_omission",
        "fleet/sharing.py:lose:worker": _FLEET + "what_always_dies_is_given_up_and_named",
        "fleet/sharing.py:end:time": _FLEET + "workers_that_die_at_the_end_are_told",
    }
)


def name_rows(rows: list[Row]) -> list[str]:
    """The site of each row, with a number behind it where several rows have one site."""
    names, met = [], Counter[str]()
    for row in rows:
        met[row.site] += 1
        names.append(row.site if met[row.site] == 1 else f"{row.site} {met[row.site]}")
    return names
