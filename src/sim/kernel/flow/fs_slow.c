/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slow path of the FDB in switchdev mode, as mlx5_core makes it: what a send queue on a
 * representor's port sends goes to the vport, and what no rule takes to the e-switch's manager.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "fs_priv.h"
#include "obj/device.h"
#include "obj/rep.h"

#define PART_MISC (1u << 1) /* of match_criteria_enable */

int fs_slow_add(struct kernel *k, uint32_t sqn, uint16_t vport, struct fs_rule **rule)
{
	struct vhca *manager = k->dev->manager;
	struct fs_match match = {.enable = PART_MISC};
	void *mask = prm_fte_match_param_at_misc_parameters(match.mask);
	void *value = prm_fte_match_param_at_misc_parameters(match.value);
	const struct fs_act act = {.to_vport = true, .vport = vport};

	prm_fte_match_set_misc_set_source_sqn(mask, 0xffffff);
	prm_fte_match_set_misc_set_source_sqn(value, sqn);
	prm_fte_match_set_misc_set_source_port(mask, 0xffff);
	prm_fte_match_set_misc_set_source_port(value, manager->vport);
	return fs_add(k, manager, FS_FDB, FS_PRIO_LEFTOVERS, &match, &act, rule);
}

/* Leads what the representors' interfaces send to their vports, and the uplink's to the wire. */
int fs_slow_start(struct kernel *k)
{
	const struct vhca *manager = k->dev->manager;
	struct fs_chain *c = fs_chain_of(k, k->dev->manager, FS_FDB);
	int err = 0;

	if (!vhca_has_reps(manager))
		return 0;
	c->slow = calloc(vhca_ports(manager), sizeof(struct fs_rule *));
	if (!c->slow)
		return -ENOMEM;
	for (unsigned int port = 1; !err && port <= vhca_ports(manager); port++)
		if (vhca_port_has_netdev(manager, port))
			err = fs_slow_add(k, vhca_port_sqn(manager, port),
					  vhca_port_vport(manager, port), &c->slow[port - 1]);
	return err;
}

void fs_slow_stop(struct kernel *k)
{
	struct fs_chain *c = fs_chain_of(k, k->dev->manager, FS_FDB);

	for (unsigned int i = 0; c->slow && i < vhca_ports(k->dev->manager); i++)
		if (c->slow[i])
			fs_del(c->slow[i]);
	free(c->slow);
	c->slow = NULL;
}
