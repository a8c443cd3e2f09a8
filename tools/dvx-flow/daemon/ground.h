/* SPDX-License-Identifier: BSD-2-Clause */
/* What all generations of rules on a device share. Each direction is made when it is first needed.
 */
#ifndef DVX_FLOW_GROUND_H
#define DVX_FLOW_GROUND_H

#include <dvx/flow.h>

#include "fault.h"
#include "pump.h"
#include "rules/rule.h"

struct ground {
	struct dvx_dev *dev;
	struct pump *pump; /* NULL: no queue is needed */
	struct side {
		struct dvx_flow_domain *domain;
		struct dvx_flow_table *root;
		struct dvx_flow_matcher *everything[2]; /* in the root, of either priority */
		struct dvx_flow_action *drop, *back;	/* back: the default way */
	} side[RULE_DIRS];
	struct dvx_flow_action *queue[QUEUES_MAX];
};

int ground_side(struct ground *g, enum rule_dir dir, struct fault *f);
/* The action that leads to a queue of the pump. -errno of libdvx. */
int ground_queue(struct ground *g, unsigned int n, struct dvx_flow_action **out);
void ground_free(struct ground *g);

#endif
