/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metadata of vports in switchdev mode, as mlx5_core makes it: the ingress access control list
 * of each vport writes a number of the vport into register c_0, which rules match as the source, and
 * which reaches the manager with the packet.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/vport.h>
#include "fs_priv.h"
#include "obj/device.h"
#include "obj/rep.h"

#define HALF 16u /* bits of register c_0 that are the metadata's: the upper half */

struct fs_acl {
	struct fs_chain chain;
	struct fs_rule *rule; /* NULL: none */
	uint32_t modify;      /* modify_header_id; 0: none */
};

static int metadata_alloc(struct fs_acl *a, uint32_t metadata)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + PRM_SET_ACTION_IN_BYTES] = {0};
	void *set = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;

	mbox_begin(in, PRM_OPCODE_ALLOC_MODIFY_HEADER_CONTEXT, 0);
	prm_alloc_modify_header_context_in_set_table_type(in, a->chain.type);
	prm_alloc_modify_header_context_in_set_num_of_actions(in, 1);
	prm_set_action_in_set_action_type(set, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(set, PRM_MODIFY_FIELD_METADATA_REG_C_0);
	prm_set_action_in_set_offset(set, HALF);
	prm_set_action_in_set_length(set, HALF);
	prm_set_action_in_set_data(set, metadata >> HALF);
	return mbox_create(a->chain.vhca, in, sizeof(in), &a->modify);
}

/* Makes the list of a port's vport: one entry, which takes all packets. */
static int metadata_make(struct fs_acl *a, struct vhca *manager, unsigned int port)
{
	const struct fs_match all = {0};
	struct fs_act act = {.action = PRM_FLOW_ACTION_MOD_HDR | PRM_FLOW_ACTION_ALLOW};
	int err;

	a->chain = (struct fs_chain){.vhca = manager,
				     .dir = FS_INGRESS,
				     .type = fs_table_type(FS_INGRESS),
				     .other_vport = true,
				     .vport = vhca_port_vport(manager, port)};
	err = metadata_alloc(a, vhca_port_metadata(manager, port));
	act.modify_id = a->modify;
	return err ?: fs_chain_add(&a->chain, FS_PRIO_LEFTOVERS, &all, &act, &a->rule);
}

/* Lets register c_0 reach the manager. */
static int manager_takes_c0(struct vhca *manager)
{
	uint8_t in[PRM_MODIFY_ESW_VPORT_CONTEXT_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_MODIFY_ESW_VPORT_CONTEXT, 0);
	prm_esw_vport_context_fields_select_set_fdb_to_vport_reg_c_id(
		prm_modify_esw_vport_context_in_at_field_select(in), 1);
	prm_esw_vport_context_set_fdb_to_vport_reg_c_id(
		prm_modify_esw_vport_context_in_at_esw_vport_context(in), 1);
	return mbox_run(manager, in, sizeof(in));
}

int fs_metadata_start(struct kernel *k)
{
	struct vhca *manager = k->dev->manager;
	struct fs_chain *c = fs_chain_of(k, manager, FS_FDB);
	int err;

	if (!vhca_has_reps(manager))
		return 0;
	c->acls = calloc(vhca_ports(manager), sizeof(*c->acls));
	err = c->acls ? manager_takes_c0(manager) : -ENOMEM;
	for (unsigned int port = 1; !err && port <= vhca_ports(manager); port++)
		err = metadata_make(&c->acls[port - 1], manager, port);
	return err;
}

static void metadata_free(const struct fs_acl *a)
{
	if (a->rule)
		fs_del(a->rule);
	if (a->modify)
		mbox_destroy(a->chain.vhca, PRM_OPCODE_DEALLOC_MODIFY_HEADER_CONTEXT, 0, a->modify);
}

void fs_metadata_stop(struct kernel *k)
{
	struct fs_chain *c = fs_chain_of(k, k->dev->manager, FS_FDB);

	for (unsigned int i = 0; c->acls && i < vhca_ports(k->dev->manager); i++)
		metadata_free(&c->acls[i]);
	free(c->acls);
	c->acls = NULL;
}
