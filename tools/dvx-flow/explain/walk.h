/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet's way through the tables of a dump: the device's walk over the rules' entries alone. A
 * dump lacks anchors and empty slots; their effect follows from the matchers' order.
 */
#ifndef DVX_FLOW_WALK_H
#define DVX_FLOW_WALK_H

#include "tables.h"

enum step_kind {
	STEP_TABLE,   /* the packet enters a table */
	STEP_EMPTY,   /* a matcher whose slot for this packet is empty, or that has no rules */
	STEP_ENTRY,   /* an entry was compared */
	STEP_NO_MORE, /* no matcher of the table is left */
};

struct walk_step {
	enum step_kind kind;
	uint32_t table, matcher, entry;
	bool hit;
	enum field field; /* the field that differed; F_NONE: bits of an unknown field */
	bool given;	  /* the packet has that field */
	u128 have;
	uint32_t slot, slots; /* of a hash; slots 0: there was none */
};

enum walk_end {
	WALK_RULE,    /* a rule's actions */
	WALK_DEFAULT, /* no rule of the last table took it */
	WALK_LOST,    /* the dump is incomplete; the reason is in lost */
};

#define WALK_COUNTERS 16

/* An entry's change of the packet; kept if the walk is to be printed. */
struct walk_change {
	uint32_t step;
	bool unknown; /* it changed in a way that is not in the dump */
	bool tunnel;  /* one began or ended */
	const char *object; /* the state of the object that it met; NULL: none */
	struct fields before, after;
};

struct explain_walk {
	struct steering *d;
	enum side side;
	const struct fields *packet;
	/* The caller may set these first: the packet's bytes, and whether to keep its changes. */
	const uint8_t *frame;
	size_t len;
	bool keep;
	struct changing_packet now;
	bool changed;	/* a header or a register has another value, or its bytes differ */
	bool unknown;	/* by a list that the dump does not have */
	bool unseen;	/* a register has the result of an object that the dump does not have */
	uint32_t since; /* the first step after the last change of a field */
	uint64_t hops;	/* left in this table */
	struct walk_change *change;
	uint32_t nchanges;
	struct walk_step *step;
	uint32_t nsteps;
	enum walk_end end;
	uint32_t rule, table; /* where it ended */
	uint32_t via;	      /* the last rule that led to another table; TABLES_NONE: none */
	uint64_t last;	      /* address that the last entry leads to */
	uint32_t counter[WALK_COUNTERS];
	unsigned int ncounters;
	bool tagged;
	uint32_t tag;
	char lost[160];
	int err; /* -ENOMEM */
};

/*
 * Walks from a table on and fills w; w->now becomes the packet as it leaves. Call walk_free() in
 * any case. Returns 0 or -ENOMEM.
 */
int walk_run(struct explain_walk *w, struct steering *d, uint32_t table, enum side side,
	     const struct fields *packet);
void walk_free(struct explain_walk *w);

#endif
