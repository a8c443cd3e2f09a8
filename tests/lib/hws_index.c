/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules by index, and what becomes of queues of rules that break, the program's and a domain's, and
 * of rules whose removal fails.
 */
#include "tests/test.h"
#include <dvx/rules.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/flow.h>
#include "lib_hws_rig.h"

/* Two rules, of UDP ports, that set register C3 to an index and lead to a table. */
struct indexed {
	struct dvx_flow_table *behind;
	struct dvx_flow_action *go, *set[2];
	struct dvx_flow_matcher *ports, *linear, *rest;
	struct dvx_flow_rule *port[2], *to_a;
	struct ring_of_rules r;
};

static void index_port(struct indexed *t, struct stage *s, uint32_t i, uint32_t index)
{
	struct dvx_flow_match m = udp(4, (uint16_t)(50 + i));
	struct dvx_flow_rewrites list = {0};

	OK(dvx_flow_rewrite_set(&list, "metadata_reg_c_3", index));
	OK(dvx_flow_action_create_modify(s->domain, &list, &t->set[i]));
	t->port[i] = rule(t->ports, &m, (struct dvx_flow_action *[]){t->set[i], t->go}, 2);
}

static void indexed_open(struct indexed *t, struct stage *s)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_rule_attr to_b;

	rules_open(&t->r, s, &m, 8); /* its queue is used */
	t->ports = matcher(s->table, &m, 0);
	OK(dvx_flow_table_create(s->domain, 5, &t->behind));
	OK(dvx_flow_action_create_table(s->domain, t->behind, &t->go));
	index_port(t, s, 0, 9);
	index_port(t, s, 1, 10);
	OK(dvx_hws_matcher_create_linear(t->behind, 0, 10, &t->linear));
	to_b = rule_attr(t->linear, &all, &s->to_b, 1);
	OK(dvx_hws_image_make(&to_b, 0, &t->r.image));
	t->rest = matcher(t->behind, &all, 1);
	t->to_a = rule(t->rest, &all, &s->to_a, 1);
}

static void indexed_close(struct indexed *t)
{
	OK(dvx_flow_rule_destroy(t->to_a));
	OK(dvx_flow_matcher_destroy(t->rest));
	OK(dvx_flow_matcher_destroy(t->linear));
	for (uint32_t i = 0; i < 2; i++) {
		OK(dvx_flow_rule_destroy(t->port[i]));
		OK(dvx_flow_action_destroy(t->set[i]));
	}
	OK(dvx_flow_matcher_destroy(t->ports));
	OK(dvx_flow_action_destroy(t->go));
	OK(dvx_flow_table_destroy(t->behind));
	rules_close(&t->r);
}

/* A rule by index is of packets whose register has its number; others go on behind the matcher. */
TEST(below, by_index)
{
	struct indexed t;

	indexed_open(&t, s);
	port_gets(&t.r, &s->a, 50);
	OK(dvx_post_rule_at(t.r.sq, &t.r.image, 9, 1, DVX_SIGNALED));
	assert_false(answer(&t.r, 1));
	port_gets(&t.r, &s->b, 50);
	port_gets(&t.r, &s->a, 51);
	OK(dvx_post_rule_at(t.r.sq, &t.r.image, 16, 2, 0)); /* 10 rules make a table of 16 */
	assert_true(answer(&t.r, 2));
	OK(dvx_post_rule_at_del(t.r.sq, &t.r.image, 9, 3, DVX_SIGNALED));
	assert_false(answer(&t.r, 3));
	port_gets(&t.r, &s->a, 50);
	OK(dvx_post_rule_at_del(t.r.sq, &t.r.image, 9, 4, 0));
	assert_true(answer(&t.r, 4));
	indexed_close(&t);
}

TEST(below, by_index_refused)
{
	static const struct dvx_flow_match all;
	struct dvx_rules_attr rules = {.size = sizeof(rules)};
	struct dvx_flow_matcher *none = NULL;
	struct dvx_flow_rule *no_rule = NULL;
	struct dvx_flow_rule_attr attr;
	struct dvx_rules *no_rules = NULL;
	struct dvx_hws_image image;
	uint8_t tag[DVX_TAG_BYTES];
	struct indexed t;

	indexed_open(&t, s);
	attr = rule_attr(t.linear, &all, &s->to_b, 1);
	rules.matcher = t.linear;
	refused(dvx_flow_rule_create(&attr, &no_rule), -EINVAL, "have an index", "rule_at()");
	refused(dvx_rules_create(&rules, &no_rules), -EINVAL, "dvx_rules_create", "rule_at()");
	refused(dvx_hws_tag_make(t.linear, &all, tag), -EINVAL, "have an index", "rule_at()");
	assert_int_equal(dvx_hws_tag_bytes(t.linear), 0);
	refused(dvx_hws_image_make(&attr, DVX_HWS_SPILL, &image), -EINVAL, "DVX_HWS_SPILL",
		"one table");
	refused(dvx_hws_matcher_create_linear(s->table, 0, 65537, &none), -ERANGE, "rules is 65537",
		"1 to 65536");
	refused(dvx_hws_matcher_create_linear(s->table, 65536, 1, &none), -ERANGE, "priority 65536",
		"65536");
	refused(dvx_hws_matcher_create_linear(s->root, 0, 1, &none), -EINVAL, "table is not",
		"level 1");
	indexed_close(&t);
}

/* A request that no table could execute ends the queue, and those behind it are flushed. */
TEST(below, queue_broke)
{
	struct dvx_flow_match m = udp(4, 53);
	uint8_t tag[DVX_TAG_BYTES];
	struct ring_of_rules r;
	struct dvx_wc wc;

	rules_open(&r, s, &m, 8);
	port_tag(&r, 53, tag);
	prm_wqe_ctrl_seg_set_general_id(r.image.wqe, 0xfffffff);
	OK(dvx_post_rule(r.sq, &r.image, tag, 1, 0));
	OK(dvx_post_rule(r.sq, &r.image, tag, 2, DVX_SIGNALED));
	dvx_sq_ring(r.sq);
	wait_cqe(r.cq);
	assert_int_equal(dvx_cq_poll(r.cq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	wait_cqe(r.cq);
	assert_int_equal(dvx_cq_poll(r.cq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
	rules_close(&r);
}

/* A domain whose own queue broke refuses rules, and says what to do. */
TEST(below, domain_broke)
{
	struct dvx_flow_match m = udp(4, 53);
	struct hws_domain *d = hws_domain(s->domain);
	struct dvx_sq *sq = dvx_txq_ring(d->queue.txq);
	uint8_t tag[DVX_TAG_BYTES];
	struct ring_of_rules r;

	rules_open(&r, s, &m, 8);
	port_tag(&r, 53, tag);
	prm_wqe_ctrl_seg_set_general_id(r.image.wqe, 0xfffffff);
	OK(dvx_post_rule(sq, &r.image, tag, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
	d->waiting++;
	refused(dvx_flow_domain_sync(s->domain), -EIO, "hardware steering", "breaks a rule");
	refused(dvx_flow_domain_sync(s->domain), -EIO, "an earlier request failed",
		"make a new domain");
	d->waiting = 0;
	rules_close(&r);
}

/*
 * A rule that another one with its values cannot replace stays, and is found again: the domain's
 * queue seems full, and its completions lost, until the rules are removed a third time.
 */
TEST(below, replacement_fails)
{
	struct dvx_flow_match m = udp(4, 53);
	struct hws_domain *d = hws_domain(s->domain);
	struct dvx_sq *sq = dvx_txq_ring(d->queue.txq);
	const uint32_t free = dvx_sq_free(sq);
	struct dvx_flow_rule *one, *two;
	struct ring_of_rules r;

	rules_open(&r, s, &m, 8);
	one = rule(r.m, &m, &s->to_a, 1);
	two = rule(r.m, &m, &s->to_b, 1);
	OK(dvx_flow_domain_sync(s->domain));
	sq->ci -= free;
	d->broken = -EIO;
	for (int i = 0; i < 2; i++)
		refused(dvx_flow_rule_destroy(one), -EIO, "an earlier request failed",
			"make a new domain");
	port_gets(&r, &s->a, 53);
	sq->ci += free;
	d->broken = 0;
	OK(dvx_flow_rule_destroy(one));
	port_gets(&r, &s->b, 53);
	OK(dvx_flow_rule_destroy(two));
	rules_close(&r);
}

/* A domain with a queue in its PD stays as it is, and goes when the queue is gone. */
TEST(below, queue_in_the_pd)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .flags = DVX_FLOW_HARDWARE};
	struct dvx_txq_attr tx = {.size = sizeof(tx),
				  .flags = DVX_TXQ_RULES,
				  .sq_blocks = 16,
				  .uar = s->f->r.uar,
				  .cq = s->f->tx_cq};
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_domain *domain;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_table *table;
	struct dvx_flow_action *drop;
	struct dvx_flow_rule *r;
	struct dvx_txq *txq;

	OK(dvx_flow_domain_create(s->f->r.dev, &attr, &domain));
	tx.pd = dvx_flow_domain_pd(domain);
	OK(dvx_txq_create(s->f->r.dev, &tx, &txq));
	refused(dvx_flow_domain_destroy(domain), -EBUSY, "1 objects", "in its PD");
	OK(dvx_flow_table_create(domain, 1, &table));
	OK(dvx_flow_action_create_drop(domain, &drop));
	mt = matcher(table, &m, 0);
	r = rule(mt, &m, &drop, 1);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(drop));
	OK(dvx_flow_table_destroy(table));
	OK(dvx_txq_destroy(txq));
	OK(dvx_flow_domain_destroy(domain));
}

/* Another request's failure, which the removal of a rule of two entries meets, is the next sync's. */
TEST(below, removed_beside_a_failure)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_action *three[3] = {s->to_b};
	struct hws_domain *d = hws_domain(s->domain);
	struct dvx_flow_rule *two;
	struct ring_of_rules r;

	OK(dvx_flow_match_set(&m, "inner_headers.cvlan_tag", 1, 1));
	rules_open(&r, s, &m, 8);
	OK(dvx_flow_action_create_decap_l2(s->domain, &three[1]));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &three[2]));
	two = rule(r.m, &m, three, 3);
	OK(dvx_flow_domain_sync(s->domain));
	domain_fills(d, &r.image, dvx_sq_free(dvx_txq_ring(d->queue.txq)) / 2);
	OK(dvx_flow_rule_destroy(two));
	refused(dvx_flow_domain_sync(s->domain), -EIO, "refused a rule's deletion", "");
	OK(dvx_flow_domain_sync(s->domain));
	OK(dvx_flow_action_destroy(three[2]));
	OK(dvx_flow_action_destroy(three[1]));
	rules_close(&r);
}

/* Another request's failure, which the write of an argument meets, is the next sync's. */
TEST(below, argument_beside_a_failure)
{
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *two[2];
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_rule *to_b = NULL;
	struct ring_of_rules r;
	struct frame f;

	rules_open(&r, s, &m, 8);
	OK(dvx_flow_rewrite_set(&list, "outer_headers.udp_sport", 7));
	OK(dvx_flow_rewrite_set(&list, "outer_headers.udp_dport", 8));
	OK(dvx_flow_action_create_modify(s->domain, &list, &two[0]));
	two[1] = s->to_b;
	attr = rule_attr(r.m, &m, two, 2);
	domain_fills(hws_domain(s->domain), &r.image, 0);
	OK(dvx_flow_rule_create(&attr, &to_b));
	refused(dvx_flow_domain_sync(s->domain), -EIO, "refused a rule's deletion", "");
	frame_build(&f, (struct frame_spec){.dport = 53});
	frame_send(s->f, &f);
	prm_store16(f.bytes, 34, 7);
	prm_store16(f.bytes, 36, 8);
	inbox_gets_frame(&s->b, &f, 0);
	OK(dvx_flow_rule_destroy(to_b));
	OK(dvx_flow_action_destroy(two[0]));
	rules_close(&r);
}

/* An array whose table could not be made is made again, and nothing is left: the device closes. */
TEST(below, array_again)
{
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0);
	const uint32_t tirn = s->to_b->object;
	struct dvx_flow_action *both;
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_rule *r = NULL, *first = rule(mt, &m, &s->to_a, 1);

	OK(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){s->to_a, s->to_b},
					2, &both));
	attr = rule_attr(mt, &m, &both, 1);
	s->to_b->object = 0xfffffe;
	/* beside a rule with its values, too, which could not go for it */
	for (int i = 0; i < 2; i++) {
		refused(dvx_flow_rule_create(&attr, &r), -EINVAL, "SET_FLOW_TABLE_ENTRY", "");
		OK(dvx_flow_rule_destroy(first));
		first = NULL;
	}
	s->to_b->object = tirn;
	OK(dvx_flow_rule_create(&attr, &r));
	spec_send(s->f, (struct frame_spec){.dport = 53});
	inbox_gets(&s->a, (struct frame_spec){.dport = 53}, 0);
	inbox_gets(&s->b, (struct frame_spec){.dport = 53}, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_action_destroy(both));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Returns whether a key of the domain has a dword of the parsed headers. */
static bool has_dword(const struct hws_domain *d, uint8_t dword)
{
	for (const struct hws_key *k = d->keys; k; k = k->next)
		if (memchr(k->dwords, dword, sizeof(k->dwords)))
			return true;
	return false;
}

/* A flex parser may have the number 0; whether there is one is a bit of flex_parser_protocols. */
TEST(below, parser_0)
{
	static const struct {
		uint32_t parser;
		uint8_t dword; /* of flex_parser_N in definer_hl */
	} rows[] = {{0, 0x1120 / 32}, {6, 0x1060 / 32}};
	struct dvx_flow_match m = udp(4, 6081);
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &m};
	struct hws_domain *d = hws_domain(s->domain);
	struct dvx_flow_matcher *mt = NULL;
	const void *cap;
	void *page; /* libdvx's own */

	OK(dvx_flow_match_set(&m, "misc_parameters_3.geneve_tlv_option_0_data", 7, UINT32_MAX));
	OK(dvx_dev_cap_page(s->f->r.dev, PRM_HCA_CAP_TYPE_GENERAL, &cap));
	page = (void *)(uintptr_t)cap;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		prm_cmd_hca_cap_set_flex_parser_id_geneve_tlv_option_0(page, rows[i].parser);
		assert_false(has_dword(d, rows[i].dword));
		OK(dvx_flow_matcher_create(s->table, &attr, &mt));
		assert_true(has_dword(d, rows[i].dword));
		OK(dvx_flow_matcher_destroy(mt));
	}
	prm_cmd_hca_cap_set_flex_parser_protocols(page, 0);
	refused(dvx_flow_matcher_create(s->table, &attr, &mt), -EOPNOTSUPP,
		"geneve_tlv_option_0_data", "flex_parser_protocols bit 10");
}
