/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts rules on the device by the daemon's code, for the rig's queues instead of the daemon's. */
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

void file_hold(struct rig *r, struct installed *in)
{
	struct flow_fault f = {0};
	int ret;

	r->base.dev = r->dev;
	r->base.pump = (void *)r;
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
