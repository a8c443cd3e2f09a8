/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fake mlx5dv_dr that records its arguments and fails on request. The program's definitions take
 * precedence over libmlx5's.
 */
#ifndef TEST_FLOW_FAKE_RIG_H
#define TEST_FLOW_FAKE_RIG_H

#include "tests/test.h"
#include <stdio.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/dvx.h>

struct fake {
	bool no_sw, no_sip, no_tag;
	bool eswitch, fl_enabled;
	uint32_t flex;
	uint8_t format;
	int domain_err, table_err, matcher_err, rule_err, rule_destroy_err, anchor_err;
	unsigned int rules_before_err;
	bool refuse_tcp;  /* matchers that compare tcp_flags */
	bool refuse_both; /* matchers that compare tcp_flags and ip_ecn */
	bool refuse_misc; /* matchers that compare anything besides the outer headers */
	/* the last arguments */
	uint8_t mask[512], value[512];
	size_t mask_sz, value_sz, actions;
	uint8_t criteria;
	void *action[8];
	/* objects that exist */
	int domains, tables, matchers, rules, made;
};
extern struct fake fake;
extern struct dvx_dev *dev;

struct stage {
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_flow_action *drop;
};

/* Makes the device, with the capabilities of the struct fake that the state is, if it is not NULL. */
int fake_setup(void **state);
/* Fails if an object still exists. */
int fake_teardown(void **state);
void fake_open_stage(struct stage *s, enum dvx_flow_side side, uint32_t level);
void fake_close_stage(struct stage *s);
#define FIXTURE_stage(name, side, level)                         \
	static void name##_on(struct stage *s);                  \
	FIXTURE(name, void *no_state, fake_setup, fake_teardown) \
	{                                                        \
		struct stage stage;                              \
                                                                 \
		fake_open_stage(&stage, side, level);            \
		name##_on(&stage);                               \
		fake_close_stage(&stage);                        \
	}                                                        \
	static void name##_on(struct stage *s)
int fake_try_matcher(struct stage *s, const struct dvx_flow_match *m,
		     struct dvx_flow_matcher **out);
int fake_try_rule(struct dvx_flow_matcher *mt, const struct dvx_flow_match *m,
		  struct dvx_flow_action *const *actions, uint32_t n, struct dvx_flow_rule **out);
/* Checks that the last error contains both texts. */
void fake_check_error(const char *a, const char *b);
void fake_refused(int got, int err, const char *a, const char *b);

#endif
