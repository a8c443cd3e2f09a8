/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross-VHCA access: ALLOW_OTHER_VHCA_ACCESS on the owner's side, and the alias, a general object,
 * on the other side. No public text says which status firmware returns for bad input: all statuses
 * here are [I].
 */
#include <string.h>
#include "cmd.h"
#include "obj/alias.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/mkey.h"
#include "obj/rtc.h"

#define ALIAS_BAD_STATUS 1 /* alias_context.status: anything but 0 is bad */
#define ALIAS_TABLE_TYPE \
	24u /* a flow table is named by its type, above the 24 bits of its number */

/* Kinds of objects that can be aliased, as both commands name them. */
static const struct alias_kind {
	uint16_t obj_type;
	enum obj_type type;
} alias_kinds[] = {
	{PRM_OBJ_TYPE_MKEY, OBJ_MKEY},
	{PRM_OBJ_TYPE_RTC, OBJ_RTC},
	{PRM_OBJ_TYPE_FT_ALIAS, OBJ_FLOW_TABLE},
	{PRM_OBJ_TYPE_TIR_ALIAS, OBJ_TIR},
};

static const struct alias_kind *alias_kind(uint32_t obj_type)
{
	for (size_t i = 0; i < sizeof(alias_kinds) / sizeof(alias_kinds[0]); i++)
		if (alias_kinds[i].obj_type == obj_type)
			return &alias_kinds[i];
	return NULL;
}

bool fw_alias_exists(uint32_t obj_type)
{
	return alias_kind(obj_type);
}

void *fw_alias_follow(struct fw_cmd *c, void *obj, const char *field)
{
	const struct obj *alias = obj;
	void *o = alias_follow(obj);

	if (!o)
		fw_refuse(c, FW_SYN_NO_OBJECT, "%s 0x%x is the alias of a %s that is gone", field,
			  alias->id, obj_type_name((enum obj_type)alias->type));
	return o;
}

/* Returns the number of an object that a command names, without the type of a flow table. */
static uint32_t alias_index(const struct alias_kind *k, uint32_t named)
{
	return k->type == OBJ_FLOW_TABLE ? named & ((1u << ALIAS_TABLE_TYPE) - 1) : named;
}

/* --- the owner's side ------------------------------------------------------------------------ */

static bool alias_kind_allowed(const struct profile *p, const struct alias_kind *k)
{
	return k->type == OBJ_MKEY ? p->allow_mkey : profile_shares_rules(p);
}

/* [I] Tables of functions only, as DPDK has them: the FDB is the chip's. */
static int alias_check_table_type(struct fw_cmd *c, const struct obj *o, uint32_t named)
{
	const struct flow_table *ft = (const struct flow_table *)o;
	const struct rtc *rtc = (const struct rtc *)o;
	uint32_t type = o->type == OBJ_FLOW_TABLE ? ft->type : rtc->table_type;

	if (o->type != OBJ_FLOW_TABLE && o->type != OBJ_RTC)
		return 0;
	if (o->type == OBJ_FLOW_TABLE && named >> ALIAS_TABLE_TYPE != type)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "object_id_to_be_accessed 0x%x has table type %u in its highest "
				 "byte, the table is of type %u",
				 named, named >> ALIAS_TABLE_TYPE, type);
	if (type > PRM_FLOW_TABLE_TYPE_NIC_TX)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "object_id_to_be_accessed 0x%x is a table of type %u: only those "
				 "of NIC RX (0) and NIC TX (1) may be shared",
				 named, type);
	return 0;
}

int fw_allow_other_vhca_access(struct fw_cmd *c)
{
	const struct profile *p = c->vhca->dev->profile;
	uint32_t type = prm_allow_other_vhca_access_in_get_object_type_to_be_accessed(c->in);
	uint32_t id = prm_allow_other_vhca_access_in_get_object_id_to_be_accessed(c->in);
	const struct alias_kind *k = alias_kind(type);
	const struct obj *o;

	if (!p->allow_mkey && !profile_shares_rules(p))
		return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
				    "cap_2.allowed_object_for_other_vhca_access is 0");
	if (!k || !alias_kind_allowed(p, k))
		return fw_refuse(c, FW_SYN_OBJECT_TYPE,
				 "object_type_to_be_accessed 0x%x: its bit in "
				 "allowed_object_for_other_vhca_access is 0",
				 type);
	o = fw_find(c, k->type, alias_index(k, id), "object_id_to_be_accessed");
	if (!o || alias_check_table_type(c, o, id))
		return -1;
	if (grant_set(o, prm_allow_other_vhca_access_in_cat_access_key_raw(c->in)))
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for the key");
	return 0;
}

/* --- the alias ------------------------------------------------------------------------------- */

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
				 "alias_object is 0: an object of type 0x%x can only be an alias",
				 prm_general_obj_in_cmd_hdr_get_obj_type(c->in));
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range %u: ranges of aliases are not implemented",
				 prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in));
	return fw_nothing_after(c, PRM_CREATE_ALIAS_OBJ_IN_BYTES);
}

/* The object that an alias is to stand for. */
struct alias_want {
	const struct alias_kind *kind;
	const struct vhca *target;
	uint32_t index;
	uint64_t generation;
};

/*
 * Refuses an unknown object, one that is not allowed and a wrong key alike, so that a client cannot
 * search for valid ones. With a profile that sets alias_bad_status, CREATE succeeds and
 * alias_context.status is bad instead.
 */
static int alias_check_grant(struct fw_cmd *c, const void *ctx, struct alias_want *w)
{
	const uint32_t named = prm_alias_context_get_object_id_to_be_accessed(ctx);
	const struct obj *o;

	w->index = alias_index(w->kind, named);
	o = grant_check(w->target, w->kind->type, w->index,
			prm_alias_context_cat_access_key_raw(ctx));
	w->generation = o ? o->generation : 0;
	if (o || c->vhca->dev->profile->alias_bad_status)
		return 0;
	return fw_refuse(
		c, FW_SYN_ALIAS,
		"object_id_to_be_accessed 0x%x of vhca %u may not be aliased with this access_key",
		named, w->target->id);
}

/* The first dword of metadata is the PD of the queues that will use the alias. */
static int alias_make_mkey(struct fw_cmd *c, const void *ctx, struct alias_want *w)
{
	struct obj *pd = fw_find(c, OBJ_PD, prm_load32(prm_alias_context_cat_metadata(ctx), 0),
				 "metadata.pd");
	struct mkey *m;

	if (!pd || alias_check_grant(c, ctx, w))
		return -1;
	m = fw_new(c, OBJ_MKEY, sizeof(*m));
	if (!m)
		return -1;
	m->o.alias = true;
	m->qpn = MKEY_ANY_QP;
	m->pdn = pd->id;
	m->pd = pd;
	obj_get(pd);
	m->target_vhca = w->target->id;
	m->target_index = w->index;
	m->target_generation = w->generation;
	return fw_made(c, &m->o, 0);
}

static int alias_make(struct fw_cmd *c, const void *ctx, struct alias_want *w)
{
	struct alias *a =
		alias_check_grant(c, ctx, w) ? NULL : fw_new(c, w->kind->type, sizeof(*a));

	if (!a)
		return -1;
	a->o.alias = true;
	a->target = w->target;
	a->index = w->index;
	a->generation = w->generation;
	return fw_made(c, &a->o, 0);
}

int fw_create_alias(struct fw_cmd *c)
{
	const void *ctx = prm_create_alias_obj_in_cat_alias_ctx(c->in);
	struct alias_want w = {
		.kind = alias_kind(prm_general_obj_in_cmd_hdr_get_obj_type(c->in)),
	};
	uint16_t id;

	if (fw_alias_check_create(c))
		return -1;
	id = (uint16_t)prm_alias_context_get_vhca_id_to_be_accessed(ctx);
	w.target = device_vhca_by_id(c->vhca->dev, id);
	if (!w.target || w.target == c->vhca)
		return fw_refuse(c, FW_SYN_VHCA, "vhca_id_to_be_accessed %u is %s", id,
				 w.target ? "the caller's own" : "unknown");
	return w.kind->type == OBJ_MKEY ? alias_make_mkey(c, ctx, &w) : alias_make(c, ctx, &w);
}

static void *find_alias(struct fw_cmd *c)
{
	const struct alias_kind *k = alias_kind(prm_general_obj_in_cmd_hdr_get_obj_type(c->in));
	struct obj *o;

	if (fw_alias_check_header(c))
		return NULL;
	o = fw_find_or_alias(c, k->type, prm_general_obj_in_cmd_hdr_get_obj_id(c->in), "obj_id");
	if (!o || o->alias)
		return o;
	fw_refuse(c, FW_SYN_NO_OBJECT, "obj_id 0x%x is a %s, not an alias", o->id,
		  obj_type_name(k->type));
	return NULL;
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
	struct obj *o = find_alias(c);

	return o ? fw_destroy(c, o) : -1;
}
