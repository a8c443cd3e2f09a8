/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables, and the root tables of a function. Levels only rise along a packet's way, so
 * firmware's tables form no circle. Firmware cannot read software's tables (sw_owner); the bounds
 * of the walk end circles there.
 */
#include "cmd.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/icm.h"
#include "obj/rtc.h"

#define ROOT_DISCONNECT 1	  /* SET_FLOW_TABLE_ROOT.op_mod */
#define MODIFY_MISS	(1u << 0) /* MODIFY_FLOW_TABLE.modify_field_select */
#define MODIFY_RTCS	(1u << 1)

static bool fw_flow_table_is_acl(uint32_t type)
{
	return type == PRM_FLOW_TABLE_TYPE_ESW_EGRESS_ACL ||
	       type == PRM_FLOW_TABLE_TYPE_ESW_INGRESS_ACL;
}

/* [I] Access control lists are the kernel's: a program could open them for its own packets. */
int fw_flow_table_check_type(struct fw_cmd *c, uint32_t type)
{
	const bool manager = c->vhca == c->vhca->dev->manager;

	if (type == PRM_FLOW_TABLE_TYPE_NIC_RX || type == PRM_FLOW_TABLE_TYPE_NIC_TX ||
	    (type == PRM_FLOW_TABLE_TYPE_FDB && manager))
		return 0;
	if (!fw_flow_table_is_acl(type) || !manager)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "table_type %u: only NIC_RX (0)%s have ft_support", type,
				 manager ? ", NIC_TX (1), ACLs (2, 3) and FDB (4)"
					 : " and NIC_TX (1)");
	if (!c->uid)
		return 0;
	return fw_refuse(c, FW_SYN_PRIVILEGED,
			 "table_type %u: only the kernel (uid 0) has access control lists", type);
}

/*
 * Reads the vport. Commands on tables, groups and entries begin alike: vport, then the table's type
 * and number. Only access control lists are of another vport than the function's.
 */
static int fw_flow_table_read_vport(struct fw_cmd *c, uint32_t type, uint16_t *vport)
{
	uint32_t other = prm_modify_flow_table_in_get_other_vport(c->in);
	uint32_t number = prm_modify_flow_table_in_get_vport_number(c->in);
	const struct vhca *v;

	*vport = 0;
	if (!fw_flow_table_is_acl(type))
		return fw_vport_own(c, other, number);
	if (other && number == VPORT_UPLINK) {
		*vport = VPORT_UPLINK;
		return 0;
	}
	v = fw_vport_find(c, other, number);
	if (v)
		*vport = v->vport;
	return v ? 0 : -1;
}

/* Returns t if it has this type; otherwise refuses and returns NULL. */
static struct flow_table *fw_flow_table_of_type(struct fw_cmd *c, struct flow_table *t,
						uint32_t type, const char *field)
{
	if (t && t->type != type) {
		fw_refuse(c, FW_SYN_TABLE_TYPE, "%s 0x%x is a table of type %u, table_type says %u",
			  field, t->o.id, t->type, type);
		return NULL;
	}
	return t;
}

struct flow_table *fw_flow_table(struct fw_cmd *c, uint32_t type, uint32_t id, const char *field)
{
	if (fw_flow_table_check_type(c, type))
		return NULL;
	return fw_flow_table_of_type(c, fw_find(c, OBJ_FLOW_TABLE, id, field), type, field);
}

/* Queries name no vport. */
static bool fw_flow_table_is_query(uint16_t opcode)
{
	return opcode == PRM_OPCODE_QUERY_FLOW_TABLE || opcode == PRM_OPCODE_QUERY_FLOW_GROUP ||
	       opcode == PRM_OPCODE_QUERY_FLOW_TABLE_ENTRY;
}

struct flow_table *fw_flow_named_table(struct fw_cmd *c)
{
	uint32_t type = prm_modify_flow_table_in_get_table_type(c->in);
	uint32_t id = prm_modify_flow_table_in_get_table_id(c->in);
	struct flow_table *t;
	uint16_t vport;

	if (fw_flow_table_check_type(c, type) || fw_flow_table_read_vport(c, type, &vport))
		return NULL;
	t = fw_flow_table(c, type, id, "table_id");
	if (!t || t->vport == vport || fw_flow_table_is_query(c->opcode))
		return t;
	fw_refuse(c, FW_SYN_FUNCTION, "table_id 0x%x is of vport 0x%x, not of 0x%x", id, t->vport,
		  vport);
	return NULL;
}

struct flow_table *fw_flow_target(struct fw_cmd *c, const struct flow_table *from, uint32_t id,
				  const char *field)
{
	struct flow_table *t = obj_find(c->vhca, OBJ_FLOW_TABLE, id);

	if (!t || t->o.uid != FW_UID_SHARED || t->o.alias)
		t = fw_flow_table(c, from->type, id, field);
	else
		t = fw_flow_table_of_type(c, t, from->type, field);
	if (!t || t->vport == from->vport)
		return t;
	fw_refuse(c, FW_SYN_FUNCTION, "%s 0x%x is of vport 0x%x, its packets are of 0x%x", field,
		  id, t->vport, from->vport);
	return NULL;
}

/*
 * [I] Accepts equal levels for two tables of software, and of rules: libmlx5 creates its own tables
 * and its arrays of destinations at the highest level, DPDK all tables of rules.
 */
int fw_flow_level(struct fw_cmd *c, const struct flow_table *from, const struct flow_table *to,
		  const char *field)
{
	if (to->level > from->level ||
	    ((to->sw_owner || to->rtc_valid) && to->level == from->level))
		return 0;
	return fw_refuse(c, FW_SYN_FLOW_LEVEL,
			 "%s 0x%x has level %u, table 0x%x has %u: levels must rise", field,
			 to->o.id, to->level, from->o.id, from->level);
}

/* --- creation ------------------------------------------------------------------------------- */

static int fw_flow_table_check_features(struct fw_cmd *c, const void *ctx, uint32_t type)
{
	const bool arrive = type == PRM_FLOW_TABLE_TYPE_NIC_RX || type == PRM_FLOW_TABLE_TYPE_FDB;
	const bool rules = prm_flow_table_context_get_rtc_valid(ctx);
	const struct fw_absent features[] = {
		{fw_flow_table_is_acl(type) && prm_flow_table_context_get_reformat_en(ctx),
		 "reformat_en", "its capability is 0 for access control lists"},
		{!arrive && prm_flow_table_context_get_decap_en(ctx), "decap_en",
		 "its capability is set for NIC_RX (0) and FDB tables (4) only"},
		{!arrive && prm_flow_table_context_get_termination_table(ctx), "termination_table",
		 "its capability is set for NIC_RX (0) and FDB tables (4) only"},
		{rules && !c->vhca->dev->profile->rules_by_wqe, "rtc_valid",
		 "cap.wqe_based_flow_table_update_cap is 0"},
		{rules && prm_flow_table_context_get_sw_owner(ctx), "sw_owner",
		 "rtc_valid is set, too: a table has entries or rules"},
		/* [I] Drivers make the table first, and give it rules by MODIFY_FLOW_TABLE. */
		{rules && prm_flow_table_context_get_rtc_id_0(ctx), "rtc_id_0",
		 "MODIFY_FLOW_TABLE sets the rule tables"},
		{rules && prm_flow_table_context_get_rtc_id_1(ctx), "rtc_id_1",
		 "MODIFY_FLOW_TABLE sets the rule tables"},
	};

	return FW_CHECK_ABSENT(c, features);
}

/*
 * [I] The FDB has one more level, behind all tables of rules: DPDK's hardware steering makes its last
 * table there, which leads to the manager.
 */
static int fw_flow_table_check_sizes(struct fw_cmd *c, const void *ctx, uint32_t type)
{
	const uint32_t most =
		VHCA_MAX_FT_LEVEL - 1u +
		(type == PRM_FLOW_TABLE_TYPE_FDB && c->vhca->dev->profile->rules_by_wqe);
	uint32_t level = prm_flow_table_context_get_level(ctx);
	uint32_t log_size = prm_flow_table_context_get_log_size(ctx);

	if (level > most)
		return fw_refuse(c, FW_SYN_FLOW_LEVEL, "level %u: max_ft_level is %u", level,
				 VHCA_MAX_FT_LEVEL);
	if (log_size > VHCA_LOG_MAX_FT_SIZE)
		return fw_refuse(c, FW_SYN_SIZE, "log_size %u: log_max_ft_size is %u", log_size,
				 VHCA_LOG_MAX_FT_SIZE);
	return 0;
}

static int fw_flow_table_check_owner(struct fw_cmd *c, const void *ctx, uint32_t type)
{
	static const char *const names[STEER_DOMAINS] = {[STEER_NIC_RX] = "receive",
							 [STEER_NIC_TX] = "transmit",
							 [STEER_EGRESS_ACL] = "esw_acl_egress",
							 [STEER_INGRESS_ACL] = "esw_acl_ingress",
							 [STEER_FDB] = "esw_fdb"};
	const struct profile *p = c->vhca->dev->profile;
	bool rx = type == PRM_FLOW_TABLE_TYPE_NIC_TX || p->sw_owner_rx;
	bool tx = type == PRM_FLOW_TABLE_TYPE_NIC_RX || p->sw_owner_tx;

	if (!prm_flow_table_context_get_sw_owner(ctx) || (rx && tx && !fw_flow_table_is_acl(type)))
		return 0;
	return fw_refuse(c, FW_SYN_CAP_CLEAR,
			 "sw_owner is set, flow_table_properties_nic_%s.sw_owner_v2 is 0",
			 names[type]);
}

static int fw_flow_table_check_icm_root(struct fw_cmd *c, uint64_t root, unsigned int n)
{
	if (icm_kind(root) == ICM_STE && !(root % ICM_UNIT) && !(root >> (ICM_KIND_SHIFT + 4)))
		return 0;
	return fw_refuse(c, FW_SYN_ICM_ADDRESS,
			 "sw_owner_icm_root_%u 0x%llx is no address of a steering entry", n,
			 (unsigned long long)root);
}

/* Only a table of the FDB has two roots, one for each side. */
static int fw_flow_table_check_icm_roots(struct fw_cmd *c, const void *ctx, uint32_t type)
{
	if (!prm_flow_table_context_get_sw_owner(ctx))
		return 0;
	if (fw_flow_table_check_icm_root(c, prm_flow_table_context_get_sw_owner_icm_root_0(ctx), 0))
		return -1;
	return type == PRM_FLOW_TABLE_TYPE_FDB
		       ? fw_flow_table_check_icm_root(
				 c, prm_flow_table_context_get_sw_owner_icm_root_1(ctx), 1)
		       : 0;
}

/* [I] An alias leads to a table of another function; their levels are not compared. */
static int fw_flow_table_check_alias(struct fw_cmd *c, const struct flow_table *from,
				     struct flow_table *alias)
{
	struct flow_table *t = fw_alias_follow(c, alias, "table_miss_id");

	return fw_flow_table_of_type(c, t, from->type, "table_miss_id") ? 0 : -1;
}

/* Finds the miss table that the context names; sets *miss to NULL for the default. */
static int fw_flow_table_find_miss(struct fw_cmd *c, const void *ctx, const struct flow_table *from,
				   struct flow_table **miss)
{
	uint32_t action = prm_flow_table_context_get_table_miss_action(ctx);
	uint32_t id = prm_flow_table_context_get_table_miss_id(ctx);
	struct flow_table *t;

	*miss = NULL;
	if (action == PRM_FLOW_MISS_ACTION_DEF)
		return 0;
	if (action != PRM_FLOW_MISS_ACTION_FWD)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "table_miss_action %u: only DEF (0) and FWD (1) are implemented",
				 action);
	t = obj_find_uid(c->vhca, OBJ_FLOW_TABLE, id, c->uid);
	if (t && t->o.alias) {
		*miss = t;
		return fw_flow_table_check_alias(c, from, t);
	}
	*miss = fw_flow_target(c, from, id, "table_miss_id");
	return *miss ? fw_flow_level(c, from, *miss, "table_miss_id") : -1;
}

static void fw_flow_table_set_miss(struct flow_table *t, struct flow_table *miss)
{
	if (miss)
		obj_get(&miss->o);
	if (t->miss)
		obj_put(&t->miss->o);
	t->miss = miss;
}

static void fw_flow_table_put_address(struct fw_cmd *c, const struct flow_table *t)
{
	uint64_t addr = icm_addr(ICM_TABLE, t->o.id);

	prm_create_flow_table_out_set_table_id(c->out, t->o.id);
	prm_create_flow_table_out_set_icm_address_63_40(c->out, (uint32_t)(addr >> 40));
	prm_create_flow_table_out_set_icm_address_39_32(c->out, addr >> 32 & 0xff);
	prm_create_flow_table_out_set_icm_address_31_0(c->out, (uint32_t)addr);
}

int fw_create_flow_table(struct fw_cmd *c)
{
	const void *ctx = prm_create_flow_table_in_cat_flow_table_context(c->in);
	uint32_t type = prm_create_flow_table_in_get_table_type(c->in);
	struct flow_table as_asked = {.type = (uint8_t)type,
				      .level = (uint8_t)prm_flow_table_context_get_level(ctx)};
	struct flow_table *t, *miss;

	if (fw_flow_table_check_type(c, type) ||
	    fw_flow_table_read_vport(c, type, &as_asked.vport) ||
	    fw_flow_table_check_features(c, ctx, type) || fw_flow_table_check_sizes(c, ctx, type) ||
	    fw_flow_table_check_owner(c, ctx, type) ||
	    fw_flow_table_check_icm_roots(c, ctx, type) ||
	    fw_flow_table_find_miss(c, ctx, &as_asked, &miss))
		return -1;
	t = fw_new(c, OBJ_FLOW_TABLE, sizeof(*t));
	if (!t)
		return -1;
	t->type = as_asked.type;
	t->vport = as_asked.vport;
	t->level = as_asked.level;
	t->log_size = (uint8_t)prm_flow_table_context_get_log_size(ctx);
	t->sw_owner = prm_flow_table_context_get_sw_owner(ctx);
	t->rtc_valid = prm_flow_table_context_get_rtc_valid(ctx);
	t->reformat_en = prm_flow_table_context_get_reformat_en(ctx);
	t->decap_en = prm_flow_table_context_get_decap_en(ctx);
	t->termination = prm_flow_table_context_get_termination_table(ctx);
	if (t->sw_owner) {
		t->icm_root = prm_flow_table_context_get_sw_owner_icm_root_0(ctx);
		t->icm_root_tx = prm_flow_table_context_get_sw_owner_icm_root_1(ctx);
	}
	fw_flow_table_set_miss(t, miss);
	fw_flow_table_put_address(c, t);
	return 0;
}

/* --- change, query -------------------------------------------------------------------------- */

/* Finds the rule table that a context names for a side; sets *rtc to NULL for none. */
static int fw_flow_table_find_rtc(struct fw_cmd *c, const struct flow_table *t, uint32_t id,
				  uint8_t table_type, struct rtc **rtc)
{
	const struct rtc *target;

	*rtc = id ? fw_find_or_alias(c, OBJ_RTC, id, "rtc_id") : NULL;
	target = *rtc ? fw_alias_follow(c, *rtc, "rtc_id") : NULL;
	if (id && !target)
		return -1;
	if (!id || target->table_type == table_type)
		return 0;
	return fw_refuse(c, FW_SYN_TABLE_TYPE,
			 "rtc_id 0x%x has table_type 0x%x, table_id 0x%x needs 0x%x", id,
			 target->table_type, t->o.id, table_type);
}

static void fw_flow_table_set_rtc(struct flow_table *t, unsigned int side, struct rtc *rtc)
{
	if (rtc)
		obj_get(rtc);
	obj_put(t->rtc[side]);
	t->rtc[side] = rtc;
}

static int fw_flow_table_modify_rtcs(struct fw_cmd *c, const void *ctx, struct flow_table *t)
{
	const bool fdb = t->type == PRM_FLOW_TABLE_TYPE_FDB;
	const uint32_t second = prm_flow_table_context_get_rtc_id_1(ctx);
	struct rtc *rtc[2];

	if (!t->rtc_valid)
		return fw_refuse(c, FW_SYN_TABLE_TYPE, "table_id 0x%x was made with rtc_valid 0",
				 t->o.id);
	if (second && !fdb)
		return fw_refuse(c, FW_SYN_TABLE_TYPE, "rtc_id_1 0x%x: only the FDB has two sides",
				 second);
	if (fw_flow_table_find_rtc(c, t, prm_flow_table_context_get_rtc_id_0(ctx),
				   fdb ? PRM_FLOW_TABLE_TYPE_FDB_RX : t->type, &rtc[0]) ||
	    fw_flow_table_find_rtc(c, t, second, PRM_FLOW_TABLE_TYPE_FDB_TX, &rtc[1]))
		return -1;
	fw_flow_table_set_rtc(t, 0, rtc[0]);
	fw_flow_table_set_rtc(t, 1, rtc[1]);
	return 0;
}

int fw_modify_flow_table(struct fw_cmd *c)
{
	const void *ctx = prm_modify_flow_table_in_cat_flow_table_context(c->in);
	uint32_t select = prm_modify_flow_table_in_get_modify_field_select(c->in);
	struct flow_table *t = fw_flow_named_table(c), *miss = NULL;

	if (!t)
		return -1;
	if (!select || select & ~(MODIFY_MISS | MODIFY_RTCS))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "modify_field_select 0x%x: only the miss (0x1) and rule tables "
				 "(0x2) can be changed",
				 select);
	if (t->sw_owner)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "table_id 0x%x: software owns it and its misses", t->o.id);
	if (select & MODIFY_MISS && fw_flow_table_find_miss(c, ctx, t, &miss))
		return -1;
	if (select & MODIFY_RTCS && fw_flow_table_modify_rtcs(c, ctx, t))
		return -1;
	if (select & MODIFY_MISS)
		fw_flow_table_set_miss(t, miss);
	return 0;
}

/* Returns the ICM address that stands for a table in software's entries. */
static uint64_t entry_address(const struct flow_table *t, bool tx)
{
	if (!t->sw_owner)
		return icm_addr(ICM_TABLE, t->o.id);
	return tx && t->type == PRM_FLOW_TABLE_TYPE_FDB ? t->icm_root_tx : t->icm_root;
}

int fw_query_flow_table(struct fw_cmd *c)
{
	void *ctx = prm_query_flow_table_out_at_flow_table_context(c->out);
	const struct flow_table *t = fw_flow_named_table(c);

	if (!t)
		return -1;
	prm_flow_table_context_set_sw_owner(ctx, t->sw_owner);
	prm_flow_table_context_set_reformat_en(ctx, t->reformat_en);
	prm_flow_table_context_set_decap_en(ctx, t->decap_en);
	prm_flow_table_context_set_termination_table(ctx, t->termination);
	prm_flow_table_context_set_rtc_valid(ctx, t->rtc_valid);
	prm_flow_table_context_set_level(ctx, t->level);
	prm_flow_table_context_set_log_size(ctx, t->log_size);
	if (t->miss) {
		prm_flow_table_context_set_table_miss_action(ctx, PRM_FLOW_MISS_ACTION_FWD);
		prm_flow_table_context_set_table_miss_id(ctx, t->miss->o.id);
	}
	/* libmlx5 before version 50 reads a send table's address from the second field. */
	prm_flow_table_context_set_sw_owner_icm_root_0(ctx, entry_address(t, false));
	prm_flow_table_context_set_sw_owner_icm_root_1(ctx, entry_address(t, true));
	return 0;
}

/* --- roots ---------------------------------------------------------------------------------- */

static int fw_flow_table_check_root(struct fw_cmd *c)
{
	if (prm_set_flow_table_root_in_get_underlay_qpn(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED, "underlay_qpn 0x%x: there is no IPoIB here",
				 prm_set_flow_table_root_in_get_underlay_qpn(c->in));
	if (prm_set_flow_table_root_in_get_table_of_other_vport(c->in) ||
	    prm_set_flow_table_root_in_get_table_eswitch_owner_vhca_id_valid(c->in))
		return fw_refuse(c, FW_SYN_FUNCTION,
				 "table_of_other_vport or table_eswitch_owner_vhca_id_valid is "
				 "set: the table must be of this function");
	return 0;
}

/* Returns where the root of t's kind is; NULL if its vport is gone. */
static struct flow_table **fw_flow_table_root(const struct flow_table *t)
{
	struct device *dev = t->o.vhca->dev;
	struct vhca *v =
		fw_flow_table_is_acl(t->type) ? device_vhca_by_vport(dev, t->vport) : t->o.vhca;

	if (t->vport == VPORT_UPLINK)
		return &dev->uplink_acl[t->type];
	return v ? &v->flow_root[t->type] : NULL;
}

/* Messages between functions are no longer, or again, switched without a frame. */
static void fw_flow_table_set_root(const struct flow_table *t, struct flow_table *root)
{
	if (t->type == PRM_FLOW_TABLE_TYPE_FDB)
		t->o.vhca->dev->paths++;
	*fw_flow_table_root(t) = root;
}

/* [I] Resets the root of the command's type and vport. Linux's driver names no table. */
static int fw_flow_table_reset_root(struct fw_cmd *c)
{
	const uint32_t type = prm_set_flow_table_root_in_get_table_type(c->in);
	const uint32_t id = prm_set_flow_table_root_in_get_table_id(c->in);
	struct flow_table of = {.o.vhca = c->vhca, .type = (uint8_t)type}, *root;

	if (fw_flow_table_check_type(c, type) || fw_flow_table_read_vport(c, type, &of.vport))
		return -1;
	root = *fw_flow_table_root(&of);
	if (id && (!root || root->o.id != id))
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "table_id 0x%x is not the root: 0 resets whichever table is", id);
	if (!root)
		return 0;
	if (!fw_flow_table(c, type, root->o.id, "table_id"))
		return -1;
	fw_flow_table_set_root(root, NULL);
	return 0;
}

int fw_set_flow_table_root(struct fw_cmd *c)
{
	struct flow_table *t;

	if (c->op_mod > ROOT_DISCONNECT)
		return fw_refuse(c, FW_SYN_OP_MOD, "op_mod 0x%x: 0 sets the root, 1 resets it",
				 c->op_mod);
	if (fw_flow_table_check_root(c))
		return -1;
	if (c->op_mod == ROOT_DISCONNECT)
		return fw_flow_table_reset_root(c);
	t = fw_flow_named_table(c);
	if (!t)
		return -1;
	fw_flow_table_set_root(t, t);
	return 0;
}

/* --- destruction ---------------------------------------------------------------------------- */

static void fw_flow_table_unlink(struct flow_table *t)
{
	fw_flow_table_set_miss(t, NULL);
	fw_flow_table_set_rtc(t, 0, NULL);
	fw_flow_table_set_rtc(t, 1, NULL);
}

void fw_flow_tables_unlink(struct vhca *v, uint16_t uid)
{
	struct flow_table *t;

	for (uint32_t id = 0; (t = obj_next(v, OBJ_FLOW_TABLE, id)); id = t->o.id + 1)
		if (t->o.uid == uid && !t->o.alias)
			fw_flow_table_unlink(t);
}

/* Drops all references to other tables, which may refer to this one. */
void fw_flow_table_clear(struct obj *o)
{
	struct flow_table *t = (struct flow_table *)o;
	struct flow_entry *e, *next;

	HASH_ITER(by_index, t->entries, e, next)
	flow_entry_free(e);
	fw_flow_table_unlink(t);
}

void fw_flow_table_free(struct obj *o)
{
	struct flow_table *t = (struct flow_table *)o, **root = fw_flow_table_root(t);

	/*
	 * [I] The kernel destroys the root table with its last rule, without a command that resets
	 * the root.
	 */
	if (root && *root == t)
		fw_flow_table_set_root(t, NULL);
	fw_flow_table_clear(o);
	obj_free(o);
}

int fw_destroy_flow_table(struct fw_cmd *c)
{
	struct flow_table *t = fw_flow_named_table(c);

	if (!t)
		return -1;
	if (t->groups)
		return fw_refuse(c, FW_SYN_BUSY, "table_id 0x%x still has groups", t->o.id);
	return fw_destroy(c, &t->o);
}
