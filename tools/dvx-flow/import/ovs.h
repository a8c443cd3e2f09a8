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
	struct draft d;	  /* d.line: the flow's parts */
	const char *text; /* the value of the part that is read */
	uint64_t priority;
	bool elsewhere;	     /* another port's */
	bool any_tag;	     /* a VLAN tag of either type */
	bool tunnel;	     /* the packet was in one: other words are about the headers inside */
	const char *in_port; /* of a tunnel */
};

static inline struct ovs_read *ovs_of(struct draft *d)
{
	return (struct ovs_read *)d;
}

/* Converts +syn-ack, syn|ack (the others are not set), or VALUE[/MASK]. */
struct value ovs_flags(struct draft *d, const struct row *row, const char *text);
/* Reads parts up to actions=, and sets what follows. Returns false if the flow is left out. */
bool ovs_match_read(struct draft *d);
bool ovs_actions_read(struct draft *d);

#endif
