/* SPDX-License-Identifier: BSD-2-Clause */
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes to f, which may be NULL, and closes it. Returns 0 or an errno. */
static int replace_fill(FILE *f, replace_fn *put, const void *what)
{
	bool bad;

	if (!f)
		return errno;
	put(f, what);
	bad = ferror(f);
	return fclose(f) || bad ? errno : 0;
}

/* Writes a new file and renames it. */
static int replace_anew(const char *path, mode_t mode, replace_fn *put, const void *what)
{
	char temp[PATH_MAX];
	FILE *f;
	int fd, err;

	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp))
		return ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return errno;
	f = fchmod(fd, mode) ? NULL : fdopen(fd, "w");
	err = replace_fill(f, put, what);
	if (!f)
		close(fd);
	if (!err && rename(temp, path))
		err = errno;
	if (err)
		unlink(temp);
	return err;
}

int replace_file(const char *path, replace_fn *put, const void *what)
{
	char *real = realpath(path, NULL); /* NULL: a new file, or a link without one */
	const char *to = real ? real : path;
	mode_t mask = umask(022);
	struct stat st = {.st_mode = S_IFREG | (0666 & ~mask)};
	int err;

	umask(mask);
	lstat(to, &st);
	err = S_ISREG(st.st_mode) && strcmp(path, "/dev/stdout")
		      ? replace_anew(to, st.st_mode & 0777, put, what)
		      : replace_fill(fopen(path, "we"), put, what);
	free(real);
	return err;
}
