"""What library functions do to memory, for analyses that do not look into them.

    memcpy(a, b, n)       reads what b points to, writes what a points to, copies pointers from
                          there to here, returns a

Arguments are named by their index. A function that is missing here and has no code is treated as
if it did everything to all it can reach. To add one: one row in ``_ROWS``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

STDIN = "*stdin"  # what the global ``stdin`` points to: the position in the stream
ERRNO = "*errno"


@dataclass(frozen=True, slots=True)
class Effect:
    """``*_rest``: every argument from that index on. ``*_globals`` name objects of the library."""

    reads: tuple[int, ...] = ()  # arguments whose objects are read
    writes: tuple[int, ...] = ()
    reads_rest: int | None = None
    writes_rest: int | None = None
    reads_globals: tuple[str, ...] = ()
    writes_globals: tuple[str, ...] = ()
    returns: tuple[int, ...] = ()  # the result may point where these arguments point
    returns_global: str = ""
    fresh: bool = False  # the result points to a new object
    copies: tuple[
        tuple[int, int], ...
    ] = ()  # pointers move from the second's object to the first's
    keeps: tuple[
        tuple[int, int], ...
    ] = ()  # the second, or a pointer near it, is put into the first
    calls: tuple[
        int, ...
    ] = ()  # arguments called back with pointers to the other arguments' objects


_PURE = Effect()
_INPUT = Effect(reads_globals=(STDIN,), writes_globals=(STDIN,))

_ROWS: tuple[tuple[str, Effect], ...] = (
    (
        "abs labs llabs isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint "
        "ispunct isspace isupper isxdigit tolower toupper toascii exit _exit _Exit abort atexit "
        "putchar putchar_unlocked free time clock getpid getuid geteuid getgid getegid isatty "
        "umask close sleep alarm raise signal ffs abs __csgtest_assert_fail __builtin_unreachable "
        "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow sqrt cbrt "
        "hypot floor ceil round trunc fabs fmod fmax fmin sinf cosf sqrtf floorf ceilf fabsf powf "
        "nearbyint rint lround lrint roundf truncf isnan isinf signbit copysign ldexp scalbn "
        "btowc iswalpha iswdigit iswspace iswprint iswalnum iswupper iswlower towlower towupper "
        "wcwidth rand random srand srandom klee_assume klee_int klee_range klee_choose "
        "klee_silent_exit klee_assert klee_is_symbolic klee_print_expr __VERIFIER_assume "
        "reach_error close_stdout close_stdin usage_exit sysconf getpagesize",
        _PURE,
    ),
    ("rand random srand srandom", Effect(reads_globals=("*seed",), writes_globals=("*seed",))),
    (
        "strlen strnlen puts perror atoi atol atoll atof fputs fputs_unlocked wcslen unlink rmdir "
        "mkdir chdir access remove system chmod chown creat open setlocale textdomain putenv "
        "bindtextdomain strerror klee_warning klee_warning_once klee_report_error clearerr",
        Effect(reads_rest=0),
    ),
    (
        "strcmp strncmp strcasecmp strncasecmp strcoll memcmp strspn strcspn wcscmp rename link "
        "symlink strxfrm_l printf vprintf dprintf write fwrite fputc putc putc_unlocked "
        "fputc_unlocked error warn warnx err errx __assert_fail utime",
        Effect(reads_rest=0),
    ),
    ("fprintf vfprintf fwrite_unlocked fflush ferror feof fileno", Effect(reads_rest=0)),
    (
        "strchr strrchr strstr strpbrk memchr memrchr rawmemchr strchrnul basename dirname index "
        "rindex gettext ngettext dgettext dcgettext strcasestr wcschr memmem",
        Effect(reads_rest=0, returns=(0, 1)),
    ),
    (
        "strcpy strncpy strcat strncat stpcpy stpncpy memcpy memmove mempcpy wcscpy wmemcpy "
        "__memcpy_chk __strcpy_chk __strcat_chk __memmove_chk",
        Effect(reads=(0, 1), writes=(0,), returns=(0,), copies=((0, 1),)),
    ),
    ("memset bzero wmemset __memset_chk explicit_bzero", Effect(writes=(0,), returns=(0,))),
    ("malloc calloc xmalloc xcalloc xzalloc valloc aligned_alloc xnmalloc", Effect(fresh=True)),
    (
        "realloc reallocarray xrealloc xnrealloc x2realloc",
        Effect(reads=(0,), fresh=True, returns=(0,)),
    ),
    ("strdup strndup xstrdup xmemdup xstrndup wcsdup", Effect(reads=(0,), fresh=True)),
    ("getcwd", Effect(writes=(0,), returns=(0,), fresh=True)),
    ("getenv", Effect(reads=(0,), returns_global="*environ")),
    (
        "sprintf vsprintf snprintf vsnprintf __sprintf_chk __snprintf_chk strftime",
        Effect(reads_rest=1, writes=(0,)),
    ),
    ("asprintf vasprintf", Effect(reads_rest=1, writes=(0,), fresh=True)),
    ("sscanf vsscanf", Effect(reads=(0, 1), writes_rest=2)),
    (
        "scanf vscanf",
        Effect(reads=(0,), writes_rest=1, reads_globals=(STDIN,), writes_globals=(STDIN,)),
    ),
    ("fscanf vfscanf", Effect(reads=(0, 1), writes=(0,), writes_rest=2)),
    ("getchar getchar_unlocked", _INPUT),
    ("gets", replace(_INPUT, writes=(0,), returns=(0,))),
    ("getc fgetc getc_unlocked fgetc_unlocked getwc fgetwc", Effect(reads=(0,), writes=(0,))),
    (
        "ungetc fseek fseeko rewind fclose setvbuf posix_fadvise",
        Effect(reads_rest=0, writes_rest=0),
    ),
    ("fgets fgets_unlocked", Effect(reads=(2,), writes=(0, 2), returns=(0,))),
    ("fread fread_unlocked", Effect(reads=(3,), writes=(0, 3))),
    ("read", replace(_INPUT, writes=(1,))),
    ("getline", Effect(reads=(0, 1, 2), writes=(0, 1, 2), fresh=True)),
    ("getdelim", Effect(reads=(0, 1, 3), writes=(0, 1, 3), fresh=True)),
    ("ftell ftello lseek", Effect(reads=(0,))),
    ("fopen freopen fdopen opendir popen", Effect(reads_rest=0, fresh=True)),
    ("stat lstat fstat", Effect(reads=(0,), writes=(1,))),
    (
        "strtol strtoul strtoll strtoull strtod strtof strtold strtoimax strtoumax",
        Effect(reads=(0,), writes=(1,), keeps=((1, 0),), writes_globals=(ERRNO,)),
    ),
    ("strtok", Effect(reads=(0, 1), writes=(0,), returns=(0,), reads_globals=("*strtok",))),
    ("strsep", Effect(reads=(0, 1), writes=(0,), returns=(0,))),
    ("__errno_location", Effect(returns_global=ERRNO)),
    (
        "getopt getopt_long getopt_long_only",
        Effect(
            reads_rest=0,
            writes=(1, 4),
            reads_globals=("optind", "opterr"),
            writes_globals=("optind", "optarg", "optopt"),
        ),
    ),
    ("qsort", Effect(reads=(0,), writes=(0,), calls=(3,))),
    ("bsearch", Effect(reads=(0, 1), returns=(1,), calls=(4,))),
    ("localtime gmtime", Effect(reads=(0,), returns_global="*tm")),
    ("ctime asctime", Effect(reads=(0,), returns_global="*tm")),
    ("mktime", Effect(reads=(0,), writes=(0,))),
    ("klee_make_symbolic", Effect(writes=(0,), reads=(2,))),
    ("frexp modf", Effect(writes=(1,))),
    ("mbrtowc", Effect(reads=(1, 3), writes=(0, 3))),
    ("mbtowc", Effect(reads=(1,), writes=(0,))),
    (
        "wcscat wcsncat wcsncpy wcpcpy wcpncpy wmemmove wmempcpy",
        Effect(reads=(0, 1), writes=(0,), returns=(0,), copies=((0, 1),)),
    ),
    ("wcsrchr wcschrnul wcsstr wcspbrk wmemchr", Effect(reads_rest=0, returns=(0, 1))),
    (
        "wcsncmp wmemcmp wcscoll wcscasecmp wcsncasecmp wcsspn wcscspn wcsnlen strverscmp bcmp "
        "strcoll_l strcasecmp_l strncasecmp_l wprintf fwprintf vwprintf vfwprintf fputws fputwc "
        "putwc putwchar strsignal regfree wctype wctrans atoll",
        Effect(reads_rest=0),
    ),
    ("setenv unsetenv", Effect(reads_rest=0, writes_globals=("*environ",))),
    ("swprintf vswprintf wcsftime", Effect(reads_rest=1, writes=(0,))),
    (
        "wcstol wcstoul wcstoll wcstoull wcstod wcstof wcstold wcstoimax wcstoumax",
        Effect(reads=(0,), writes=(1,), keeps=((1, 0),), writes_globals=(ERRNO,)),
    ),
    (
        "strtok_r __strtok_r wcstok",
        Effect(reads=(0, 1, 2), writes=(0, 2), returns=(0,), keeps=((2, 0),)),
    ),
    ("qsort_r", Effect(reads=(0,), writes=(0,), calls=(3,))),
    ("lfind lsearch", Effect(reads=(0, 1, 2), writes=(1, 2), returns=(1,), calls=(4,))),
    ("gmtime_r localtime_r", Effect(reads=(0,), writes=(1,), returns=(1,))),
    ("timegm timelocal", Effect(reads=(0,), writes=(0,))),
    ("regcomp", Effect(reads=(1,), writes=(0,))),
    ("regexec", Effect(reads=(0, 1, 3), writes=(3,))),
    ("regerror", Effect(reads=(1,), writes=(2,))),
    ("modff modfl frexpf frexpl", Effect(writes=(1,))),
    ("remquo remquof remquol", Effect(writes=(2,))),
    (
        "difftime ffsl ffsll isalnum_l isalpha_l isdigit_l isspace_l toupper_l tolower_l iswblank "
        "iswcntrl iswgraph iswpunct iswxdigit iswctype towctrans wctob pthread_self kill",
        _PURE,
    ),
    ("setjmp _setjmp sigsetjmp __sigsetjmp", Effect(writes=(0,))),
    ("longjmp siglongjmp", Effect(reads=(0,))),
)

_ARITHMETIC = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod hypot ilogb ldexp lgamma llrint llround log log10 log1p "
    "log2 logb lrint lround nearbyint nextafter pow remainder rint round scalbln scalbn sin sinh "
    "sqrt tan tanh tgamma trunc"
)
_EFFECTS = {
    **{f"{name}{kind}": _PURE for name in _ARITHMETIC.split() for kind in ("", "f", "l")},
    **{name: effect for names, effect in _ROWS for name in names.split()},
}


def effect_of(name: str) -> Effect | None:
    """None: nothing is known about this function."""
    if name.startswith("__VERIFIER_nondet_"):
        return _PURE
    return _EFFECTS.get(name)


def argument_indices(listed: tuple[int, ...], rest: int | None, count: int) -> list[int]:
    """The arguments that a row names, for a call with ``count`` of them."""
    found = [index for index in listed if index < count]
    if rest is not None:
        found += [index for index in range(rest, count) if index not in found]
    return found
