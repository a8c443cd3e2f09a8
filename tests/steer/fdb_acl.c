/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves access control lists of vports: a packet passes that of its source, the FDB, and that of
 * its destination; each drops, counts under its own name, and sets registers for the next tables.
 */
#include "fdb_rig.h"

#define INGRESS	 PRM_FLOW_TABLE_TYPE_ESW_INGRESS_ACL
#define EGRESS	 PRM_FLOW_TABLE_TYPE_ESW_EGRESS_ACL
#define ALLOW	 PRM_FLOW_ACTION_ALLOW
#define METADATA 0x20000u

/* The vport whose list it is, as commands name it: the manager's own has no number. */
struct acl {
	uint8_t type;
	uint16_t vport;
	uint32_t table, group;
};

#define KERNEL(f, op, ...) fx_cmd(f, dpu(), PRM_OPCODE_##op, 0, FX_FIELDS(__VA_ARGS__))
#define OF(a)                                             \
	{"other_vport", 1}, {"vport_number", (a)->vport}, \
	{                                                 \
		"table_type", (a)->type                   \
	}

static struct acl make_acl(struct fx *f, uint8_t type, uint16_t vport)
{
	struct acl a = {.type = type, .vport = vport};

	assert_int_equal(KERNEL(f, CREATE_FLOW_TABLE, OF(&a), {"flow_table_context.log_size", 4}),
			 0);
	a.table = fx_made(f);
	assert_int_equal(KERNEL(f, CREATE_FLOW_GROUP, OF(&a), {"table_id", a.table},
				{"end_flow_index", 3}, {"match_criteria_enable", 1},
				{"match_criteria.outer_headers.udp_dport", 0xffff}),
			 0);
	a.group = fx_made(f);
	return a;
}

static void set_root(struct fx *f, const struct acl *a, bool on)
{
	assert_int_equal(
		KERNEL(f, SET_FLOW_TABLE_ROOT, OF(a), {"op_mod", !on}, {"table_id", a->table}), 0);
}

/* Adds an entry for packets to a UDP port; udp4's is 53. */
static uint8_t add_rule(struct fx *f, const struct acl *a, uint32_t port, uint32_t action,
			uint32_t modify)
{
	return KERNEL(f, SET_FLOW_TABLE_ENTRY, OF(a), {"table_id", a->table},
		      {"flow_index", action == ALLOW}, {"flow_context.group_id", a->group},
		      {"flow_context.action", action | (modify ? PRM_FLOW_ACTION_MOD_HDR : 0)},
		      {"flow_context.modify_header_id", modify},
		      {"flow_context.match_value.outer_headers.udp_dport", port});
}

static void delete_rule(struct fx *f, const struct acl *a, uint32_t action)
{
	assert_int_equal(KERNEL(f, DELETE_FLOW_TABLE_ENTRY, OF(a), {"table_id", a->table},
				{"flow_index", action == ALLOW}),
			 0);
}

static void destroy_acl(struct fx *f, const struct acl *a)
{
	assert_int_equal(KERNEL(f, DESTROY_FLOW_GROUP, OF(a), {"table_id", a->table},
				{"group_id", a->group}),
			 0);
	assert_int_equal(KERNEL(f, DESTROY_FLOW_TABLE, OF(a), {"table_id", a->table}), 0);
}

/* Lists of a source drop before the FDB counts a packet, those of a destination behind it. */
static void check_drops(struct fx *f, const struct acl *a, struct vhca *from, const struct vhca *to,
			enum steer_end drop)
{
	assert_int_equal(add_rule(f, a, 54, DROP, 0), 0);
	assert_arrives(from, to); /* no root */
	set_root(f, a, true);
	assert_arrives(from, to); /* no entry takes it */
	delete_rule(f, a, DROP);
	assert_int_equal(add_rule(f, a, 53, DROP, 0), 0);
	assert_ends(from, drop);
	delete_rule(f, a, DROP);
	assert_int_equal(add_rule(f, a, 53, ALLOW, 0), 0);
	assert_arrives(from, to);
	delete_rule(f, a, ALLOW);
	assert_int_equal(add_rule(f, a, 53, DROP, 0), 0);
	set_root(f, a, false);
	assert_arrives(from, to);
	set_root(f, a, true);
	delete_rule(f, a, DROP);
	destroy_acl(f, a); /* the root goes with its table */
	assert_arrives(from, to);
}

TEST(fdb, drops)
{
	struct fdb_root root = make_root(f);
	struct acl lists[] = {make_acl(f, INGRESS, VPORT_PF), make_acl(f, INGRESS, VPORT_UPLINK),
			      make_acl(f, EGRESS, VPORT_PF), make_acl(f, EGRESS, VPORT_UPLINK),
			      make_acl(f, EGRESS, VPORT_ECPF)};

	to_vport(f, &root, VPORT_UPLINK, VPORT_PF);
	to_vport(f, &root, VPORT_PF, VPORT_UPLINK);
	check_drops(f, &lists[0], host(), NULL, STEER_INGRESS_DROP);
	check_drops(f, &lists[1], NULL, host(), STEER_INGRESS_DROP);
	check_drops(f, &lists[2], NULL, host(), STEER_EGRESS_DROP);
	check_drops(f, &lists[3], host(), NULL, STEER_EGRESS_DROP);
	check_drops(f, &lists[4], dpu(), dpu(), STEER_EGRESS_DROP); /* by the default miss */
	assert_int_equal(ends(host(), STEER_DROP) + ends(NULL, STEER_DROP), 0);
}

/* The list of a source sets register c_0, which the FDB's entries match. */
TEST(fdb, metadata)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + 8] = {0};
	void *set = in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;
	struct acl a = make_acl(f, INGRESS, VPORT_PF);
	uint32_t table = table_at(f, 0), group;

	FX_SET(in, ALLOC_MODIFY_HEADER_CONTEXT, {"table_type", INGRESS}, {"num_of_actions", 1});
	prm_set_action_in_set_action_type(set, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(set, PRM_MODIFY_FIELD_METADATA_REG_C_0);
	prm_set_action_in_set_data(set, METADATA);
	assert_int_equal(
		fx_exec(f, dpu(), PRM_OPCODE_ALLOC_MODIFY_HEADER_CONTEXT, 0, in, sizeof(in), 16),
		0);
	assert_int_equal(add_rule(f, &a, 53, ALLOW, prm_load32(f->out, 8)), 0);
	set_root(f, &a, true);
	group = FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", FDB}, {"table_id", table},
			{"end_flow_index", 3}, {"match_criteria_enable", 8},
			{"match_criteria.misc_parameters_2.metadata_reg_c_0", 0xffff0000});
	rig_root(f, FDB, table);
	memset(in, 0, sizeof(in));
	{
		uint8_t fte[RIG_FTE];
		const struct fdb_entry e = {.table = table,
					    .group = group,
					    .action = FWD,
					    .ndests = 1,
					    .type = {PRM_FLOW_DEST_TYPE_UPLINK}};
		size_t len = fill_fdb_entry(&e, fte);

		FX_SET(fte, SET_FLOW_TABLE_ENTRY,
		       {"flow_context.match_value.misc_parameters_2.metadata_reg_c_0", METADATA});
		assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, fte, len), 0);
	}
	assert_arrives(host(), NULL);
	assert_arrives(dpu(), dpu()); /* it has no list, so its register is 0 */
}

/* Copies that a destination's list makes are packets of its vport, too. */
TEST(fdb, copies)
{
	struct fdb_root root = make_root(f);
	struct acl a = make_acl(f, EGRESS, VPORT_PF);
	struct fdb_entry e = {
		.table = a.table,
		.group = a.group,
		.action = FWD,
		.ndests = 2,
		.type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE, PRM_FLOW_DEST_TYPE_FLOW_TABLE}};
	struct vhca *const from[] = {dpu(), NULL};
	uint8_t in[RIG_FTE];
	size_t len;

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(
			KERNEL(f, CREATE_FLOW_TABLE, OF(&a), {"flow_table_context.level", 1}), 0);
		e.id[i] = fx_made(f);
	}
	len = fill_fdb_entry(&e, in);
	FX_SET(in, SET_FLOW_TABLE_ENTRY, OF(&a),
	       {"flow_context.match_value.outer_headers.udp_dport", 53});
	assert_int_equal(fx_exec(f, dpu(), PRM_OPCODE_SET_FLOW_TABLE_ENTRY, 0, in, len, 16), 0);
	set_root(f, &a, true);
	to_vport(f, &root, VPORT_ECPF, VPORT_PF);
	to_vport(f, &root, VPORT_UPLINK, VPORT_PF);
	for (unsigned int i = 0; i < 2; i++) {
		send_from(from[i]);
		assert_int_equal(net.n, 2);
		assert_ptr_equal(net.a[0].at, host());
		assert_ptr_equal(net.a[1].at, host());
	}
}

/* Lists are the kernel's on the manager; tables of another vport, TIRs and vports are refused. */
TEST(fdb, refusals)
{
	struct acl a = make_acl(f, INGRESS, VPORT_PF), other = make_acl(f, INGRESS, VPORT_UPLINK);

	assert_int_equal(FX(f, CREATE_FLOW_TABLE, OF(&a)), BAD);
	assert_int_equal(f->syndrome, FW_SYN_PRIVILEGED);
	assert_int_equal(fx_cmd(f, host(), PRM_OPCODE_CREATE_FLOW_TABLE, 0,
				FX_FIELDS({"table_type", INGRESS})),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	assert_int_equal(KERNEL(f, CREATE_FLOW_TABLE, {"table_type", INGRESS}, {"other_vport", 1},
				{"vport_number", 77}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_equal(
		KERNEL(f, CREATE_FLOW_TABLE, OF(&a), {"flow_table_context.reformat_en", 1}), BAD);
	assert_int_equal(KERNEL(f, CREATE_FLOW_TABLE, OF(&a), {"flow_table_context.sw_owner", 1}),
			 BAD);
	assert_true(test_logged(f->log, "esw_acl_ingress.sw_owner_v2"));
	assert_int_equal(KERNEL(f, SET_FLOW_TABLE_ROOT, OF(&a), {"table_id", other.table}), BAD);
	assert_true(test_logged(f->log, "is of vport 0xffff, not of 0x0"));
	assert_int_equal(KERNEL(f, CREATE_FLOW_TABLE, OF(&a),
				{"flow_table_context.table_miss_action", 1},
				{"flow_table_context.table_miss_id", other.table}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_FUNCTION);
	assert_int_equal(add_rule(f, &a, 53, PRM_FLOW_ACTION_DECAP | ALLOW, 0), BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	assert_int_equal(add_rule(f, &a, 53, FWD, 0), BAD);
}
