/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slow path of the FDB in switchdev mode, as mlx5_core makes it: what no program's rule takes
 * goes to the e-switch's manager, and what the manager sends, to the wire. [I] mlx5_core has a rule
 * for each raw send queue instead of one for the vport.
 */
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "fs_priv.h"
#include "obj/device.h"

#define PART_MISC (1u << 1) /* of match_criteria_enable */

bool fs_has_fdb(const struct vhca *v)
{
	return v->dev->profile->switchdev && v == v->dev->manager;
}

int fs_slow_start(struct kernel *k)
{
	struct vhca *manager = k->dev->manager;
	struct fs_chain *c = fs_chain_of(k, manager, FS_FDB);
	struct fs_match match = {.enable = PART_MISC};
	const struct fs_act act = {.to_uplink = true};

	if (!fs_has_fdb(manager))
		return 0;
	prm_fte_match_set_misc_set_source_port(prm_fte_match_param_at_misc_parameters(match.mask),
					       0xffff);
	prm_fte_match_set_misc_set_source_port(prm_fte_match_param_at_misc_parameters(match.value),
					       manager->vport);
	return fs_add(k, manager, FS_FDB, FS_PRIO_LEFTOVERS, &match, &act, &c->slow);
}

void fs_slow_stop(struct kernel *k)
{
	struct fs_chain *c = fs_chain_of(k, k->dev->manager, FS_FDB);

	if (c->slow)
		fs_del(c->slow);
	c->slow = NULL;
}
