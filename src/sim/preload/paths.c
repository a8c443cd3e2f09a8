/* SPDX-License-Identifier: BSD-2-Clause */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "client.h"
#include "real.h"
#include "sysfs/sysfs.h"

#define LINKS_MOST   40			/* as in the kernel */
#define NEVER_MAPPED ((uintptr_t)65536) /* bytes from 0, and below it */

/*
 * The names that the tree provides. It shares some folders with the machine (class, devices,
 * bus/pci/devices, bus/pci/drivers). There the tree has stand-ins of the machine's entries, for
 * listings; a walk through them goes to the machine's own.
 */
enum span { SPAN_ONE, SPAN_BELOW, SPAN_PREFIX };

static const struct {
	const char *name;
	enum span span;
	enum place_kind kind;
} spans[] = {
	{UVERBS_PATH, SPAN_ONE, PLACE_NODE},
	{CM_PATH, SPAN_ONE, PLACE_NODE},
	{"/dev/infiniband", SPAN_BELOW, PLACE_TREE},
	{"/sys/class/infiniband", SPAN_PREFIX, PLACE_TREE},
	{"/sys/" SYSFS_BRIDGE, SPAN_BELOW, PLACE_TREE},
	{"/sys/class/misc/rdma_cm", SPAN_BELOW, PLACE_TREE},
	{"/sys/class", SPAN_ONE, PLACE_TREE},
	{"/sys/devices", SPAN_ONE, PLACE_TREE},
	{"/sys/bus/pci/devices", SPAN_ONE, PLACE_TREE},
	{"/sys/bus/pci/devices/" SYSFS_SLOT, SPAN_ONE, PLACE_TREE},
	{"/sys/bus/pci/drivers", SPAN_ONE, PLACE_TREE},
	{"/sys/bus/pci/drivers/mlx5_core", SPAN_BELOW, PLACE_TREE},
};

/* Folders on the path to most files: they are no links, and no reason to make a tree. */
static const char *const passed[] = {
	"/sys",
	"/sys/class",
	"/sys/devices",
	"/dev",
	"/sys/bus",
	"/sys/bus/pci",
	"/sys/bus/pci/devices",
	"/sys/bus/pci/drivers",
	"/dev/infiniband",
};

/* A path being walked: `at` is reached, without links, and `rest` is left. */
struct path_walk {
	char at[PATH_NAME], rest[PATH_NAME];
	const char *next; /* the next part of rest */
	bool tree;	  /* libc can't walk it: it began in the tree or passes through it */
	unsigned int links;
};

static bool path_is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (!path[len] || path[len] == '/');
}

/* Makes the path in the tree, which keeps /sys without its first part, and dev/infiniband. */
static void path_in_tree(const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s%s", client_tree(),
		 path_is_below(name, "/sys") ? name + strlen("/sys") : name);
}

/* Returns whether the tree has this file of the machine's folder of a chip's interface. */
static bool path_is_netdev_file(const char *name)
{
	static const char folder[] = "/sys/" SYSFS_VIRTUAL "/";
	char path[PATH_MAX];
	struct stat st;

	if (strncmp(name, folder, strlen(folder)) || !strchr(name + strlen(folder), '/'))
		return false;
	path_in_tree(name, path);
	return !real()->lstat(path, &st);
}

static enum place_kind path_kind(const char *name)
{
	for (unsigned int i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const char *n = spans[i].name;
		bool same = spans[i].span == SPAN_ONE	  ? !strcmp(name, n)
			    : spans[i].span == SPAN_BELOW ? path_is_below(name, n)
							  : !strncmp(name, n, strlen(n));

		if (same)
			return spans[i].kind;
	}
	return path_is_netdev_file(name) ? PLACE_TREE : PLACE_MACHINE;
}

static bool path_is_passed(const char *name)
{
	for (unsigned int i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (!strcmp(name, passed[i]))
			return true;
	return false;
}

/* Returns whether something of the tree can be below. */
static bool path_touches_tree(const char *name)
{
	return path_is_below(name, "/sys") || !*name || !strcmp(name, "/") ||
	       !strcmp(name, "/dev") || path_is_below(name, "/dev/infiniband");
}

bool path_name(const char *path, char name[PATH_MAX])
{
	const char *in = client_in_tree(path);

	if (!in)
		return false;
	snprintf(name, PATH_MAX, "%s%s", path_is_below(in, "/dev/infiniband") ? "" : "/sys", in);
	return true;
}

/* --- the start of a walk ---------------------------------------------------------------------- */

/* Whether something of the tree can be below the working directory. Threads share both. */
static bool cwd_touches_tree;

bool path_cwd_touches_tree(void)
{
	return __atomic_load_n(&cwd_touches_tree, __ATOMIC_RELAXED);
}

void path_moved(void)
{
	char path[PATH_MAX], name[PATH_MAX];
	bool near = real()->getcwd(path, sizeof(path)) &&
		    (path_name(path, name) || path_touches_tree(path));

	__atomic_store_n(&cwd_touches_tree, near, __ATOMIC_RELAXED);
}

static bool path_of_fd(int fd, char path[PATH_MAX])
{
	char proc[32];
	ssize_t n;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = real()->readlink(proc, path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	return path[0] == '/';
}

bool path_is_tree_fd(int fd)
{
	char path[PATH_MAX], name[PATH_MAX];

	return client_tree() && path_of_fd(fd, path) && path_name(path, name);
}

static bool walk_set(struct path_walk *w, const char *at, const char *rest, bool tree)
{
	if (strlen(at) >= PATH_NAME || strlen(rest) >= PATH_NAME)
		return false;
	strcpy(w->at, strcmp(at, "/") ? at : "");
	strcpy(w->rest, rest);
	w->next = w->rest;
	w->tree = tree;
	w->links = 0;
	return true;
}

static bool walk_absolute(struct path_walk *w, const char *path)
{
	const char *in = client_in_tree(path);

	/* The tree's root is a folder of the chip's, whose age dvx-flow reads. */
	if (in)
		return *in &&
		       walk_set(w, path_is_below(in, "/dev/infiniband") ? "/" : "/sys", in, true);
	while (path[1] == '/' || (path[1] == '.' && path[2] == '/'))
		path += path[1] == '/' ? 1 : 2;
	return (!strncmp(path, "/sys", 4) || !strncmp(path, "/dev", 4)) &&
	       walk_set(w, "/", path, false);
}

/*
 * Directories known to be away from the tree. Reading where a directory is costs ten times as much
 * as reading its identity, and a program that copies a tree needs it for each name.
 */
#define OUTSIDE_DIRS 16u
static _Thread_local struct outside_dir {
	dev_t dev;
	ino_t ino;
} outside_dirs[OUTSIDE_DIRS];

/* Returns the place of this directory, or NULL if it is no directory. *known: it is cached. */
static struct outside_dir *path_outside_place(int dir, struct outside_dir *is, bool *known)
{
	struct outside_dir *place;
	struct stat st;

	*known = false;
	if (real()->fstat(dir, &st))
		return NULL;
	*is = (struct outside_dir){st.st_dev, st.st_ino};
	place = &outside_dirs[st.st_ino % OUTSIDE_DIRS];
	*known = place->ino == is->ino && place->dev == is->dev && is->ino;
	return place;
}

/* Finds where a directory is. Returns false if it is known to be away from the tree. */
static bool walk_from_fd(int dir, char at[PATH_MAX])
{
	struct outside_dir *place, is;
	char name[PATH_MAX];
	bool known;

	place = path_outside_place(dir, &is, &known);
	if (known || !path_of_fd(dir, at))
		return false;
	if (place && !path_touches_tree(at) && !path_name(at, name))
		*place = is;
	return true;
}

/* Starts a relative walk: only from near the tree, or upwards, can it lead into the tree. */
static bool walk_relative(struct path_walk *w, int dir, const char *path)
{
	char at[PATH_MAX], name[PATH_MAX];
	bool upwards = !strncmp(path, "..", 2);

	if (dir == AT_FDCWD) {
		if (!path_cwd_touches_tree() && !upwards)
			return false;
		if (!real()->getcwd(at, sizeof(at)))
			return false;
	} else if (upwards ? !path_of_fd(dir, at) : !walk_from_fd(dir, at)) {
		return false;
	}
	if (path_name(at, name))
		return walk_set(w, name, path, true);
	return (path_touches_tree(at) || upwards) && walk_set(w, at, path, false);
}

/* --- the walk --------------------------------------------------------------------------------- */

static size_t walk_next(struct path_walk *w, const char **name)
{
	size_t n;

	w->next += strspn(w->next, "/");
	*name = w->next;
	n = strcspn(w->next, "/");
	w->next += n;
	return n;
}

static void walk_up(struct path_walk *w)
{
	char *slash = strrchr(w->at, '/');

	if (slash)
		*slash = 0;
}

static bool walk_into(struct path_walk *w, const char *name, size_t n)
{
	size_t len = strlen(w->at);

	if (len + n + 2 > sizeof(w->at))
		return false;
	w->at[len] = '/';
	memcpy(w->at + len + 1, name, n);
	w->at[len + 1 + n] = 0;
	return true;
}

/* Puts the text of the link just reached before the rest. */
static bool walk_link(struct path_walk *w, const char *text, size_t n)
{
	char rest[PATH_NAME];

	if (++w->links > LINKS_MOST ||
	    snprintf(rest, sizeof(rest), "%.*s%s", (int)n, text, w->next) >= (int)sizeof(rest))
		return false;
	if (*text == '/')
		w->at[0] = 0;
	else
		walk_up(w);
	strcpy(w->rest, rest);
	w->next = w->rest;
	return true;
}

static bool walk_through(struct path_walk *w)
{
	char text[PATH_NAME], path[PATH_MAX];
	bool tree = path_kind(w->at) != PLACE_MACHINE;
	ssize_t n;

	if (path_is_passed(w->at))
		return true;
	if (tree) {
		client_sysfs();
		path_in_tree(w->at, path);
	}
	n = real()->readlink(tree ? path : w->at, text, sizeof(text));
	if (n <= 0)
		return true;
	w->tree |= tree;
	return walk_link(w, text, (size_t)n);
}

/* Walks on. Returns false if the path leads away or can't be walked. */
static bool walk_on(struct path_walk *w, bool follow)
{
	const char *name;
	size_t n;

	while ((n = walk_next(w, &name))) {
		if (n == 1 && name[0] == '.')
			continue;
		if (n == 2 && name[0] == '.' && name[1] == '.') {
			walk_up(w);
			continue;
		}
		if (!walk_into(w, name, n) || !path_touches_tree(w->at))
			return false;
		if ((follow || *w->next) && !walk_through(w))
			return false;
	}
	return true;
}

/* --- results for libc ------------------------------------------------------------------------- */

static bool walk_begin(struct path_walk *w, int dir, const char *path, enum path_use use)
{
	bool begun = *path == '/' ? walk_absolute(w, path) : walk_relative(w, dir, path);

	return begun && (walk_on(w, use == PATH_FOLLOW || use == PATH_MOUNT) || w->tree);
}

/* Returns whether the tree and the machine shared this folder before its chip removed it. */
static bool path_was_shared(const char *name)
{
	char path[PATH_MAX];

	path_in_tree(name, path);
	return path_is_passed(name) && real()->access(path, F_OK);
}

static const char *path_found(const struct path_walk *w, const char *path, enum path_use use,
			      struct path_place *p)
{
	const char *slash = *path && path[strlen(path) - 1] == '/' ? "/" : "";

	p->kind = *w->next ? PLACE_MACHINE : path_kind(w->at);
	if (p->kind != PLACE_MACHINE)
		client_sysfs();
	if (p->kind == PLACE_MACHINE || path_was_shared(w->at)) {
		p->kind = PLACE_MACHINE;
		if (!w->tree)
			return path;
		snprintf(p->path, sizeof(p->path), "%s%s%s", *w->at ? w->at : "/", w->next,
			 *w->next ? "" : slash);
		return p->path;
	}
	strcpy(p->name, w->at);
	path_in_tree(w->at, p->path);
	strcat(p->path, slash);
	if (use == PATH_CHANGE || use == PATH_MAKE)
		p->kind = PLACE_REFUSED;
	if (use != PATH_MOUNT || real()->access(p->path, F_OK))
		return p->path;
	return path_is_below(p->name, "/dev") ? "/dev" : "/sys";
}

/* Refuses changes as sysfs does: its folders are root's, and fixed. */
static int path_refusal(const struct path_place *p, enum path_use use)
{
	struct stat st;
	bool exists = !real()->lstat(p->path, &st);

	if (exists != (use == PATH_CHANGE))
		return exists ? EEXIST : ENOENT;
	return geteuid() ? EACCES : EPERM;
}

/* Returns whether the path has a first byte; programs probe addresses by access() and open(). */
static bool path_is_given(const char *path)
{
	const uintptr_t at = (uintptr_t)path;
	char byte = 0;

	if (at + NEVER_MAPPED < 2 * NEVER_MAPPED)
		return !flatten_copy_in(&byte, at, 1) && byte;
	return *path;
}

const char *path_to(int dir, const char *path, enum path_use use, struct path_place *p)
{
	int saved = errno;
	struct path_walk w;

	p->kind = PLACE_MACHINE;
	if (!client_tree())
		return path;
	if (!path_is_given(path) || !walk_begin(&w, dir, path, use)) {
		errno = saved;
		return path;
	}
	path = path_found(&w, path, use, p);
	errno = p->kind == PLACE_REFUSED ? path_refusal(p, use) : saved;
	return path;
}
