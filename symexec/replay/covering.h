/* Hides what is no part of the system, in a mount name space of its own (covering.c). */
#ifndef CSGTEST_COVERING_H
#define CSGTEST_COVERING_H

#include <stddef.h>

/* The folders at the top that programs, their libraries and what these read come from; ends with
 * NULL. */
extern const char *const system_folders[];

/* Makes the folders in `path` that are missing, from the character at `from` on; 0 on success. */
int make_folders(char *path, size_t from);

/* Puts an empty folder over each one at the top that is neither of the system nor /dev or /tmp. The
 * folders `visible`, absolute paths that end with NULL, are still there; 0 on success. */
int hide_others(char *const visible[]);

/* Puts a new folder over /dev: it has the devices that hold nothing (null, zero, full, random,
 * urandom) and an own /dev/shm. Of /sys only the processors are left. The folders `visible` are
 * still there; 0 on success. */
int hide_devices(char *const visible[]);

/* Where we are root: hides each file and folder below `folder` that only root may read, so that
 * nobody reads it who has root's rights in a user name space; 0 on success. */
int hide_from_others(const char *folder);

/* The same for the files at the top of /proc, as the memory of the kernel; 0 on success. */
int hide_kernel_files(void);

#endif
