/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules with their bookkeeping (rules.h): packets are judged by them while tables fill and grow. */
#include "tests/test.h"
#include <dvx/rules.h>
#include "lib_flow_stage.h"

#define MANY  1500u
#define FIRST 3000u /* port */

/* Rules of UDP ports, in a table for one; other packets go to a. */
struct ports {
	struct stage *s;
	struct dvx_flow_matcher *m, *rest;
	struct dvx_flow_rule *to_a;
	struct dvx_rules *rules;
	struct dvx_hws_image to_b, drop;
	uint32_t number[MANY];
};

static const struct dvx_flow_match everything;

static void ports_image(struct ports *p, struct dvx_flow_action **action, struct dvx_hws_image *out)
{
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_rule_attr attr = rule_attr(p->m, &m, action, 1);

	OK(dvx_hws_image_make(&attr, 0, out));
}

static void ports_open(struct ports *p, struct stage *s)
{
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = &m, .expected_rules = 1};
	struct dvx_rules_attr rules = {.size = sizeof(rules)};

	memset(p, 0, sizeof(*p));
	p->s = s;
	p->rest = matcher(s->table, &everything, 9);
	p->to_a = rule(p->rest, &everything, &s->to_a, 1);
	OK(dvx_flow_matcher_create(s->table, &attr, &p->m));
	rules.matcher = p->m;
	OK(dvx_rules_create(&rules, &p->rules));
	ports_image(p, &s->to_b, &p->to_b);
	ports_image(p, &s->drop, &p->drop);
}

static void ports_close(struct ports *p)
{
	OK(dvx_rules_destroy(p->rules));
	OK(dvx_flow_matcher_destroy(p->m));
	OK(dvx_flow_rule_destroy(p->to_a));
	OK(dvx_flow_matcher_destroy(p->rest));
}

static void ports_insert(struct ports *p, uint32_t i, const struct dvx_hws_image *image)
{
	struct dvx_flow_match m = udp(4, (uint16_t)(FIRST + i));
	uint8_t tag[DVX_TAG_BYTES];

	OK(dvx_hws_tag_make(p->m, &m, tag));
	OK(dvx_rules_insert(p->rules, image, tag, &p->number[i]));
}

static void port_gets(struct ports *p, struct inbox *in, uint32_t i)
{
	struct frame_spec spec = {.dport = (uint16_t)(FIRST + i)};

	spec_send(p->s->f, spec);
	inbox_gets(in, spec, 0);
}

/* All of 1500 rules in a table for one are in effect, then every second one is not, then none. */
TEST(below, fills_and_grows)
{
	static struct ports p;

	ports_open(&p, s);
	for (uint32_t i = 0; i < MANY; i++)
		ports_insert(&p, i, &p.to_b);
	OK(dvx_rules_flush(p.rules));
	assert_int_equal(dvx_rules_count(p.rules), MANY);
	for (uint32_t i = 0; i < MANY; i += 7)
		port_gets(&p, &s->b, i);
	for (uint32_t i = 0; i < MANY; i += 2)
		OK(dvx_rules_delete(p.rules, p.number[i]));
	OK(dvx_rules_flush(p.rules));
	for (uint32_t i = 0; i < MANY; i += 7)
		port_gets(&p, i % 2 ? &s->b : &s->a, i);
	for (uint32_t i = 0; i < MANY; i += 2)
		ports_insert(&p, i, &p.to_b);
	for (uint32_t i = 0; i < MANY; i++)
		OK(dvx_rules_delete(p.rules, p.number[i]));
	OK(dvx_rules_flush(p.rules));
	assert_int_equal(dvx_rules_count(p.rules), 0);
	for (uint32_t i = 0; i < MANY; i += 97)
		port_gets(&p, &s->a, i);
	ports_close(&p);
}

/* Other actions take effect where the rule is, also for one whose row was full. */
TEST(below, updates)
{
	static struct ports p;

	ports_open(&p, s);
	for (uint32_t i = 0; i < 40; i++)
		ports_insert(&p, i, &p.drop);
	for (uint32_t i = 0; i < 40; i++)
		OK(dvx_rules_update(p.rules, p.number[i], &p.to_b));
	OK(dvx_rules_flush(p.rules));
	for (uint32_t i = 0; i < 40; i++)
		port_gets(&p, &s->b, i);
	ports_close(&p);
}

/* A number that no rule has, a matcher that has rules here, one that requests do not write. */
TEST(below, refusals)
{
	struct dvx_rules_attr attr = {.size = sizeof(attr)};
	struct dvx_rules *none = NULL;
	static struct ports p;

	ports_open(&p, s);
	ports_insert(&p, 0, &p.to_b);
	refused(dvx_rules_delete(p.rules, p.number[0] + 1), -ENOENT, "dvx_rules_delete", "no rule");
	refused(dvx_rules_update(p.rules, 1u << 20, &p.drop), -ENOENT, "dvx_rules_update",
		"no rule");
	refused(dvx_flow_matcher_destroy(p.m), -EBUSY, "matcher", "1 rules are still in it");
	refused(dvx_rules_create(&attr, &none), -EINVAL, "matcher", "NULL");
	assert_null(none);
	OK(dvx_rules_delete(p.rules, p.number[0]));
	ports_close(&p);
}
