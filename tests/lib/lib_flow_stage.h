/* SPDX-License-Identifier: BSD-2-Clause */
/* A receive or send side with a table of the run's level that all packets enter. */
#ifndef TESTS_LIB_FLOW_STAGE_H
#define TESTS_LIB_FLOW_STAGE_H

#include "lib_flow_rig.h"

/* A test's domain, and the table for its rules, which all packets enter. */
struct stage {
	struct flow_rig *f;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table, *root;
	struct dvx_flow_matcher *link_matcher;
	struct dvx_flow_rule *link;
	struct dvx_flow_action *to_table, *drop;
	struct inbox a, b;
	struct dvx_flow_action *to_a, *to_b;
};

/* Flags of the stages' domains: a second program of a test has hardware steering. */
#ifdef STAGE_HARDWARE
#define STAGE_FLAGS DVX_FLOW_HARDWARE
#else
#define STAGE_FLAGS 0
#endif

static uint32_t level; /* level of the test's tables; 0: in the root */

static inline struct dvx_flow_matcher *matcher(struct dvx_flow_table *t,
					       const struct dvx_flow_match *m, uint32_t priority)
{
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = m, .priority = priority};
	struct dvx_flow_matcher *out = NULL;

	OK(dvx_flow_matcher_create(t, &attr, &out));
	return out;
}

static inline struct dvx_flow_rule_attr rule_attr(struct dvx_flow_matcher *matcher,
						  const struct dvx_flow_match *m,
						  struct dvx_flow_action *const *actions,
						  uint32_t n)
{
	return (struct dvx_flow_rule_attr){.size = sizeof(struct dvx_flow_rule_attr),
					   .matcher = matcher,
					   .match = m,
					   .actions = actions,
					   .action_count = n};
}

static inline struct dvx_flow_rule *rule(struct dvx_flow_matcher *matcher,
					 const struct dvx_flow_match *m,
					 struct dvx_flow_action *const *actions, uint32_t n)
{
	struct dvx_flow_rule_attr attr = rule_attr(matcher, m, actions, n);
	struct dvx_flow_rule *out = NULL;

	OK(dvx_flow_rule_create(&attr, &out));
	return out;
}

/* The domain of a side, and its tables. */
static inline void stage_tables_open(struct stage *s, struct flow_rig *f, enum dvx_flow_side side)
{
	struct dvx_flow_domain_attr attr = {
		.size = sizeof(attr), .flags = STAGE_FLAGS, .side = side};
	static const struct dvx_flow_match all;

	memset(s, 0, sizeof(*s));
	s->f = f;
	OK(dvx_flow_domain_create(s->f->r.dev, &attr, &s->domain));
	f->domain[side] = s->domain;
	OK(dvx_flow_table_create(s->domain, level, &s->table));
	OK(dvx_flow_action_create_drop(s->domain, &s->drop));
	if (!level)
		return;
	OK(dvx_flow_table_create(s->domain, 0, &s->root));
	OK(dvx_flow_action_create_table(s->domain, s->table, &s->to_table));
	s->link_matcher = matcher(s->root, &all, 3);
	s->link = rule(s->link_matcher, &all, &s->to_table, 1);
}

static inline void stage_tables_close(struct stage *s, enum dvx_flow_side side)
{
	s->f->domain[side] = NULL;
	OK(dvx_flow_rule_destroy(s->link));
	OK(dvx_flow_matcher_destroy(s->link_matcher));
	OK(dvx_flow_action_destroy(s->to_table));
	OK(dvx_flow_action_destroy(s->drop));
	OK(dvx_flow_table_destroy(s->table));
	OK(dvx_flow_table_destroy(s->root));
	OK(dvx_flow_domain_destroy(s->domain));
}

static inline void stage_open(struct stage *s, void **state)
{
	stage_tables_open(s, *state, DVX_FLOW_RX);
	inbox_open(s->f, &s->a, 0);
	inbox_open(s->f, &s->b, 1);
	OK(dvx_flow_action_create_queue(s->domain, s->a.rxq, &s->to_a));
	OK(dvx_flow_action_create_queue(s->domain, s->b.rxq, &s->to_b));
}

static inline void stage_close(struct stage *s)
{
	OK(dvx_flow_action_destroy(s->to_b));
	OK(dvx_flow_action_destroy(s->to_a));
	stage_tables_close(s, DVX_FLOW_RX);
	inbox_close(&s->b);
	inbox_close(&s->a);
}

/* A TX side, and a rule by which the first queue gets all packets that it lets out. */
struct stage_tx {
	struct stage s; /* without queues */
	struct dvx_flow_action *pass;
	struct dvx_flow_matcher *any;
	struct dvx_flow_rule *rest;
};

static inline void stage_tx_open(struct stage_tx *tx, struct stage *rx)
{
	static const struct dvx_flow_match all;

	tx->any = matcher(rx->table, &all, 0);
	tx->rest = rule(tx->any, &all, &rx->to_a, 1);
	stage_tables_open(&tx->s, rx->f, DVX_FLOW_TX);
	OK(dvx_flow_action_create_default(tx->s.domain, &tx->pass));
}

static inline void stage_tx_close(struct stage_tx *tx)
{
	OK(dvx_flow_action_destroy(tx->pass));
	stage_tables_close(&tx->s, DVX_FLOW_TX);
	OK(dvx_flow_rule_destroy(tx->rest));
	OK(dvx_flow_matcher_destroy(tx->any));
}

static inline struct dvx_flow_match udp(uint8_t version, uint16_t dport)
{
	struct dvx_flow_match m = {0};

	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, version));
	OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, dport, 0xffff));
	return m;
}

/* Runs a test on a stage of this level; or in the root and in tables of software steering. */
static inline void stage_test(void (*test)(struct stage *), uint32_t at, void **state)
{
	struct stage s;

	level = at;
	stage_open(&s, state);
	test(&s);
	stage_close(&s);
}
#define FIXTURE_below(name)                          \
	static void name##_on(struct stage *s);      \
	FIXTURE_none(name)                           \
	{                                            \
		stage_test(name##_on, 3, &no_state); \
	}                                            \
	static void name##_on(struct stage *s)
/* Level 0 of a domain of hardware steering has few actions: its programs test the other levels. */
#ifdef STAGE_HARDWARE
#define FIXTURE_root_of(name)
#else
#define FIXTURE_root_of(name)                        \
	FIXTURE_none(name##_in_root)                 \
	{                                            \
		stage_test(name##_on, 0, &no_state); \
	}
#endif
#define FIXTURE_levels(name)                             \
	static void name##_on(struct stage *s);          \
	FIXTURE_root_of(name) FIXTURE_none(name##_below) \
	{                                                \
		stage_test(name##_on, 3, &no_state);     \
	}                                                \
	static void name##_on(struct stage *s)
/* Tests of what hardware steering does not do, or does differently. */
#ifdef STAGE_HARDWARE
#define FIXTURE_software(name)	      static __attribute__((unused)) void name##_on(struct stage *s)
#define FIXTURE_software_levels(name) FIXTURE_software(name)
#else
#define FIXTURE_software(name)	      FIXTURE_below(name)
#define FIXTURE_software_levels(name) FIXTURE_levels(name)
#endif
TEST_GROUP(flow_open, flow_close)

#endif
