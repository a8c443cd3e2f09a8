/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdvx's FDB domain on the e-switch's manager, beside dr_fdb_peer on the host's function: sources
 * and destinations by number and name, copies, counters, packets from the wire, refusals.
 */
#include "dr_fdb_ends.h"

#include <dvx/dev.h>
#include <dvx/cmd.h>
#include <dvx/flow.h>

#define ANY	  UINT32_MAX
#define WIRE_MARK 0x7777u /* source port of the packet that dr_fdb.sh replays */

enum { TO_PF, TO_ECPF, TO_WIRE, TO_DROP, TO_COUNT, TO_TABLE, TO_MIRROR, LIB_ACTIONS };

static struct {
	struct fdb_ends ends;
	struct dvx_dev *dev;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root, *table;
	struct dvx_flow_matcher *all, *by_mark[2]; /* [1]: and by source */
	struct dvx_flow_rule *begin;
	struct dvx_flow_counter *counter;
	struct dvx_flow_action *to[LIB_ACTIONS];
} t;

static struct dvx_flow_match lib_match(uint32_t source, uint16_t mark)
{
	struct dvx_flow_match m = {0};

	if (source != ANY)
		assert_int_equal(dvx_flow_match_vport(&m, source), 0);
	if (mark) {
		dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4);
		dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, DVX_FLOW_UDP, mark, 0xffff);
	}
	return m;
}

static struct dvx_flow_matcher *lib_matcher(struct dvx_flow_table *table, uint32_t priority,
					    uint32_t source, uint16_t mark)
{
	struct dvx_flow_match m = lib_match(source, mark);
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .priority = priority, .match = &m};
	struct dvx_flow_matcher *out;

	assert_int_equal(dvx_flow_matcher_create(table, &attr, &out), 0);
	return out;
}

static int lib_try(struct dvx_flow_matcher *in, const struct dvx_flow_match *m, int first,
		   int second, struct dvx_flow_rule **out)
{
	struct dvx_flow_action *actions[] = {t.to[first], second < 0 ? NULL : t.to[second]};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = in,
					  .match = m,
					  .actions = actions,
					  .action_count = second < 0 ? 1 : 2};

	return dvx_flow_rule_create(&attr, out);
}

static struct dvx_flow_rule *lib_rule(uint32_t source, uint16_t mark, int first, int second)
{
	struct dvx_flow_match m = lib_match(source, mark);
	struct dvx_flow_rule *out;

	assert_int_equal(lib_try(t.by_mark[source != ANY], &m, first, second, &out), 0);
	assert_int_equal(dvx_flow_domain_sync(t.domain), 0);
	return out;
}

static void lib_no_rule(struct dvx_flow_rule *rule)
{
	assert_int_equal(dvx_flow_rule_destroy(rule), 0);
	assert_int_equal(dvx_flow_domain_sync(t.domain), 0);
}

static struct dvx_flow_action *lib_vport(const char *name)
{
	struct dvx_flow_action *out;
	uint32_t vport;

	assert_int_equal(dvx_flow_vport_number(name, &vport), 0);
	assert_int_equal(dvx_flow_action_create_vport(t.domain, vport, &out), 0);
	return out;
}

static void lib_make_actions(void)
{
	struct dvx_flow_action *copies[2];

	t.to[TO_PF] = lib_vport("pf");
	t.to[TO_ECPF] = lib_vport("ecpf");
	t.to[TO_WIRE] = lib_vport("uplink");
	assert_int_equal(dvx_flow_action_create_drop(t.domain, &t.to[TO_DROP]), 0);
	assert_int_equal(dvx_flow_action_create_table(t.domain, t.table, &t.to[TO_TABLE]), 0);
	assert_int_equal(dvx_flow_counter_create(t.dev, 1, &t.counter), 0);
	assert_int_equal(dvx_flow_action_create_count(t.domain, t.counter, 0, &t.to[TO_COUNT]), 0);
	copies[0] = t.to[TO_PF];
	copies[1] = t.to[TO_WIRE];
	assert_int_equal(dvx_flow_action_create_array(t.domain, copies, 2, &t.to[TO_MIRROR]), 0);
}

static int lib_open(void **state)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_FDB};
	struct dvx_flow_match m = lib_match(ANY, 0);

	(void)state;
	fdb_ends_open(&t.ends);
	assert_int_equal(dvx_dev_adopt(t.ends.end.ctx, &t.dev), 0);
	assert_int_equal(dvx_flow_domain_create(t.dev, &attr, &t.domain), 0);
	assert_true(dvx_flow_domain_has_levels(t.domain));
	assert_int_equal(dvx_flow_table_create(t.domain, 0, &t.root), 0);
	assert_int_equal(dvx_flow_table_create(t.domain, 1, &t.table), 0);
	t.all = lib_matcher(t.root, 0, ANY, 0);
	t.by_mark[0] = lib_matcher(t.table, 2, ANY, UINT16_MAX);
	t.by_mark[1] = lib_matcher(t.table, 1, DVX_FLOW_UPLINK, UINT16_MAX);
	lib_make_actions();
	return lib_try(t.all, &m, TO_TABLE, -1, &t.begin);
}

static int lib_close(void **state)
{
	(void)state;
	assert_int_equal(dvx_flow_rule_destroy(t.begin), 0);
	for (int i = LIB_ACTIONS; i-- > 0;)
		assert_int_equal(dvx_flow_action_destroy(t.to[i]), 0);
	assert_int_equal(dvx_flow_counter_destroy(t.counter), 0);
	assert_int_equal(dvx_flow_matcher_destroy(t.by_mark[0]), 0);
	assert_int_equal(dvx_flow_matcher_destroy(t.by_mark[1]), 0);
	assert_int_equal(dvx_flow_matcher_destroy(t.all), 0);
	assert_int_equal(dvx_flow_table_destroy(t.table), 0);
	assert_int_equal(dvx_flow_table_destroy(t.root), 0);
	assert_int_equal(dvx_flow_domain_destroy(t.domain), 0);
	assert_int_equal(dvx_dev_close(t.dev), 0);
	fdb_ends_close(&t.ends);
	return 0;
}

TEST_GROUP(lib_open, lib_close)

/* A rule takes the packets of its source; the others go to the manager. */
TEST(none, sources)
{
	struct dvx_flow_rule *from_ecpf = lib_rule(DVX_FLOW_ECPF, 10, TO_PF, -1);
	struct dvx_flow_rule *back = lib_rule(DVX_FLOW_PF, 11, TO_PF, -1);

	send_from_dpu(&t.ends, 10);
	assert_at_host(&t.ends, 10);
	send_from_host(&t.ends, 11);
	assert_at_host(&t.ends, 11);
	send_from_host(&t.ends, 10);
	assert_int_equal(next_at_dpu(&t.ends), 10);
	lib_no_rule(from_ecpf);
	lib_no_rule(back);
}

/* A rule without a source takes those of all; it counts and drops, or copies. */
TEST(none, any_source)
{
	struct dvx_flow_rule *drop = lib_rule(ANY, 20, TO_COUNT, TO_DROP);
	struct dvx_flow_rule *mirror = lib_rule(ANY, 21, TO_COUNT, TO_MIRROR);
	struct dvx_flow_count n;

	send_from_host(&t.ends, 20);
	send_from_dpu(&t.ends, 20);
	send_from_dpu(&t.ends, 21);
	assert_at_host(&t.ends, 21);
	assert_int_equal(dvx_flow_counter_query(t.counter, 0, 1, &n), 0);
	assert_int_equal(n.packets, 3);
	lib_no_rule(drop);
	lib_no_rule(mirror);
}

static void lib_refused(int got, const char *words)
{
	assert_true(got < 0);
	if (!strstr(dvx_strerror(got), words))
		fail_msg("\"%s\" lacks \"%s\"", dvx_strerror(got), words);
}

/* All packets go on to the table, and a copy of some to a vport; the manager's cannot be named. */
TEST(none, samples)
{
	const struct dvx_flow_match m = lib_match(ANY, 0);
	struct dvx_flow_action *none, *before = t.to[TO_TABLE],
				      *count[] = {t.to[TO_COUNT], t.to[TO_PF]};
	struct dvx_flow_table *next;
	struct dvx_flow_matcher *all;
	struct dvx_flow_rule *on, *sample;
	struct dvx_flow_rule_attr attr = {
		.size = sizeof(attr), .match = &m, .actions = count, .action_count = 2};
	struct dvx_flow_count n, after;

	assert_int_equal(dvx_flow_table_create(t.domain, 3, &next), 0);
	all = lib_matcher(next, 0, ANY, 0);
	attr.matcher = all;
	assert_int_equal(dvx_flow_rule_create(&attr, &on), 0);
	lib_refused(dvx_flow_action_create_sample(t.domain, 1, t.to[TO_ECPF], next, &none),
		    "to is vport 0xfffe");
	lib_refused(dvx_flow_action_create_sample(t.domain, 0, t.to[TO_PF], next, &none),
		    "ratio is 0");
	lib_refused(dvx_flow_action_create_sample(t.domain, 1, t.to[TO_DROP], next, &none),
		    "to is no vport action");
	/* one in one, so that the second copy shows that the first one has arrived */
	assert_int_equal(
		dvx_flow_action_create_sample(t.domain, 1, t.to[TO_PF], next, &t.to[TO_TABLE]), 0);
	sample = lib_rule(ANY, 22, TO_TABLE, -1);
	assert_int_equal(dvx_flow_counter_query(t.counter, 0, 1, &n), 0);
	send_from_dpu(&t.ends, 22);
	assert_at_host(&t.ends, 22);
	assert_at_host(&t.ends, 22);
	assert_int_equal(dvx_flow_counter_query(t.counter, 0, 1, &after), 0);
	assert_int_equal(after.packets - n.packets, 1);
	lib_no_rule(sample);
	assert_int_equal(dvx_flow_action_destroy(t.to[TO_TABLE]), 0);
	t.to[TO_TABLE] = before;
	lib_no_rule(on);
	assert_int_equal(dvx_flow_matcher_destroy(all), 0);
	assert_int_equal(dvx_flow_table_destroy(next), 0);
}

TEST(none, from_the_wire)
{
	struct dvx_flow_rule *uplink = lib_rule(DVX_FLOW_UPLINK, WIRE_MARK, TO_PF, -1);
	struct dvx_flow_rule *out = lib_rule(DVX_FLOW_PF, WIRE_MARK, TO_WIRE, -1);
	const char *replay = getenv("REPLAY");

	assert_non_null(replay);
	assert_int_equal(system(replay), 0);
	assert_at_host(&t.ends, WIRE_MARK);
	/* nothing is attached to the wire: dr_fdb.sh reads the chip's counter */
	send_from_host(&t.ends, WIRE_MARK);
	lib_no_rule(uplink);
	lib_no_rule(out);
}

/* The device's refusals name the vport; the root's, what is possible there. */
TEST(none, refusals)
{
	struct dvx_flow_match nine = lib_match(9, 30), all = lib_match(ANY, 0);
	struct dvx_flow_action *action;
	struct dvx_flow_rule *rule;

	lib_refused(dvx_flow_action_create_vport(t.domain, 9, &action), "knows no vport 9 (vf8)");
	lib_refused(lib_try(t.by_mark[1], &nine, TO_PF, -1, &rule),
		    "source_port: mlx5_0 knows no vport 9 (vf8)");
	lib_refused(lib_try(t.all, &all, TO_PF, -1, &rule), "vport in the FDB's root");
	lib_refused(dvx_flow_action_create_array(
			    t.domain, (struct dvx_flow_action *[]){t.to[TO_ECPF], t.to[TO_PF]}, 2,
			    &action),
		    "members[0] is vport 0xfffe");
}
