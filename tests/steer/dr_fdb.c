/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unmodified libmlx5's FDB domain on the e-switch's manager (vport MANAGER_VPORT), beside dr_fdb_peer
 * on another function (vport PEER_VPORT): rules that match the source port and send to vports, drop,
 * count, rewrite and copy; misses to the manager; packets from the wire.
 */
#include "dr_fdb_rig.h"

#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>

#define WIRE_MARK 0x7777u /* source port of the packet that dr_fdb.sh replays */

static struct {
	unsigned int peer, manager; /* vports */
	struct mlx5dv_dr_matcher *by_source, *by_mark, *last;
	struct mlx5dv_dr_action *host, *dpu, *wire, *drop;
} t;

/* --- fixture ---------------------------------------------------------------------------------- */

static int rules_open(void **state)
{
	(void)state;
	t.peer = vport_named("PEER_VPORT");
	t.manager = vport_named("MANAGER_VPORT");
	fdb_open();
	t.by_source = matcher_of(fdb.table, 1, PARTS, true, true);
	t.by_mark = matcher_of(fdb.table, 2, PARTS, false, true);
	t.last = matcher_of(fdb.table, 3, 1u << 1, true, false);
	t.drop = mlx5dv_dr_action_create_drop();
	assert_non_null(t.drop);
	t.host = vport(t.peer);
	t.dpu = vport(t.manager);
	t.wire = vport(UPLINK);
	return 0;
}

static int rules_close(void **state)
{
	struct mlx5dv_dr_action *const actions[] = {t.host, t.dpu, t.wire, t.drop};
	struct mlx5dv_dr_matcher *const matchers[] = {t.by_source, t.by_mark, t.last};

	(void)state;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		assert_int_equal(mlx5dv_dr_action_destroy(actions[i]), 0);
	for (size_t i = 0; i < sizeof(matchers) / sizeof(matchers[0]); i++)
		assert_int_equal(mlx5dv_dr_matcher_destroy(matchers[i]), 0);
	fdb_close();
	return 0;
}

TEST_GROUP(rules_open, rules_close)

/* --- what rules do ---------------------------------------------------------------------------- */

/* Packets that no rule takes go to the manager, those of its own vport, too. */
static void misses(void)
{
	send_from_dpu(&fdb.ends, 1);
	assert_int_equal(next_at_dpu(&fdb.ends), 1);
	send_from_host(&fdb.ends, 2);
	assert_int_equal(next_at_dpu(&fdb.ends), 2);
}

/* A rule takes the packets of its source port, and no others. */
static void sources(void)
{
	struct mlx5dv_dr_rule *from_dpu = rule(t.by_source, t.manager, 10, t.host, NULL);
	struct mlx5dv_dr_rule *from_host = rule(t.by_source, t.peer, 11, t.host, NULL);

	send_from_dpu(&fdb.ends, 10);
	assert_at_host(&fdb.ends, 10);
	send_from_host(&fdb.ends, 11);
	assert_at_host(&fdb.ends, 11);
	send_from_host(&fdb.ends, 10);
	assert_int_equal(next_at_dpu(&fdb.ends), 10);
	send_from_dpu(&fdb.ends, 11);
	assert_int_equal(next_at_dpu(&fdb.ends), 11);
	no_rule(from_host);
	no_rule(from_dpu);
	send_from_dpu(&fdb.ends, 10);
	assert_int_equal(next_at_dpu(&fdb.ends), 10);
}

static uint64_t counted(struct mlx5dv_devx_obj *counter, uint32_t id)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_FLOW_COUNTER_OUT_BYTES + PRM_TRAFFIC_COUNTER_BYTES];

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	assert_int_equal(mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), 0);
	return prm_traffic_counter_get_packets(out + PRM_QUERY_FLOW_COUNTER_OUT_BYTES);
}

/* A rule drops and counts; a later rule of less priority takes the rest. */
static void drops_and_counts(void)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0}, out[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES];
	struct mlx5dv_devx_obj *counter;
	struct mlx5dv_dr_action *count;
	struct mlx5dv_dr_rule *dropped, *rest;
	uint32_t id;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	counter = mlx5dv_devx_obj_create(fdb.ends.end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(counter);
	id = prm_alloc_flow_counter_out_get_flow_counter_id(out);
	count = mlx5dv_dr_action_create_flow_counter(counter, 0);
	assert_non_null(count);
	dropped = rule(t.by_mark, ANY, 20, count, t.drop);
	rest = rule(t.last, t.peer, 0, count, t.host);
	send_from_host(&fdb.ends, 20);
	send_from_host(&fdb.ends, 21);
	assert_at_host(&fdb.ends, 21);
	send_from_dpu(&fdb.ends, 20);
	send_from_dpu(&fdb.ends, 22);
	assert_int_equal(next_at_dpu(&fdb.ends), 22);
	assert_int_equal(counted(counter, id), 3);
	no_rule(rest);
	no_rule(dropped);
	assert_int_equal(mlx5dv_dr_action_destroy(count), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(counter), 0);
}

static void rewrites(void)
{
	uint64_t set;
	struct mlx5dv_dr_action *modify;
	struct mlx5dv_dr_rule *r;
	unsigned int dmac;

	memset(&set, 0, sizeof(set));
	prm_set_action_in_set_action_type(&set, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(&set, PRM_MODIFY_FIELD_OUT_DMAC_15_0);
	prm_set_action_in_set_length(&set, 16);
	prm_set_action_in_set_data(&set, 0x4455);
	modify = mlx5dv_dr_action_create_modify_header(fdb.domain, 0, sizeof(set), (__be64 *)&set);
	assert_non_null(modify);
	r = rule(t.by_mark, ANY, 30, modify, t.host);
	send_from_dpu(&fdb.ends, 30);
	assert_int_equal(next_at_host(&fdb.ends, &dmac), 30);
	assert_int_equal(dmac, 0x55);
	no_rule(r);
	assert_int_equal(mlx5dv_dr_action_destroy(modify), 0);
}

/*
 * An array copies to a function and the wire. (The manager in an array is vport 0 to libmlx5 44,
 * which does not set its number.)
 */
static void copies(void)
{
	struct mlx5dv_dr_action_dest_attr host = {.type = MLX5DV_DR_ACTION_DEST, .dest = t.host},
					  wire = {.type = MLX5DV_DR_ACTION_DEST, .dest = t.wire},
					  *dests[] = {&host, &wire};
	struct mlx5dv_dr_action *array = mlx5dv_dr_action_create_dest_array(fdb.domain, 2, dests);
	struct mlx5dv_dr_rule *r;

	assert_non_null(array);
	r = rule(t.by_mark, ANY, 40, array, NULL);
	send_from_host(&fdb.ends, 40);
	assert_at_host(&fdb.ends, 40);
	no_rule(r);
	assert_int_equal(mlx5dv_dr_action_destroy(array), 0);
}

/* Packets from the wire walk the other side: only rules for the uplink, or for any source. */
static void from_the_wire(void)
{
	struct mlx5dv_dr_rule *uplink = rule(t.by_source, UPLINK, WIRE_MARK, t.host, NULL);
	struct mlx5dv_dr_rule *host = rule(t.by_source, t.peer, WIRE_MARK, t.wire, NULL);
	const char *replay = getenv("REPLAY");

	assert_non_null(replay);
	assert_int_equal(system(replay), 0);
	assert_at_host(&fdb.ends, WIRE_MARK);
	no_rule(uplink);
	assert_int_equal(system(replay), 0);
	assert_int_equal(next_at_dpu(&fdb.ends), WIRE_MARK);
	/* to the wire, and none is attached: dr_fdb.sh reads the chip's counter */
	send_from_host(&fdb.ends, WIRE_MARK);
	send_from_host(&fdb.ends, 50);
	assert_int_equal(next_at_dpu(&fdb.ends), 50);
	no_rule(host);
}

TEST(none, packets)
{
	misses();
	sources();
	drops_and_counts();
	rewrites();
	copies();
	from_the_wire();
	misses();
}

/* A vport that does not exist is refused; the root takes tables and drops only, as Linux's. */
TEST(none, refusals)
{
	struct mlx5dv_dr_action *to_host[] = {t.host};
	struct params none = params_of(ANY, 0);

	assert_null(mlx5dv_dr_action_create_dest_vport(fdb.domain, 5));
	assert_null(mlx5dv_dr_action_create_dest_ib_port(fdb.domain, 99));
	assert_null(mlx5dv_dr_rule_create(fdb.root_matcher, &none.head, 1, to_host));
}
