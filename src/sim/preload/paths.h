/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PATHS_H
#define SIM_PRELOAD_PATHS_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>

/*
 * The sysfs tree of a function is laid over the machine's /sys: a program sees both as one. Names
 * are walked as the kernel walks them, links and `..` included, so that a path into the tree or out
 * of it ends where it would with a real device.
 */

enum path_use {
	PATH_FOLLOW, /* the file that the name leads to */
	PATH_LINK,   /* the name itself, even if it is a link */
	PATH_CHANGE, /* the name itself, to change it: refused in the tree, as in sysfs */
	PATH_MAKE,   /* the name itself, to make it: refused, too */
	PATH_MOUNT   /* the file system, which is sysfs */
};

static inline enum path_use path_at(int flags)
{
	return flags & AT_SYMLINK_NOFOLLOW ? PATH_LINK : PATH_FOLLOW;
}

enum place_kind {
	PLACE_MACHINE, /* a file of the machine */
	PLACE_TREE,
	PLACE_NODE, /* the device's character device; its path is a stand-in of the tree */
	PLACE_REFUSED
};

#define PATH_NAME 1024 /* bytes of a name below /sys; longer names are the machine's */

struct path_place {
	enum place_kind kind;
	char path[PATH_MAX];  /* the real path of the file */
	char name[PATH_NAME]; /* its name for the program, without links; unset for the machine's */
};

/*
 * Returns the path for libc: `path` itself if nothing changes. Keeps errno, unless the place is
 * PLACE_REFUSED.
 */
const char *path_to(int dir, const char *path, enum path_use, struct path_place *);

/* Finds the program's name for a path of the kernel's; false: the names are the same. */
bool path_name(const char *path, char name[PATH_MAX]);
/* Returns whether the descriptor's file is in the tree. */
bool path_is_tree_fd(int fd);
/* Notes that the working directory has changed. */
void path_moved(void);
/* Returns whether the working directory may be in the tree. */
bool path_cwd_touches_tree(void);

#endif
