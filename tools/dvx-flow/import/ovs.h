/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow of Open vSwitch while its parts are read. */
#ifndef DVX_FLOW_IMPORT_OVS_H
#define DVX_FLOW_IMPORT_OVS_H

#include "dialect.h"

/* A table, and whether a flow of it takes every packet. */
struct ovs_table {
	uint32_t number;
	bool whole;
};

struct ovs {
	struct import *im;
	const char *bridge; /* of the first command */
	struct ovs_table *table;
	size_t n, room;
	bool flows;    /* a table's flows were printed, rather than added by commands */
	bool commands; /* ovs-ofctl add-flow */
	bool deleted;  /* ovs-ofctl del-flows */
};

struct ovs_read {
	struct import *im;
	struct draft *d;
	struct tokens *parts;
	uint64_t priority;
	bool elsewhere; /* another port's */
	bool any_tag;	/* a VLAN tag of either type */
};

static inline bool ovs_leave(struct ovs_read *r, const struct token *at, enum import_reason reason)
{
	return import_leave(r->im, r->d, at, reason);
}

/* Reads parts up to actions=, and sets what follows. Returns false if the flow is left out. */
bool ovs_match_read(struct ovs_read *r);
bool ovs_actions_read(struct ovs_read *r);

#endif
