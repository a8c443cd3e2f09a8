/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <dvx/clock.h>
#include <dvx/prm/object.h>

#include "generation_priv.h"
#include "dvx-flow.h"

#define LIMIT_GREEN 0 /* priorities */
#define LIMIT_OTHER 1

struct limit {
	struct dvx_flow_table *table;
	struct dvx_flow_action *to_table;
	struct dvx_flow_matcher *matcher[2];
	struct dvx_flow_rule *rule[2];
};

void limit_free(struct limit *l)
{
	if (!l)
		return;
	for (int i = 0; i < 2; i++) {
		dvx_flow_rule_destroy(l->rule[i]);
		dvx_flow_matcher_destroy(l->matcher[i]);
	}
	dvx_flow_action_destroy(l->to_table);
	dvx_flow_table_destroy(l->table);
	free(l);
}

static int limit_rule(struct limit *l, int priority, struct dvx_flow_match *match,
		      struct dvx_flow_rule_attr *attr)
{
	struct dvx_flow_matcher_attr m = {
		.size = sizeof(m), .priority = (uint32_t)priority, .match = match};
	int ret = dvx_flow_matcher_create(l->table, &m, &l->matcher[priority]);

	attr->size = sizeof(*attr);
	attr->matcher = l->matcher[priority];
	attr->match = match;
	return ret ? ret : dvx_flow_rule_create(attr, &l->rule[priority]);
}

/* Green packets go on; the rule acts on the others. */
static int limit_fill(struct generation *gen, struct limit *l, uint32_t i, uint32_t next)
{
	struct dvx_flow_match green = {0}, all = {0};
	struct dvx_flow_rule_attr attr = {.action_count = 1, .actions = &gen->table[next].to_table};
	struct table_entry x;
	int ret;

	dvx_flow_match_set(&green, match_keys[KEY_REG_C0 + OBJECT_REG].path, DVX_METER_GREEN, 0xff);
	ret = limit_rule(l, LIMIT_GREEN, &green, &attr);
	if (ret)
		return ret;
	ret = generation_rule_actions(gen, i, &x, &attr);
	return ret ? ret : limit_rule(l, LIMIT_OTHER, &all, &attr);
}

int limit_make(struct generation *gen, uint32_t i, uint32_t next, struct flow_fault *f)
{
	struct dvx_flow_domain *domain = generation_domain(gen, next);
	struct limit *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	gen->hold[i].limit = l;
	/* The compiler keeps the level before `next` free. */
	ret = dvx_flow_table_create(domain, gen->plan.list.table[next].level - 1, &l->table);
	if (!ret)
		ret = dvx_flow_action_create_table(domain, l->table, &l->to_table);
	if (!ret)
		ret = limit_fill(gen, l, i, next);
	return ret ? locate_error(f, &gen->set.rule[i], gen->set.rule[i].over_at) : 0;
}

struct dvx_flow_action *limit_to(const struct limit *l)
{
	return l->to_table;
}

uint64_t limit_entry(const struct limit *l)
{
	return dvx_flow_rule_id(l->rule[LIMIT_OTHER]);
}

/* --- a meter's state ---------------------------------------------------------------------------- */

#define LIMIT_PACKET 128u /* tokens of a packet */

/* Returns the device's clock; 0: the kernel does not show it. */
static uint64_t limit_now(struct dvx_dev *dev)
{
	struct dvx_clock clock;
	struct timespec now;

	if (dvx_clock_read(dev, &clock) || !clock.mult)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	return clock.ticks +
	       (((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - clock.ns)
		<< clock.shift) /
		       clock.mult;
}

/* Returns the tokens of the first bucket, with those of the time since the last packet. */
static double limit_tokens(struct dvx_dev *dev, const void *m)
{
	double rate = (double)prm_flow_meter_parameters_get_cir_mantissa(m) /
		      (double)(1ull << prm_flow_meter_parameters_get_cir_exponent(m));
	double most = (double)((uint64_t)prm_flow_meter_parameters_get_cbs_mantissa(m)
			       << prm_flow_meter_parameters_get_cbs_exponent(m));
	uint64_t from = prm_flow_meter_parameters_get_timestamp(m), now = limit_now(dev);
	double tokens = (int32_t)prm_flow_meter_parameters_get_c_tokens(m);

	if (now > from)
		tokens += rate * (double)(now - from);
	return tokens > most ? most : tokens;
}

uint8_t limit_state(struct dvx_dev *dev, const void *m, bool packets, char *out, size_t size)
{
	double tokens = limit_tokens(dev, m), each = packets ? LIMIT_PACKET : 1;
	double most = (double)((uint64_t)prm_flow_meter_parameters_get_cbs_mantissa(m)
			       << prm_flow_meter_parameters_get_cbs_exponent(m));

	snprintf(out, size, "its meter has %.0f of %.0f %s left: %s",
		 tokens > 0 ? tokens / each : 0, most / each, packets ? "packets" : "bytes",
		 tokens >= 0 ? "green" : "red");
	return tokens >= 0 ? DVX_METER_GREEN : DVX_METER_RED;
}
