/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <string.h>
#include <unistd.h>
#include "obj/profile.h"
#include "obj/device.h"
#include "obj/rep.h"
#include "sysfs/sysfs.h"

_Static_assert(SYSFS_GIDS == VHCA_GIDS, "the tree shows all GIDs");

/* Returns a GID as the tree shows it: a representor has none. */
static struct sysfs_gid tree_gid(const struct vhca *v, unsigned int i)
{
	struct sysfs_gid g = {.type = GID_EMPTY};

	if (vhca_has_reps(v))
		return g;
	memcpy(g.gid, v->gids[i].gid, sizeof(g.gid));
	g.type = v->gids[i].type;
	return g;
}

/*
 * Writes the ports that devlink shows, with the numbers of Linux (mlx5_esw_vport_to_devlink_port_index()):
 * the representors', else a PF's own, which stands for the wire, or a VF's or SF's.
 */
static int tree_devlink(const char *root, const struct vhca *v)
{
	const bool pf = v->kind == FUNCTION_PF || v->kind == FUNCTION_ECPF;
	int err = 0;

	for (unsigned int port = 1; !err && port <= vhca_ports(v); port++) {
		const bool reps = vhca_has_reps(v);
		const uint32_t vport = reps ? vhca_port_vport(v, port) : pf ? VPORT_UPLINK : 0;
		char name[PORT_NAME];

		if (reps && (!vhca_port_has_rep(v, port) || !vhca_port_has_netdev(v, port)))
			continue;
		if (reps)
			vhca_port_name(v, port, name);
		else
			strcpy(name, pf ? "p0" : "");
		err = sysfs_devlink_port(root, port, (uint32_t)v->id << 16 | vport, name);
	}
	return err;
}

int sysfs_tree_make(const char *root, const struct vhca *v)
{
	struct sysfs_function fn;
	int err;

	if (!v)
		return sysfs_make(root, NULL);
	fn = (struct sysfs_function){
		.name = v->name,
		.fw_ver = v->dev->profile->fw_ver,
		.board_id = v->dev->profile->board_id,
		.pci_device = vhca_pci_device(v),
		.ports = vhca_ports(v),
		.guid = v->guid,
		.sys_image_guid = v->dev->vhca[0].guid,
		.eswitch = v == v->dev->manager,
		.switchdev = v->dev->profile->switchdev,
		.inline_l2 = v->dev->profile->wqe_inline_l2,
	};
	for (unsigned int i = 0; i < VHCA_GIDS; i++)
		fn.gids[i] = tree_gid(v, i);
	err = sysfs_make(root, &fn);
	err = err ? err : tree_devlink(root, v);
	return err ? err : sysfs_tree_link(root, v);
}

int sysfs_tree_link(const char *root, const struct vhca *v)
{
	int err = 0;

	for (unsigned int port = 1; !err && port <= vhca_ports(v); port++)
		err = sysfs_link(root, port, vhca_port_is_up(v, port));
	return err;
}

static int tree_netdev(const char *root, const struct vhca *v, unsigned int port,
		       const char *interface)
{
	const struct netif *i = vhca_port_netdev(v, port);
	char name[PORT_NAME];
	struct sysfs_netdev n = {interface, i->mac, i->mtu, i->up, port, NULL, 0};

	if (vhca_has_reps(v)) {
		vhca_port_name(v, port, name);
		n.port_name = name;
		n.switch_id = v->dev->vhca[0].guid;
	}
	return sysfs_netdev(root, &n);
}

int sysfs_tree_update(const char *root, const struct vhca *v, unsigned int port,
		      const char *interface)
{
	int err = tree_netdev(root, v, port, interface);

	if (!err)
		err = sysfs_tree_link(root, v);
	if (vhca_has_reps(v))
		return err;
	for (unsigned int i = 0; !err && i < VHCA_GIDS; i++) {
		const struct sysfs_gid g = tree_gid(v, i);

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
