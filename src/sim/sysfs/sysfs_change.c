/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a tree, and their changes: the link, the network interface, GIDs. */
#include "sysfs_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sysfs_make_parents(int root, const char *path)
{
	char part[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(root, part, 0755) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Makes the file; its parents exist already, but for the first file of a folder. */
static int make_empty(int root, const char *path, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = openat(root, path, flags, mode), err;

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	err = sysfs_make_parents(root, path);
	fd = err ? -1 : openat(root, path, flags, mode);
	return err ? err : fd < 0 ? -errno : fd;
}

int sysfs_make_bytes(int root, const char *path, const void *bytes, size_t len, mode_t mode)
{
	int fd = make_empty(root, path, mode), err;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = write(fd, bytes, len);
	err = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : 0; /* a full disk, or RLIMIT_FSIZE */
	close(fd);
	return err;
}

int sysfs_make_file(int root, const char *path, const char *text)
{
	return sysfs_make_bytes(root, path, text, strlen(text), 0444);
}

const char *sysfs_gid_type(uint8_t type)
{
	return type == 2 ? "RoCE v2\n" : "IB/RoCE v1\n";
}

void sysfs_print_gid(const uint8_t gid[16], char text[64])
{
	for (unsigned int b = 0; b < 16; b += 2)
		text += sprintf(text, "%02x%02x%c", gid[b], gid[b + 1], b == 14 ? '\n' : ':');
}

/* Replaces a file, so that a reader finds the old text or the new one. */
static int sysfs_replace(int root, const char *path, const char *text)
{
	char fresh[PATH_MAX];
	int err;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	err = sysfs_make_file(root, fresh, text);
	if (!err && renameat(root, fresh, root, path))
		err = -errno;
	if (err)
		unlinkat(root, fresh, 0); /* else the next change could not make it */
	return err;
}

int sysfs_link(const char *root, unsigned int port, bool up)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;
	char path[128];

	if (dir < 0)
		return -errno;
	snprintf(path, sizeof(path), PORTS "/%u/state", port);
	err = sysfs_replace(dir, path, up ? STATE_ACTIVE : STATE_DOWN);
	snprintf(path, sizeof(path), PORTS "/%u/phys_state", port);
	if (!err)
		err = sysfs_replace(dir, path, up ? PHYS_LINK_UP : PHYS_DISABLED);
	close(dir);
	return err;
}

int sysfs_devlink_port(const char *root, unsigned int port, uint32_t index, const char *name)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;
	char path[32], text[64];

	if (dir < 0)
		return -errno;
	snprintf(path, sizeof(path), SYSFS_DEVLINK "/%u", port);
	snprintf(text, sizeof(text), "%" PRIu32 " %s\n", index, name);
	err = sysfs_make_parents(dir, path);
	err = err ? err : sysfs_replace(dir, path, text);
	close(dir);
	return err;
}

/*
 * Writes a file of the interface's own folder. A link to /sys/class/net would show the interfaces
 * of the network namespace in which that was mounted.
 */
static int netdev_file(int dir, const char *folder, const char *interface, const char *name,
		       const char *text)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, interface, name);
	err = sysfs_make_parents(dir, path);
	return err ? err : sysfs_replace(dir, path, text);
}

/* Makes the link that the machine's folder of the interface lacks; paths.c leads here. */
static int netdev_device(int dir, const char *interface)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), SYSFS_VIRTUAL "/%s/device", interface);
	err = sysfs_make_parents(dir, path);
	if (!err && symlinkat("../../../../" PCI, dir, path) && errno != EEXIST)
		err = -errno;
	return err;
}

static int netdev_own_files(int dir, const struct sysfs_netdev *n)
{
	const uint8_t *a = n->mac;
	char mac[32], mtu[32];
	const struct {
		const char *name, *text;
	} files[] = {
		{"address", mac},    {"mtu", mtu},	  {"operstate", n->up ? "up\n" : "down\n"},
		{"dev_id", "0x0\n"}, {"dev_port", "0\n"}, {"type", "1\n"},
	};
	int err = 0;

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x\n", a[0], a[1], a[2], a[3], a[4],
		 a[5]);
	snprintf(mtu, sizeof(mtu), "%u\n", n->mtu);
	for (unsigned int i = 0; !err && i < sizeof(files) / sizeof(files[0]); i++)
		err = netdev_file(dir, PCI "/net", n->interface, files[i].name, files[i].text);
	return err;
}

/* Writes a file that both the own folder and the machine's have, which can't be read there. */
static int netdev_switch_file(int dir, const struct sysfs_netdev *n, const char *name,
			      const char *text)
{
	int err = netdev_file(dir, PCI "/net", n->interface, name, text);

	return err ? err : netdev_file(dir, SYSFS_VIRTUAL, n->interface, name, text);
}

/* Writes which port of which switch it is. Linux shows the GUID's bytes as x86 stores them. */
static int netdev_switch(int dir, const struct sysfs_netdev *n)
{
	char text[32];
	int err;

	if (!n->port_name)
		return 0;
	snprintf(text, sizeof(text), "%s\n", n->port_name);
	err = netdev_switch_file(dir, n, "phys_port_name", text);
	snprintf(text, sizeof(text), "%016" PRIx64 "\n", __builtin_bswap64(n->switch_id));
	return err ? err : netdev_switch_file(dir, n, "phys_switch_id", text);
}

static int netdev_port(int dir, const struct sysfs_netdev *n)
{
	char path[32];
	int err;

	snprintf(path, sizeof(path), SYSFS_NETDEVS "/%u", n->port);
	err = sysfs_make_parents(dir, path);
	return err ? err : sysfs_replace(dir, path, n->interface);
}

int sysfs_netdev(const char *root, const struct sysfs_netdev *n)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return -errno;
	err = netdev_own_files(dir, n);
	err = err ? err : netdev_device(dir, n->interface);
	err = err ? err : netdev_switch(dir, n);
	err = err ? err : netdev_port(dir, n);
	close(dir);
	return err;
}

static int gid_replace(int dir, unsigned int index, const char *folder, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), PORT "/%s/%u", folder, index);
	return sysfs_replace(dir, path, text);
}

/* Returns whether a GID is empty: its type is. */
static bool gid_is_empty(int dir, unsigned int index)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", index);
	return fstatat(dir, path, &st, 0) || !st.st_size;
}

int sysfs_gid(const char *root, unsigned int index, const struct sysfs_gid *g,
	      const char *interface)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;
	const bool empty = g->type == 0xff;
	char text[64];

	if (dir < 0)
		return -errno;
	if (!empty || !gid_is_empty(dir, index)) {
		sysfs_print_gid(g->gid, text);
		err = gid_replace(dir, index, "gids", text);
		if (!err)
			err = gid_replace(dir, index, "gid_attrs/types",
					  empty ? "" : sysfs_gid_type(g->type));
		snprintf(text, sizeof(text), "%s\n", interface);
		if (!err)
			err = gid_replace(dir, index, "gid_attrs/ndevs", empty ? "" : text);
	}
	close(dir);
	return err;
}
