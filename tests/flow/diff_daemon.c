/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts rules on the device by the daemon's code, for the rig's queues instead of the daemon's. */
#include <string.h>
#include "diff_rig.h"
#include "daemon/pump.h"

unsigned int pump_queues(const struct pump *p)
{
	(void)p;
	return QUEUES;
}

struct dvx_rxq *pump_rxq(const struct pump *p, unsigned int queue)
{
	const struct rig *r = (const void *)p;

	return r->queue[queue].rxq;
}

static struct rig *rig_opened;
uint64_t rig_refused;

/*
 * Returns whether the device has the rule's matches and actions, and selectors for all of them. A
 * rule that it only has no definer left for is taken: no other would be, and edits may be refused.
 */
static bool rig_takes(const char *line)
{
	struct generation *gen = NULL;
	struct flow_fault f = {0};
	struct ruleset set;
	bool takes;

	OK(rules_parse(line, strlen(line), &set, NULL, NULL));
	takes = !generation_build(&rig_opened->base, &set, NULL, NULL, NULL, NULL, &gen, &f) ||
		strstr(f.text, NO_DEFINER);
	if (!takes && !strstr(f.text, "hardware steering") && !strstr(f.text, "selectors") &&
	    !strstr(f.text, "does not fit") && !strstr(f.text, "multiply to more than"))
		OK((printf("# %s: %s\n", line, f.text), -1));
	generation_free(gen);
	ruleset_free(&set);
	/* Codes may have less to compare than a list. */
	takes = takes && rig_has_matchers(rig_opened, line);
	rig_refused += !takes;
	return takes;
}

void rig_open_by_daemon(struct rig *r, const char *steering)
{
	OK(steering_find(steering, &r->base.steering) ? 0 : -1);
	rig_open(r);
	r->base.pump = (void *)r;
	rig_opened = r;
	if (r->base.steering == STEERING_HWS)
		file_takes = rig_takes;
}

void file_hold(struct rig *r, struct installed *in)
{
	struct flow_fault f = {0};
	int ret;

	ret = generation_build(&r->base, &in->set, NULL, NULL, NULL, NULL, &in->held, &f);
	if (!ret)
		ret = generation_switch(in->held, NULL, &f);
	if (ret)
		printf("# line %u: %s\n", f.line, f.text);
	OK(ret);
	in->set = *generation_rules(in->held);
}

void file_drop(struct installed *in)
{
	generation_free(in->held);
	program_free(&in->program);
}
