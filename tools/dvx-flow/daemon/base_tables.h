/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that all generations on a device share. A direction's are made at its first use. */
#ifndef DVX_FLOW_BASE_TABLES_H
#define DVX_FLOW_BASE_TABLES_H

#include <dvx/flow.h>

#include "fault.h"
#include "pause.h"
#include "pump.h"
#include "rules/rule.h"

struct base_tables {
	struct dvx_dev *dev;
	struct pump *pump; /* NULL: no queue is needed */
	struct direction_base {
		struct dvx_flow_domain *domain;
		struct dvx_flow_table *root;
		struct dvx_flow_matcher *everything[2]; /* by priority: matches every packet */
		struct dvx_flow_action *drop, *back;	/* back: sends packets the default way */
	} side[RULE_DIRS];
	struct dvx_flow_action *queue[QUEUES_MAX];
	struct pause pause;
};

int base_tables_side(struct base_tables *g, enum rule_dir dir, struct flow_fault *f);
/* Returns in *out the action that delivers to a queue of the pump. Returns 0 or libdvx's -errno. */
int base_tables_queue(struct base_tables *g, unsigned int n, struct dvx_flow_action **out);
/* Frees a direction without rules. Until then, libmlx5 keeps the memory of its former rules. */
void base_tables_free_side(struct base_tables *g, enum rule_dir dir);
/* Deletes rules as dvx_flow_rules_delete() does, with a pause from time to time. */
void base_tables_delete(const struct base_tables *g, struct dvx_flow_rule **rules, size_t n);
void base_tables_free(struct base_tables *g);

#endif
