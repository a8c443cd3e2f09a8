/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware steering in the FDB: a rule is two requests, one for each side, and packets of this
 * function meet that of TX. Rules of flow.h are tested by tests/flow/switch_diff.sh.
 */
#include "tests/test.h"
#include <dvx/rules.h>
#include "lib_hws_rig.h"

/* A table of the FDB, and a rule that counts packets of a UDP port on their way back to this function. */
struct fdb {
	struct stage s, *rx;
	struct dvx_flow_matcher *m, *any;
	struct dvx_flow_rule *to_a;
	struct dvx_flow_counter *counter;
	struct dvx_flow_action *count, *vport;
	struct dvx_hws_image image[2]; /* RX, TX */
	struct dvx_cq *cq;
	struct dvx_txq *txq;
};

static void fdb_queue_open(struct fdb *t)
{
	struct dvx_dev *dev = t->rx->f->r.dev;
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64, .uar = t->rx->f->r.uar};
	struct dvx_txq_attr tx = {.size = sizeof(tx),
				  .flags = DVX_TXQ_RULES,
				  .sq_blocks = 128,
				  .uar = t->rx->f->r.uar,
				  .pd = dvx_flow_domain_pd(t->s.domain)};

	OK(dvx_cq_create(dev, &cq, &t->cq));
	tx.cq = t->cq;
	OK(dvx_txq_create(dev, &tx, &t->txq));
}

static void fdb_open(struct fdb *t, struct stage *rx)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_rule_attr attr;

	*t = (struct fdb){.rx = rx};
	t->any = matcher(rx->table, &all, 0);
	t->to_a = rule(t->any, &all, &rx->to_a, 1);
	stage_tables_open(&t->s, rx->f, DVX_FLOW_FDB);
	OK(dvx_flow_counter_create(rx->f->r.dev, 1, &t->counter));
	OK(dvx_flow_action_create_count(t->s.domain, t->counter, 0, &t->count));
	OK(dvx_flow_action_create_vport(t->s.domain, DVX_FLOW_PF, &t->vport));
	t->m = matcher(t->s.table, &m, 0);
	attr = rule_attr(t->m, &m, (struct dvx_flow_action *[]){t->count, t->vport}, 2);
	OK(dvx_hws_image_make(&attr, 0, &t->image[0]));
	OK(dvx_hws_image_make(&attr, DVX_HWS_TX, &t->image[1]));
	fdb_queue_open(t);
}

static void fdb_close(struct fdb *t)
{
	OK(dvx_txq_destroy(t->txq));
	OK(dvx_cq_destroy(t->cq));
	OK(dvx_flow_matcher_destroy(t->m));
	OK(dvx_flow_action_destroy(t->vport));
	OK(dvx_flow_action_destroy(t->count));
	OK(dvx_flow_counter_destroy(t->counter));
	stage_tables_close(&t->s, DVX_FLOW_FDB);
	OK(dvx_flow_rule_destroy(t->to_a));
	OK(dvx_flow_matcher_destroy(t->any));
}

/* Rings, and waits for the signaled request, which must not have failed. */
static void fdb_done(struct fdb *t)
{
	struct dvx_wc wc;

	dvx_sq_ring(dvx_txq_ring(t->txq));
	wait_cqe(t->cq);
	assert_int_equal(dvx_cq_poll(t->cq, &wc), 1);
	assert_false(dvx_rule_failed(&wc));
}

/* A packet comes back in any case: the miss leads to the manager, too. It is counted by the rule. */
static void fdb_counts(struct fdb *t, uint64_t packets)
{
	struct frame_spec spec = {.dport = 53};
	struct dvx_flow_count got;

	spec_send(t->rx->f, spec);
	inbox_gets(&t->rx->a, spec, 0);
	OK(dvx_flow_counter_query(t->counter, 0, 1, &got));
	assert_int_equal(got.packets, packets);
}

TEST(below, two_requests)
{
	struct dvx_flow_match m = udp(4, 53);
	uint8_t tag[DVX_TAG_BYTES];
	struct dvx_sq *sq;
	struct fdb t;

	fdb_open(&t, s);
	sq = dvx_txq_ring(t.txq);
	OK(dvx_hws_tag_make(t.m, &m, tag));
	fdb_counts(&t, 0);
	OK(dvx_post_rule(sq, &t.image[0], tag, 1, DVX_SIGNALED));
	fdb_done(&t);
	fdb_counts(&t, 0);
	OK(dvx_post_rule(sq, &t.image[1], tag, 2, DVX_SIGNALED));
	fdb_done(&t);
	fdb_counts(&t, 1);
	OK(dvx_post_rule_del(sq, &t.image[1], tag, 3, 0));
	OK(dvx_post_rule_del(sq, &t.image[0], tag, 4, DVX_SIGNALED));
	fdb_done(&t);
	fdb_counts(&t, 1);
	fdb_close(&t);
}

/* A rule gets both requests or none: room for one is no room. Another one's failure meanwhile is the sync's. */
TEST(below, half_posted)
{
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_rule *r = NULL;
	struct dvx_flow_rule_attr attr;
	struct fdb t;

	fdb_open(&t, s);
	attr = rule_attr(t.m, &m, (struct dvx_flow_action *[]){t.count, t.vport}, 2);
	domain_fills(hws_domain(t.s.domain), &t.image[0], 2 * DVX_RULE_BLOCKS);
	OK(dvx_flow_rule_create(&attr, &r));
	refused(dvx_flow_domain_sync(t.s.domain), -EIO, "refused a rule's deletion", "");
	OK(dvx_flow_domain_sync(t.s.domain));
	fdb_counts(&t, 1);
	OK(dvx_flow_rule_destroy(r));
	fdb_close(&t);
}

TEST(below, refused_in_the_fdb)
{
	static const char *const fields[] = {"misc_parameters.source_port", "metadata_reg_a"};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr)};
	struct dvx_rules_attr rules = {.size = sizeof(rules)};
	struct dvx_flow_action *no_action = NULL;
	struct dvx_flow_matcher *no_matcher = NULL;
	struct dvx_flow_rule *no_rule = NULL;
	struct dvx_flow_rule_attr away;
	struct dvx_rules *none = NULL;
	struct dvx_flow_match m = {0};
	struct fdb t;

	fdb_open(&t, s);
	rules.matcher = t.m;
	refused(dvx_rules_create(&rules, &none), -EOPNOTSUPP, "attr.matcher is of the FDB",
		"two requests");
	refused(dvx_flow_action_create_vport(t.s.domain, 77, &no_action), -EINVAL, "vport",
		"knows no vport 77");
	attr.match = &m;
	OK(dvx_flow_match_set(&m, "metadata_reg_a", 1, 1));
	refused(dvx_flow_matcher_create(t.s.table, &attr, &no_matcher), -EOPNOTSUPP,
		"metadata_reg_a", "in the FDB");
	refused(dvx_flow_action_create_root(t.s.domain, 0, &no_action), -EINVAL,
		"dvx_flow_action_create_root", "domain is FDB");
	m = (struct dvx_flow_match){0};
	refused(dvx_hws_matcher_create_ranges(t.s.table, &attr, fields, 1, &no_matcher),
		-EOPNOTSUPP, "no ranges of", "source_port");
	refused(dvx_hws_matcher_create_ranges(t.s.table, &attr, fields + 1, 1, &no_matcher),
		-EOPNOTSUPP, "metadata_reg_a", "in the FDB");
	OK(dvx_flow_match_vport(&m, 77));
	OK(dvx_flow_matcher_create(t.s.table, &attr, &no_matcher));
	away = rule_attr(no_matcher, &m, &t.vport, 1);
	refused(dvx_flow_rule_create(&away, &no_rule), -EINVAL, "source_port", "knows no vport 77");
	OK(dvx_flow_matcher_destroy(no_matcher));
	away = rule_attr(t.s.link_matcher, &(struct dvx_flow_match){0}, &t.vport, 1);
	refused(dvx_flow_rule_create(&away, &no_rule), -EOPNOTSUPP, "vport in the FDB's root",
		"another level");
	fdb_close(&t);
}
