/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that all generations on a device share. A direction's are made at its first use. */
#ifndef DVX_FLOW_BASE_TABLES_H
#define DVX_FLOW_BASE_TABLES_H

#include <dvx/flow.h>

#include "fault.h"
#include "pause.h"
#include "pump.h"
#include "rules/map.h"
#include "rules/rule.h"

/* switch_base.c: the table of RULE_SWITCH's default way. */
struct switch_base {
	uint32_t manager; /* this function's vport */
	struct dvx_flow_table *table;
	/* by priority: the manager's packets, all others */
	struct dvx_flow_matcher *matcher[2];
	struct dvx_flow_action *to[2];
	struct dvx_flow_rule *rule[2];
};
/* Makes the table, and the action that leads there. Returns libdvx's -errno; free it then, too. */
int switch_base_make(struct dvx_dev *dev, struct dvx_flow_domain *domain, struct switch_base *b,
		     struct dvx_flow_action **back);
void switch_base_free(struct switch_base *b);

struct dvx_aso_queue;
struct dvx_obj;
struct track;

/* Ways to write entries: software does it in the device's memory, or the device by requests. */
enum steering_kind { STEERING_SWS, STEERING_HWS, STEERING_AUTO };

/* Finds it by the name that --steering has: sws, hws, auto. */
bool steering_find(const char *name, enum steering_kind *out);

struct base_tables {
	struct dvx_dev *dev;
	struct pump *pump; /* NULL: no queue is needed */
	enum steering_kind steering;
	struct direction_base {
		struct dvx_flow_domain *domain;
		enum steering_kind steering; /* STEERING_SWS or STEERING_HWS */
		struct dvx_flow_table *root;
		struct dvx_flow_matcher *everything[2]; /* by priority: matches every packet */
		struct dvx_flow_action *drop, *back;	/* back: sends packets the default way */
	} side[RULE_DIRS];
	struct dvx_flow_action *queue[QUEUES_MAX];
	struct switch_base switch_base;
	struct map vports; /* vport -> a place in `vport` */
	struct vport_action {
		uint32_t vport;
		struct dvx_flow_action *to;
	} * vport;
	size_t nvports, vport_room;
	struct dvx_aso_queue *aso; /* NULL: no rule needs one */
	struct track *track;	   /* NULL: no rule tracks connections */
	struct held_option {
		uint32_t users; /* rules that compare it; 0: there is no parser */
		uint32_t kind;	/* as in struct rule */
		struct dvx_obj *parser;
	} option;
	struct pause pause;
};

/* option.c: takes the parser for a rule that compares a Geneve option, else leaves *out alone. */
int option_hold(struct base_tables *g, const struct rule *r, struct held_option **out,
		struct flow_fault *f);
/* Drops a rule's reference; the last one frees the parser. o may be NULL. */
void option_drop(struct held_option *o);

int base_tables_side(struct base_tables *g, enum rule_dir dir, struct flow_fault *f);
/* Checks that the device has the steering. Returns 0, or -1 with the fault. */
int base_tables_check(const struct base_tables *g, struct flow_fault *f);
/*
 * Returns the name of a direction's steering, for people who asked for another one than the
 * default; NULL: nobody did, or the direction has no rules.
 */
const char *base_tables_steering(const struct base_tables *g, enum rule_dir dir);
/* Returns in *out the action that delivers to a queue of the pump. Returns 0 or libdvx's -errno. */
int base_tables_queue(struct base_tables *g, unsigned int n, struct dvx_flow_action **out);
/* Returns likewise the action for the rule's queue or vport. */
int base_tables_to(struct base_tables *g, const struct rule *r, struct dvx_flow_action **out);
/* Visits the actions for vports, by their IDs in the dump. */
void base_tables_vports(const struct base_tables *g,
			void (*visit)(void *arg, uint64_t action_id, uint32_t vport), void *arg);
/*
 * Makes g->aso for a set of objects. One that no set uses is made anew, because a request of it may have
 * failed. Returns 0 or libdvx's -errno.
 */
int base_tables_aso(struct base_tables *g);
/* Frees a direction without rules. Until then, libmlx5 keeps the memory of its former rules. */
void base_tables_free_side(struct base_tables *g, enum rule_dir dir);
/* Deletes rules as dvx_flow_rules_delete() does, with a pause from time to time. */
void base_tables_delete(const struct base_tables *g, struct dvx_flow_rule **rules, size_t n);
void base_tables_free(struct base_tables *g);

#endif
