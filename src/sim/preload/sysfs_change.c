/* SPDX-License-Identifier: BSD-2-Clause */
/* What changes in a tree: the link, the network interface, entries of the table of GIDs. */
#include "sysfs_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A reader of the file finds the old text or the new one. */
static int sysfs_replace(int root, const char *path, const char *text)
{
	char fresh[PATH_MAX];
	int err;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	err = sysfs_make_file(root, fresh, text);
	if (!err && renameat(root, fresh, root, path))
		err = -errno;
	return err;
}

int sysfs_link(const char *root, bool up)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return -errno;
	err = sysfs_replace(dir, PORT "/state", up ? STATE_ACTIVE : STATE_DOWN);
	if (!err)
		err = sysfs_replace(dir, PORT "/phys_state", up ? PHYS_LINK_UP : PHYS_DISABLED);
	close(dir);
	return err;
}

/*
 * A folder of its own and no link to /sys/class/net: that shows the interfaces of the network
 * namespace in which it was mounted.
 */
static int netdev_file(int dir, const char *interface, const char *name, const char *text)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), PCI "/net/%s/%s", interface, name);
	err = sysfs_make_parents(dir, path);
	return err ? err : sysfs_replace(dir, path, text);
}

/* What the machine's folder of the interface lacks: paths.c leads from there to here. */
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

int sysfs_netdev(const char *root, const struct sysfs_netdev *n)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;
	const uint8_t *a = n->mac;
	char text[32];

	if (dir < 0)
		return -errno;
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x\n", a[0], a[1], a[2], a[3],
		 a[4], a[5]);
	err = netdev_file(dir, n->interface, "address", text);
	snprintf(text, sizeof(text), "%u\n", n->mtu);
	err = err ? err : netdev_file(dir, n->interface, "mtu", text);
	err = err ? err : netdev_file(dir, n->interface, "operstate", n->up ? "up\n" : "down\n");
	err = err ? err : netdev_file(dir, n->interface, "dev_id", "0x0\n");
	err = err ? err : netdev_file(dir, n->interface, "dev_port", "0\n");
	err = err ? err : netdev_file(dir, n->interface, "type", "1\n");
	err = err ? err : netdev_device(dir, n->interface);
	close(dir);
	return err;
}

static int gid_replace(int dir, unsigned int index, const struct sysfs_gid *g,
		       const char *interface)
{
	char path[128], text[64];
	int err;

	sysfs_print_gid(g->gid, text);
	snprintf(path, sizeof(path), PORT "/gids/%u", index);
	err = sysfs_replace(dir, path, text);
	if (err || g->type == 0xff)
		return err;
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", index);
	err = sysfs_replace(dir, path, sysfs_gid_type(g->type));
	if (err)
		return err;
	snprintf(path, sizeof(path), PORT "/gid_attrs/ndevs/%u", index);
	snprintf(text, sizeof(text), "%s\n", interface);
	return sysfs_replace(dir, path, text);
}

int sysfs_gid(const char *root, unsigned int index, const struct sysfs_gid *g,
	      const char *interface)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;
	char path[128];
	bool was;

	if (dir < 0)
		return -errno;
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", index);
	was = !faccessat(dir, path, F_OK, 0);
	if (was && g->type == 0xff) {
		unlinkat(dir, path, 0);
		snprintf(path, sizeof(path), PORT "/gid_attrs/ndevs/%u", index);
		unlinkat(dir, path, 0);
	}
	if (was || g->type != 0xff)
		err = gid_replace(dir, index, g, interface);
	close(dir);
	return err;
}
