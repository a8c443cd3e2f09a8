/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that libc returns: links, canonical names, the working directory, matches. */
#include "client.h"
#include "paths.h"
#include "real.h"

#include <errno.h>
#include <string.h>

/* Reads a link. Links of /proc lead to the real place of a file of the tree. */
static ssize_t readlink_any(int dir, const char *path, char *to, size_t size)
{
	char text[PATH_MAX], name[PATH_MAX];
	struct path_place place;
	ssize_t n;

	if ((ssize_t)size <= 0) /* EINVAL */
		return real()->readlinkat(dir, path, to, size);
	n = real()->readlinkat(dir, path_to(dir, path, PATH_LINK, &place), text, sizeof(text) - 1);
	if (n < 0)
		return n;
	text[n] = 0;
	if (path_name(text, name))
		n = (ssize_t)strlen(strcpy(text, name));
	if ((size_t)n > size)
		n = (ssize_t)size;
	memcpy(to, text, (size_t)n);
	return n;
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	return readlink_any(AT_FDCWD, path, to, size);
}

ssize_t readlinkat(int dir, const char *path, char *to, size_t size)
{
	return readlink_any(dir, path, to, size);
}

/* A caller that lies about its room is aborted by libc. */
ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room)
{
	return size > room ? real()->__readlink_chk(path, to, size, room)
			   : readlink_any(AT_FDCWD, path, to, size);
}

ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t size, size_t room)
{
	return size > room ? real()->__readlinkat_chk(dir, path, to, size, room)
			   : readlink_any(dir, path, to, size);
}

static char *text_into(char *to, size_t size, const char *text)
{
	if (!to)
		return strdup(text);
	if (strlen(text) < size)
		return strcpy(to, text);
	errno = ERANGE;
	return NULL;
}

static char *realpath_any(const char *path, char *to, size_t room)
{
	struct path_place place;
	struct stat st;
	const char *way = path_to(AT_FDCWD, path, PATH_FOLLOW, &place);

	if (place.kind == PLACE_MACHINE)
		return room == SIZE_MAX ? real()->realpath(way, to)
					: real()->__realpath_chk(way, to, room);
	return real()->stat(way, &st) ? NULL : text_into(to, room, place.name);
}

char *realpath(const char *path, char *to)
{
	return realpath_any(path, to, SIZE_MAX);
}

char *__realpath_chk(const char *path, char *to, size_t room)
{
	return realpath_any(path, to, room);
}

char *canonicalize_file_name(const char *path)
{
	return realpath_any(path, NULL, SIZE_MAX);
}

/* Notes a changed working directory; not in a vfork child, whose memory is its parent's. */
static int cwd_changed(int rc)
{
	int saved = errno;

	if (client_is_this_process())
		path_moved();
	errno = saved;
	return rc;
}

int chdir(const char *path)
{
	struct path_place place;

	return cwd_changed(real()->chdir(path_to(AT_FDCWD, path, PATH_FOLLOW, &place)));
}

int fchdir(int fd)
{
	return cwd_changed(real()->fchdir(fd));
}

/* Returns false if the working directory is not in the tree. */
static bool cwd_name(char name[PATH_MAX])
{
	char path[PATH_MAX];

	return path_cwd_touches_tree() && real()->getcwd(path, sizeof(path)) &&
	       path_name(path, name);
}

char *getcwd(char *buf, size_t size)
{
	char name[PATH_MAX];
	char *grown;

	if ((buf && !size) || !cwd_name(name))
		return real()->getcwd(buf, size);
	if (buf || !size)
		return text_into(buf, size, name);
	grown = strlen(name) < size ? malloc(size) : NULL;
	if (!grown)
		errno = ERANGE;
	return grown ? strcpy(grown, name) : NULL;
}

char *__getcwd_chk(char *buf, size_t size, size_t room)
{
	return size > room ? real()->__getcwd_chk(buf, size, room) : getcwd(buf, size);
}

char *get_current_dir_name(void)
{
	char name[PATH_MAX];

	return cwd_name(name) ? strdup(name) : real()->get_current_dir_name();
}

static void glob_closedir(void *dir)
{
	closedir(dir);
}

/* glob() opens files by its own calls, or by those passed to it. */
#define GLOB_HOOK(name, type, stat_name)                                                   \
	int name(const char *pattern, int flags, int (*error)(const char *, int), type *g) \
	{                                                                                  \
		int rc;                                                                    \
                                                                                           \
		if (!client_tree() || flags & GLOB_ALTDIRFUNC)                             \
			return real()->name(pattern, flags, error, g);                     \
		g->gl_opendir = (void *(*)(const char *))opendir;                          \
		g->gl_readdir = (__typeof__(g->gl_readdir))readdir64;                      \
		g->gl_closedir = glob_closedir;                                            \
		g->gl_stat = (__typeof__(g->gl_stat))stat_name;                            \
		g->gl_lstat = (__typeof__(g->gl_lstat))l##stat_name;                       \
		rc = real()->name(pattern, flags | GLOB_ALTDIRFUNC, error, g);             \
		g->gl_flags &= ~GLOB_ALTDIRFUNC;                                           \
		return rc;                                                                 \
	}

GLOB_HOOK(glob, glob_t, stat)
GLOB_HOOK(glob64, glob64_t, stat64)
