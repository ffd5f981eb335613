"""The numbers of errno that the models of files set, as Linux has them.

return answered(context, -ENOENT)         stores 2 in errno, returns -1
"""

from __future__ import annotations

from symexec.environment.contract import Context

ERRNO = "__csgtest_errno"

EPERM, ENOENT, ENXIO, EBADF, EAGAIN, EACCES, EBUSY, EEXIST, EXDEV = 1, 2, 6, 9, 11, 13, 16, 17, 18
ENOTDIR, EISDIR, EINVAL, EMFILE, ENOTTY, EFBIG, ESPIPE = 20, 21, 22, 24, 25, 27, 29
EROFS, ERANGE, ENAMETOOLONG, ENOTEMPTY, ELOOP = 30, 34, 36, 39, 40


def failure(context: Context, number: int, width: int = 32) -> int:
    """-1 of the result's width, and errno."""
    context.store(context.global_address(ERRNO), 4, number)
    return (1 << width) - 1


def answered(context: Context, value: int, width: int = 32) -> int:
    """What a system call yields: a result, or the negative of an error's number."""
    return failure(context, -value, width) if value < 0 else value
