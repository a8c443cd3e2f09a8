/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <string.h>
#include <unistd.h>
#include "obj/profile.h"
#include "obj/device.h"
#include "sysfs/sysfs.h"

_Static_assert(SYSFS_GIDS == VHCA_GIDS, "the tree shows all GIDs");

int sysfs_tree_make(const char *root, const struct vhca *v)
{
	struct sysfs_function fn;

	if (!v)
		return sysfs_make(root, NULL);
	fn = (struct sysfs_function){
		.name = v->name,
		.fw_ver = v->dev->profile->fw_ver,
		.board_id = v->dev->profile->board_id,
		.pci_device = vhca_pci_device(v),
		.guid = v->guid,
		.sys_image_guid = v->dev->vhca[0].guid,
	};
	for (unsigned int i = 0; i < VHCA_GIDS; i++) {
		memcpy(fn.gids[i].gid, v->gids[i].gid, sizeof(fn.gids[i].gid));
		fn.gids[i].type = v->gids[i].type;
	}
	return sysfs_make(root, &fn);
}

int sysfs_tree_update(const char *root, const struct vhca *v, const char *interface)
{
	const struct sysfs_netdev n = {interface, v->mac, v->netdev.mtu, v->netdev.up};
	int err = sysfs_netdev(root, &n);

	if (!err)
		err = sysfs_link(root, vhca_port_up(v));
	for (unsigned int i = 0; !err && i < VHCA_GIDS; i++) {
		struct sysfs_gid g = {.type = v->gids[i].type};

		memcpy(g.gid, v->gids[i].gid, sizeof(g.gid));
		err = sysfs_gid(root, i, &g, *v->gids[i].ndev ? v->gids[i].ndev : interface);
	}
	return err;
}

int sysfs_tree_count(const char *root, struct vhca *v)
{
	int fd = sysfs_stats(root), err;

	if (fd < 0)
		return fd;
	err = vhca_share_stats(v, fd);
	close(fd);
	return err;
}
