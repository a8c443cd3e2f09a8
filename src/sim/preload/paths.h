/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PATHS_H
#define SIM_PRELOAD_PATHS_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>

/*
 * The sysfs tree of a function is laid over the machine's /sys: a program sees both as one. Names
 * are walked as the kernel walks them, links and `..` included, so that a way into the tree or out
 * of it ends where it would end with a real device.
 */

enum path_use {
	PATH_FOLLOW, /* the file that the name leads to */
	PATH_LINK,   /* the name itself, be it a link */
	PATH_CHANGE, /* the same, to change it: refused in the tree, as sysfs does */
	PATH_MAKE,   /* the same, to make it: refused, too */
	PATH_MOUNT   /* the file system, which is sysfs */
};

static inline enum path_use path_at(int flags)
{
	return flags & AT_SYMLINK_NOFOLLOW ? PATH_LINK : PATH_FOLLOW;
}

enum place_kind {
	PLACE_MACHINE, /* the machine's */
	PLACE_TREE,
	PLACE_NODE, /* the device's character device; its path is a stand-in of the tree */
	PLACE_REFUSED
};

#define PATH_NAME 1024 /* bytes of a name below /sys; longer ones are the machine's */

struct path_place {
	enum place_kind kind;
	char path[PATH_MAX];  /* where it lies */
	char name[PATH_NAME]; /* what the program calls it, without links; not of the machine's */
};

/*
 * What to hand to libc: `path` itself where nothing is to be changed. errno is kept, unless the
 * place is PLACE_REFUSED.
 */
const char *path_to(int dir, const char *path, enum path_use, struct path_place *);

/* The name that a program knows for what the kernel calls `path`; false: that is its name. */
bool path_name(const char *path, char name[PATH_MAX]);
/* Whether the descriptor is of a file in the tree. */
bool path_is_tree_fd(int fd);
/* The working directory has changed. */
void path_moved(void);
/* The working directory may be in the tree. */
bool path_cwd_is_near(void);

#endif
