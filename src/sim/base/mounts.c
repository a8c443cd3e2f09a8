/* SPDX-License-Identifier: BSD-2-Clause */
#include "mounts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* A file system's type and options: in the last three fields of a line, behind " - ". */
struct mount_line {
	dev_t dev;
	const char *type, *options;
};

/* Splits a line in place. */
static bool mount_line_parse(char *line, struct mount_line *m)
{
	char *at = strstr(line, " - "), *options;
	unsigned int major, minor;

	if (!at || sscanf(line, "%*u %*u %u:%u", &major, &minor) != 2)
		return false;
	m->dev = makedev(major, minor);
	m->type = strtok_r(at + 3, " \n", &options);
	if (!m->type || !strtok_r(NULL, " \n", &options)) /* skips the source */
		return false;
	m->options = strtok_r(NULL, " \n", &options);
	return m->options;
}

/* Returns whether this is a Linux file system that has no backing device to write to. */
static bool mount_in_memory(const char *type)
{
	static const char *const types[] = {"tmpfs", "devtmpfs", "ramfs", "hugetlbfs", "rootfs"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

static bool mount_has_option(const char *options, const char *name)
{
	const size_t len = strlen(name);
	const char *at = options;

	while (strncmp(at, name, len) || (at[len] && at[len] != ',')) {
		at = strchr(at, ',');
		if (!at++)
			return false;
	}
	return true;
}

static enum mount_kind mount_kind_of(const struct mount_line *m)
{
	if (mount_in_memory(m->type))
		return MOUNT_MEMORY;
	return mount_has_option(m->options, "dax") || mount_has_option(m->options, "dax=always")
		       ? MOUNT_DAX
		       : MOUNT_FILES;
}

enum mount_kind mount_kind_read(FILE *mountinfo, dev_t dev)
{
	enum mount_kind kind = major(dev) ? MOUNT_FILES : MOUNT_MEMORY;
	struct mount_line m;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, mountinfo) > 0)
		if (mount_line_parse(line, &m) && m.dev == dev) {
			kind = mount_kind_of(&m);
			break;
		}
	free(line);
	return kind;
}

enum mount_kind mount_kind(pid_t pid, dev_t dev)
{
	enum mount_kind kind = MOUNT_MEMORY;
	char path[40];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return kind;
	kind = mount_kind_read(f, dev);
	fclose(f);
	return kind;
}
