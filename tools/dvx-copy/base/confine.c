/* SPDX-License-Identifier: BSD-2-Clause */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library has no calls for these, and headers of Linux 5.10 lack the numbers. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };

/* Access rights, by the version of Landlock's ABI that has them. Older headers lack some. */
#define FS(bit) (UINT64_C(1) << (bit))
enum { EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REFER = 13, TRUNCATE, IOCTL_DEV };
#define READS  (FS(READ_FILE) | FS(READ_DIR))
#define WRITES (FS(WRITE_FILE) | (FS(REFER) - FS(4))) /* to remove and to make entries */

/* Landlock's struct. The kernel refuses a size that it does not know. */
struct confine_ruleset {
	uint64_t fs, net;
};

static uint64_t confine_writes(long version)
{
	return WRITES | (version >= 2 ? FS(REFER) : 0) | (version >= 3 ? FS(TRUNCATE) : 0);
}

static int confine_add(int set, const struct confine_dir *d, uint64_t rights)
{
	struct landlock_path_beneath_attr a = {.allowed_access = rights, .parent_fd = d->fd};

	return (int)syscall(ADD_RULE, set, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
}

/* The C library looks up users and groups in these; the last has the devices' addresses. */
static const char *const system_dirs[] = {"/etc", "/usr", "/lib", "/lib64", "/var/lib/sss", "/sys"};

/* A missing directory needs no rule. */
static int confine_add_system(int set)
{
	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++) {
		struct confine_dir d = {open(system_dirs[i], O_PATH | O_DIRECTORY | O_CLOEXEC),
					false};
		int bad = d.fd < 0 ? 0 : confine_add(set, &d, READS);

		if (d.fd >= 0)
			close(d.fd);
		if (bad)
			return -1;
	}
	return 0;
}

static int confine_rules(int set, const struct confine *c, long version)
{
	uint64_t writes = confine_writes(version);

	for (size_t i = 0; i < c->n; i++) {
		uint64_t rights = (c->reads ? READS : 0) | (c->dirs[i].write ? writes : 0);

		if (rights && confine_add(set, &c->dirs[i], rights))
			return -1;
	}
	if (c->reads && confine_add_system(set))
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(RESTRICT_SELF, set, 0) ? -1 : 0;
}

const char *confine(const struct confine *c, char text[CONFINE_TEXT])
{
	long version = syscall(CREATE_RULESET, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct confine_ruleset r = {.fs = confine_writes(version) | FS(EXECUTE)};
	int set;

	if (c->reads)
		r.fs |= READS | (version >= 5 ? FS(IOCTL_DEV) : 0);
	if (c->network && version >= 4)
		r.net = 3; /* bind and connect of TCP */
	set = version < 1 ? -1
			  : (int)syscall(CREATE_RULESET, &r,
					 version >= 4 ? sizeof(r) : sizeof(r.fs), 0);
	if (set < 0 || confine_rules(set, c, version))
		snprintf(text, CONFINE_TEXT, "not by Landlock (%s)", strerror(errno));
	else
		snprintf(text, CONFINE_TEXT, "by Landlock (version %ld)", version);
	if (set >= 0)
		close(set);
	return text;
}

const char *confine_client(const char *dest, char text[CONFINE_TEXT])
{
	struct confine_dir dir = {.fd = -1, .write = true};
	struct confine c = {.dirs = &dir};
	char path[PATH_MAX];

	if (dest && strlen(dest) < sizeof(path)) {
		dir.fd = open(dest, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir.fd < 0)
			dir.fd =
				open(dirname(strcpy(path, dest)), O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	c.n = dir.fd >= 0;
	confine(&c, text);
	if (dir.fd >= 0)
		close(dir.fd);
	return text;
}
