/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves aliases of rule tables, flow tables and TIRs: packets of a function pass rules of another one and come
 * back, objects end in every order, and what cannot be aliased is refused. The objects are those that DPDK makes
 * for two ports that share rules.
 */
#include "hws_rig.h"
#include <dvx/prm/alias.h>
#include "obj/alias.h"

static const uint8_t secret[32] = "of both sides";

/* Objects of two functions: packets are `port`'s, rules are the owner's. */
static struct {
	struct vhca *port, *owner;
	uint32_t first, back, tir;		    /* of the port */
	uint32_t back_alias, end, tir_alias, rules; /* of the owner */
	uint32_t rules_alias;			    /* of the port */
} s;
static __typeof__(h) mine; /* objects that the port has from hws_setup(); `h` has the owner's */

/* Later commands are of this function. */
static void as(struct vhca *v)
{
	h.f->v = v;
}

/* --- commands -------------------------------------------------------------------------------- */

static uint8_t allow_by(struct vhca *v, uint16_t uid, uint32_t type, uint32_t id)
{
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, ALLOW_OTHER_VHCA_ACCESS, {"object_type_to_be_accessed", type},
			     {"object_id_to_be_accessed", id});

	memcpy(prm_allow_other_vhca_access_in_at_access_key_raw(in), secret, sizeof(secret));
	return fx_exec(h.f, v, PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS, uid, in, len, 16);
}

static uint8_t alias_by(struct vhca *v, const struct vhca *of, uint32_t type, uint32_t id,
			const uint8_t key[32])
{
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};
	void *ctx = prm_create_alias_obj_in_at_alias_ctx(in);

	fx_set(prm_find_struct("create_alias_obj_in"), in,
	       FX_FIELDS({"hdr.obj_type", type}, {"hdr.alias_object", 1},
			 {"alias_ctx.vhca_id_to_be_accessed", of->id},
			 {"alias_ctx.object_id_to_be_accessed", id}));
	memcpy(prm_alias_context_at_access_key_raw(ctx), key, 32);
	return fx_exec(h.f, v, PRM_OPCODE_CREATE_GENERAL_OBJECT, FX_UID, in, sizeof(in), 16);
}

/* Makes v's alias of an object of `of`. */
static uint32_t share(struct vhca *v, struct vhca *of, uint32_t type, uint32_t id)
{
	assert_int_equal(allow_by(of, FX_UID, type, id), 0);
	assert_int_equal(alias_by(v, of, type, id, secret), 0);
	return prm_general_obj_out_cmd_hdr_get_obj_id(h.f->out);
}

static uint8_t destroy_by(struct vhca *v, uint32_t type, uint32_t id)
{
	return fx_cmd(h.f, v, PRM_OPCODE_DESTROY_GENERAL_OBJECT, FX_UID,
		      FX_FIELDS({"obj_type", type}, {"obj_id", id}));
}

static uint8_t miss_by(struct vhca *v, uint32_t t, uint32_t miss)
{
	return fx_cmd(h.f, v, PRM_OPCODE_MODIFY_FLOW_TABLE, FX_UID,
		      FX_FIELDS({"table_type", RX}, {"table_id", t}, {"modify_field_select", 1},
				{"flow_table_context.table_miss_action", miss != 0},
				{"flow_table_context.table_miss_id", miss}));
}

static uint8_t link_by(struct vhca *v, uint32_t t, uint32_t rtc_id)
{
	return fx_cmd(h.f, v, PRM_OPCODE_MODIFY_FLOW_TABLE, FX_UID,
		      FX_FIELDS({"table_type", RX}, {"table_id", t}, {"modify_field_select", 2},
				{"flow_table_context.rtc_id_0", rtc_id}));
}

/* --- two functions ---------------------------------------------------------------------------- */

static uint32_t named(uint32_t t)
{
	return RX << 24 | t;
}

/* Makes the owner's table of rules, whose misses go back to the port; port 53 goes to the port's TIR. */
static void make_rules(void)
{
	struct rtc *t;

	s.back_alias = share(s.owner, s.port, PRM_OBJ_TYPE_FT_ALIAS, named(s.back));
	s.tir_alias = share(s.owner, s.port, PRM_OBJ_TYPE_TIR_ALIAS, s.tir);
	s.end = table(0);
	assert_int_equal(miss_by(s.owner, s.end, s.back_alias), 0);
	assert_int_equal(
		template_set(TO_TIR, (struct template){.type = PRM_STC_ACTION_JUMP_TO_TIR,
						       .at = 3,
						       .high = (uint64_t)s.tir_alias << 32}),
		0);
	t = rtc((struct shape){.rows = 4, .depth = 1, .miss = s.end});
	s.rules = t->o.id;
	assert_true(write_rule(t, 0, rule_for(53, TO_TIR, NOP, NOP)));
}

static void make_shared(void)
{
	as(s.port);
	s.back = table(0);
	s.tir = rig_tir(h.f);
	as(s.owner);
	make_rules();
	as(s.port);
	s.rules_alias = share(s.port, s.owner, PRM_OBJ_TYPE_RTC, s.rules);
	assert_int_equal(link_by(s.port, s.first, s.rules_alias), 0);
}

static int alias_setup(void **state)
{
	struct fx *f;

	if (hws_setup(state))
		return -1;
	f = h.f;
	s.port = f->v;
	s.owner = f->dpu;
	s.first = table(0);
	assert_int_equal(miss_by(s.port, s.port->flow_root[RX]->o.id, s.first), 0);
	mine = h;
	as(s.owner);
	h.pd = fx_pd(f, s.owner, FX_UID);
	h.counter = rig_counter(f, 0);
	h.stcs = object("create_stc_in",
			FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STC}, {"hdr.log_obj_range", 6}));
	h.ste = object("create_ste_in",
		       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_STE}, {"hdr.log_obj_range", 6}));
	assert_int_equal(template_set(NOP, (struct template){.type = PRM_STC_ACTION_NOP, .at = 5}),
			 0);
	assert_int_equal(template_set(COUNT, (struct template){.type = PRM_STC_ACTION_COUNTER,
							       .at = 0,
							       .high = (uint64_t)h.counter << 32}),
			 0);
	assert_int_equal(
		template_set(DROP, (struct template){.type = PRM_STC_ACTION_DROP, .at = 3}), 0);
	h.definer = definer(PORTS, 0xffff);
	make_shared();
	return 0;
}

static int alias_teardown(void **state)
{
	as(s.port);
	return hws_teardown(state);
}
#define FIXTURE_of_two(name) FIXTURE(name, void *no_state, alias_setup, alias_teardown)

static unsigned int counted_by(struct vhca *v)
{
	unsigned int n;

	as(v);
	n = counted();
	as(s.port);
	return n;
}

/* --- packets ----------------------------------------------------------------------------------- */

/* A packet of the port meets the owner's rule, whose counter counts, and comes to the port's TIR. */
TEST(of_two, rules_of_another_function)
{
	struct rig_end end = rig_send(h.f, RX, 53);

	assert_int_equal(end.tirs, 1);
	assert_int_equal(end.tirn, s.tir);
	assert_int_equal(end.stats.ends[STEER_TIR], 1);
	assert_int_equal(counted_by(s.owner), 1);
}

/* A packet without a rule comes back to the port's own rules, and ends as the port's. */
TEST(of_two, misses_come_back)
{
	struct rtc *t;

	h = mine;
	t = rtc((struct shape){.rows = 2});
	assert_int_equal(link_by(s.port, s.back, t->o.id), 0);
	assert_true(write_rule(t, 0, rule_for(54, DROP, NOP, NOP)));
	assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_DROP], 1);
	assert_int_equal(counted(), 1);
	assert_int_equal(rig_send(h.f, RX, 55).stats.ends[STEER_MISS], 1);
	assert_int_equal(rig_send(h.f, RX, 53).tirs, 1);
	assert_int_equal(counted(), 0);
}

/* A rule is written once and is in effect for the packets of both functions. */
TEST(of_two, both_functions_meet_the_rules)
{
	struct rig_end end;
	uint32_t root, first;

	as(s.owner);
	root = rig_table(h.f, (struct rig_table){.type = RX});
	rig_root(h.f, RX, root);
	first = table(0);
	assert_int_equal(link_by(s.owner, first, s.rules), 0);
	assert_int_equal(miss_by(s.owner, root, first), 0);
	end = rig_send(h.f, RX, 53);
	assert_int_equal(end.tirn, s.tir);
	assert_int_equal(counted_by(s.owner), 1);
	assert_int_equal(rig_send(h.f, RX, 53).tirs, 1);
	assert_int_equal(counted_by(s.owner), 1);
}

/* Tables of two functions that lead to each other: the packet is lost, and the device goes on. */
TEST(of_two, circle)
{
	const uint32_t end_alias = share(s.port, s.owner, PRM_OBJ_TYPE_FT_ALIAS, named(s.end));

	assert_int_equal(miss_by(s.port, s.back, end_alias), 0);
	assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_LOST], 1);
	assert_int_equal(rig_send(h.f, RX, 53).tirs, 1);
}

/* --- ends ------------------------------------------------------------------------------------ */

/* A packet that an alias leads to an object that is gone is lost. Nobody else's object takes its place. */
TEST(of_two, targets_end_first)
{
	rig_tir_free(h.f, s.tir);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	assert_non_null(obj_new_at(s.port, OBJ_TIR, FX_UID, s.tir, sizeof(struct tir)));
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	assert_int_equal(fx_cmd(h.f, s.port, PRM_OPCODE_DESTROY_FLOW_TABLE, FX_UID,
				FX_FIELDS({"table_type", RX}, {"table_id", s.back})),
			 0);
	assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_LOST], 1);
	assert_int_equal(destroy_by(s.owner, PRM_OBJ_TYPE_RTC, s.rules), 0);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	assert_int_equal(rig_send(h.f, RX, 54).stats.ends[STEER_LOST], 1);
	rig_tir_free(h.f, s.tir);
}

/* Objects of the pair, each with its command. */
enum { ALIAS_OF_RULES, RULES, END, ALIAS_OF_BACK, ALIAS_OF_TIR, BACK, PIECES };

static uint8_t end_piece(unsigned int piece)
{
	switch (piece) {
	case ALIAS_OF_RULES:
		return destroy_by(s.port, PRM_OBJ_TYPE_RTC, s.rules_alias);
	case RULES:
		return destroy_by(s.owner, PRM_OBJ_TYPE_RTC, s.rules);
	case END:
		return fx_cmd(h.f, s.owner, PRM_OPCODE_DESTROY_FLOW_TABLE, FX_UID,
			      FX_FIELDS({"table_type", RX}, {"table_id", s.end}));
	case ALIAS_OF_BACK:
		return destroy_by(s.owner, PRM_OBJ_TYPE_FT_ALIAS, s.back_alias);
	case ALIAS_OF_TIR:
		return destroy_by(s.owner, PRM_OBJ_TYPE_TIR_ALIAS, s.tir_alias);
	default: /* BACK */
		return fx_cmd(h.f, s.port, PRM_OPCODE_DESTROY_FLOW_TABLE, FX_UID,
			      FX_FIELDS({"table_type", RX}, {"table_id", s.back}));
	}
}

/* Ends all pieces in this order, with packets between; one that is in use is refused, and ends later. */
static void end_in_order(const uint8_t order[PIECES])
{
	bool gone[PIECES] = {0};
	unsigned int left = PIECES;

	for (unsigned int turn = 0; left && turn < PIECES; turn++) {
		for (unsigned int i = 0; i < PIECES; i++) {
			uint8_t status = gone[order[i]] ? 0 : end_piece(order[i]);

			assert_true(!status || h.f->syndrome == FW_SYN_BUSY);
			left -= !gone[order[i]] && !status;
			gone[order[i]] |= !status;
			rig_send(h.f, RX, 53);
			rig_send(h.f, RX, 54);
		}
		assert_int_equal(link_by(s.port, s.first, 0), 0);
	}
	assert_int_equal(left, 0);
	rig_tir_free(h.f, s.tir);
}

/* Swaps all elements with each other, so that each order comes once. */
static void each_order(uint8_t order[PIECES], unsigned int from)
{
	if (from == PIECES) {
		make_shared();
		end_in_order(order);
		return;
	}
	for (unsigned int i = from; i < PIECES; i++) {
		uint8_t kept = order[from];

		order[from] = order[i];
		order[i] = kept;
		each_order(order, from + 1);
		order[i] = order[from];
		order[from] = kept;
	}
}

TEST(of_two, ends_in_every_order)
{
	uint8_t order[PIECES];

	for (uint8_t i = 0; i < PIECES; i++)
		order[i] = i;
	end_in_order(order);
	each_order(order, 0);
}

/* A uid that ends takes its aliases and tables with it, on either side first. */
TEST(of_two, uid_ends)
{
	fw_uid_reap(s.owner, FX_UID);
	assert_int_equal(rig_send(h.f, RX, 53).stats.ends[STEER_LOST], 1);
	fw_uid_reap(s.port, FX_UID);
	assert_int_equal(fx_objects(s.port), 0);
}

/* --- what is refused --------------------------------------------------------------------------- */

TEST(of_two, allow_refuses)
{
	const uint32_t other = (uint32_t)PRM_FLOW_TABLE_TYPE_NIC_TX << 24 | s.back;

	assert_int_equal(allow_by(s.port, FX_UID, PRM_OBJ_TYPE_FT_ALIAS, other), BAD);
	assert_int_equal(h.f->syndrome, FW_SYN_TABLE_TYPE);
	assert_int_equal(allow_by(s.port, FX_UID + 1, PRM_OBJ_TYPE_FT_ALIAS, named(s.back)),
			 BAD_RES);
	assert_int_equal(allow_by(s.port, FX_UID, PRM_OBJ_TYPE_STC, h.stcs), BAD);
	assert_int_equal(h.f->syndrome, FW_SYN_OBJECT_TYPE);
	/* an alias of an alias */
	assert_int_equal(allow_by(s.port, FX_UID, PRM_OBJ_TYPE_RTC, s.rules_alias), BAD_RES);
	h.f->profile.cross_vhca = false;
	assert_int_equal(allow_by(s.port, FX_UID, PRM_OBJ_TYPE_FT_ALIAS, named(s.back)), BAD);
	h.f->profile.cross_vhca = true;
}

/* A missing object, one that is not allowed, and a wrong key have the same reply. */
TEST(of_two, alias_refuses)
{
	uint8_t wrong[32];
	uint32_t more;

	memcpy(wrong, secret, sizeof(wrong));
	wrong[31] ^= 1;
	as(s.owner);
	more = rtc((struct shape){.rows = 1, .at = 40, .miss = s.end})->o.id;
	as(s.port);
	assert_int_equal(alias_by(s.port, s.owner, PRM_OBJ_TYPE_RTC, s.rules, wrong), BAD_RES);
	assert_int_equal(h.f->syndrome, FW_SYN_ALIAS);
	assert_int_equal(alias_by(s.port, s.owner, PRM_OBJ_TYPE_RTC, more, secret), BAD_RES);
	assert_int_equal(h.f->syndrome, FW_SYN_ALIAS);
	assert_int_equal(alias_by(s.port, s.owner, PRM_OBJ_TYPE_RTC, 0x1234, secret), BAD_RES);
	assert_int_equal(h.f->syndrome, FW_SYN_ALIAS);
	/* the key of a rule table does not open a TIR with its number */
	assert_int_equal(alias_by(s.port, s.owner, PRM_OBJ_TYPE_TIR_ALIAS, s.rules, secret),
			 BAD_RES);
	assert_int_equal(alias_by(s.owner, s.owner, PRM_OBJ_TYPE_RTC, s.rules, secret), BAD);
	assert_int_equal(h.f->syndrome, FW_SYN_VHCA);
}

/* An alias is no object of its type: only what may lead to another function takes it. */
TEST(of_two, alias_is_no_table)
{
	const uint32_t table_alias = share(s.port, s.owner, PRM_OBJ_TYPE_FT_ALIAS, named(s.end));
	const struct fx_field named_table[] = {{"table_type", RX}, {"table_id", table_alias}, {0}};

	assert_int_equal(fx_cmd(h.f, s.port, PRM_OPCODE_DESTROY_FLOW_TABLE, FX_UID, named_table),
			 BAD_RES);
	assert_int_equal(fx_cmd(h.f, s.port, PRM_OPCODE_QUERY_FLOW_TABLE, FX_UID, named_table),
			 BAD_RES);
	assert_int_equal(fx_cmd(h.f, s.port, PRM_OPCODE_SET_FLOW_TABLE_ROOT, FX_UID, named_table),
			 BAD_RES);
	assert_int_equal(link_by(s.port, table_alias, 0), BAD_RES);
	assert_int_equal(destroy_by(s.port, PRM_OBJ_TYPE_FT_ALIAS, s.first), BAD_RES);
	assert_int_equal(destroy_by(s.port, PRM_OBJ_TYPE_TIR_ALIAS, s.tir), BAD_RES);
	as(s.owner);
	assert_int_equal(FX(h.f, DESTROY_TIR, {"tirn", s.tir_alias}), BAD_RES);
	assert_int_equal(FX(h.f, QUERY_TIR, {"tirn", s.tir_alias}), BAD_RES);
	/* a miss of a rule table is a table of its function */
	assert_int_equal(rtc_create((struct shape){.rows = 1,
						   .at = 40,
						   .miss = s.back_alias,
						   .definer = h.definer,
						   .format = PRM_RTC_STE_FORMAT_8DW}),
			 BAD_RES);
	as(s.port);
}

/* A link to an alias whose object is gone is refused, and one to a table of another type. */
TEST(of_two, links_refuse)
{
	assert_int_equal(link_by(s.port, s.first, 0), 0);
	assert_int_equal(destroy_by(s.owner, PRM_OBJ_TYPE_RTC, s.rules), 0);
	assert_int_equal(link_by(s.port, s.first, s.rules_alias), BAD_RES);
	assert_int_equal(destroy_by(s.port, PRM_OBJ_TYPE_RTC, s.rules_alias), 0);
}
