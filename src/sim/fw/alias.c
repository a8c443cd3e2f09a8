/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross-VHCA access: ALLOW_OTHER_VHCA_ACCESS on the owner's side, and the alias, a general object,
 * on the other side. No public text says which status firmware returns for bad input: all statuses
 * here are [I].
 */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/mkey.h"

#define ALIAS_BAD_STATUS 1 /* alias_context.status: anything but 0 is bad */

int fw_allow_other_vhca_access(struct fw_cmd *c)
{
	uint32_t type = prm_allow_other_vhca_access_in_get_object_type_to_be_accessed(c->in);
	uint32_t id = prm_allow_other_vhca_access_in_get_object_id_to_be_accessed(c->in);
	const struct mkey *m;

	if (!c->vhca->dev->profile->allow_mkey)
		return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
				    "cap_2.allowed_object_for_other_vhca_access is 0");
	if (type != PRM_OBJ_TYPE_MKEY)
		return fw_refuse(c, FW_SYN_OBJECT_TYPE,
				 "object_type_to_be_accessed 0x%x: only 0x%x (MKEY) may be shared",
				 type, PRM_OBJ_TYPE_MKEY);
	m = fw_find(c, OBJ_MKEY, id, "object_id_to_be_accessed");
	if (!m)
		return -1;
	if (m->alias)
		return fw_refuse(c, FW_SYN_NO_OBJECT,
				 "object_id_to_be_accessed 0x%x is itself an alias", id);
	if (grant_set(c->vhca, id, m->o.generation,
		      prm_allow_other_vhca_access_in_cat_access_key_raw(c->in)))
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for the key");
	return 0;
}

static int fw_alias_check_header(struct fw_cmd *c)
{
	if (!c->vhca->dev->profile->cross_vhca)
		return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
				    "cap_2.cross_vhca_object_to_object_supported is 0");
	return 0;
}

static int fw_alias_check_create(struct fw_cmd *c)
{
	if (fw_alias_check_header(c))
		return -1;
	if (c->in_len < PRM_CREATE_ALIAS_OBJ_IN_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT, "the mailbox has %zu bytes, an alias needs %u",
				 c->in_len, PRM_CREATE_ALIAS_OBJ_IN_BYTES);
	if (!prm_general_obj_in_cmd_hdr_get_alias_object(c->in))
		return fw_refuse(c, FW_SYN_RESERVED,
				 "alias_object is 0: an object of type MKEY can only be an alias");
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range %u: ranges of aliases are not implemented",
				 prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in));
	return fw_nothing_after(c, PRM_CREATE_ALIAS_OBJ_IN_BYTES);
}

/*
 * Refuses an unknown object, one that is not allowed and a wrong key alike, so that a client cannot
 * search for valid ones. With a profile that sets alias_bad_status, CREATE succeeds and
 * alias_context.status is bad instead.
 */
static int check_grant(struct fw_cmd *c, struct vhca *target, const void *ctx, uint64_t *generation)
{
	uint32_t index = prm_alias_context_get_object_id_to_be_accessed(ctx);

	if (grant_check(target, index, prm_alias_context_cat_access_key_raw(ctx), generation))
		return 0;
	if (c->vhca->dev->profile->alias_bad_status) {
		*generation = 0;
		return 0;
	}
	return fw_refuse(
		c, FW_SYN_ALIAS,
		"object_id_to_be_accessed 0x%x of vhca %u may not be aliased with this access_key",
		index, target->id);
}

int fw_create_alias(struct fw_cmd *c)
{
	const void *ctx = prm_create_alias_obj_in_cat_alias_ctx(c->in);
	struct vhca *target;
	uint64_t generation;
	struct obj *pd;
	struct mkey *m;

	if (fw_alias_check_create(c))
		return -1;
	target = device_vhca_by_id(c->vhca->dev,
				   (uint16_t)prm_alias_context_get_vhca_id_to_be_accessed(ctx));
	if (!target || target == c->vhca)
		return fw_refuse(c, FW_SYN_VHCA, "vhca_id_to_be_accessed %u is %s",
				 prm_alias_context_get_vhca_id_to_be_accessed(ctx),
				 target ? "the caller's own" : "unknown");
	/* The first dword of metadata is the PD of the queues that will use the alias. */
	pd = fw_find(c, OBJ_PD, prm_load32(prm_alias_context_cat_metadata(ctx), 0), "metadata.pd");
	if (!pd || check_grant(c, target, ctx, &generation))
		return -1;
	m = fw_new(c, OBJ_MKEY, sizeof(*m));
	if (!m)
		return -1;
	m->alias = true;
	m->qpn = MKEY_ANY_QP;
	m->pdn = pd->id;
	m->pd = pd;
	obj_get(pd);
	m->target_vhca = target->id;
	m->target_index = prm_alias_context_get_object_id_to_be_accessed(ctx);
	m->target_generation = generation;
	return fw_made(c, &m->o, 0);
}

static struct mkey *find_alias(struct fw_cmd *c)
{
	struct mkey *m;

	if (fw_alias_check_header(c))
		return NULL;
	m = fw_find(c, OBJ_MKEY, prm_general_obj_in_cmd_hdr_get_obj_id(c->in), "obj_id");
	if (m && !m->alias) {
		fw_refuse(c, FW_SYN_NO_OBJECT, "obj_id 0x%x is an mkey, not an alias", m->o.id);
		return NULL;
	}
	return m;
}

/*
 * Returns all but the access key, behind the same header as in CREATE. [I] status stays 0 when the source is destroyed; accesses fail
 * then.
 */
int fw_query_alias(struct fw_cmd *c)
{
	const struct mkey *m = find_alias(c);
	void *ctx;

	if (!m || fw_reply_fits(c, PRM_CREATE_ALIAS_OBJ_IN_BYTES))
		return -1;
	ctx = prm_create_alias_obj_in_at_alias_ctx(c->out);
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, m->o.id);
	prm_alias_context_set_vhca_id_to_be_accessed(ctx, m->target_vhca);
	prm_alias_context_set_object_id_to_be_accessed(ctx, m->target_index);
	prm_alias_context_set_status(ctx, m->target_generation ? 0 : ALIAS_BAD_STATUS);
	prm_store32(prm_alias_context_at_metadata(ctx), 0, m->pdn);
	return 0;
}

int fw_destroy_alias(struct fw_cmd *c)
{
	struct mkey *m = find_alias(c);

	return m ? fw_destroy(c, &m->o) : -1;
}
