/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by explain and dump. */
#ifndef DVX_FLOW_EXPLAIN_H
#define DVX_FLOW_EXPLAIN_H

#include "dvx-flow.h"
#include "walk_trace.h"

/* Makes the packet that a rule describes, with the first value of each range and prefix. */
void fields_of_rule(struct fields *out, const struct rule *r);

struct rule_name;

/* A dump and its source. */
struct dump_source {
	struct steering_dump d;
	struct view_cache *cache;
	const char *name;
	char *text; /* as it was read, with a NUL behind it */
	size_t len;
	/* of a daemon only */
	bool daemon;
	json_t *head;		 /* its answer, which has the rules' texts */
	struct rule_name *names; /* sorted by the dump's IDs */
	size_t nnames;
};

/*
 * Opens the dump of a file ("-": stdin), or of the daemon if path is NULL. Returns 0, or an exit
 * code after a message.
 */
int dump_source_open(struct dump_source *s, const struct args *a, const char *path);
/*
 * Opens a part of the daemon's dump: a direction's first table, and the tables that packets reach
 * from the table with this ID. Returns DUMP_SOURCE_NOTHING if the daemon has no such parts; then
 * the whole dump is needed.
 */
#define DUMP_SOURCE_NOTHING (-1)
int dump_source_open_part(struct dump_source *s, const struct args *a, enum side side,
			  uint64_t from);
void dump_source_close(struct dump_source *s);

/* --- part.c --- */

/* A packet. One given in words has no bytes. */
struct seen_packet {
	struct fields f;
	const uint8_t *bytes;
	size_t len;
};

/* Opens the daemon's dump, with at least the tables that this packet meets. */
int dump_source_open_for(struct dump_source *s, const struct args *a, enum side side,
			 const struct seen_packet *p);

/* Returns a rule's text; a rule_name_fn of a source. */
const char *dump_source_rule(void *source, uint64_t id);
/* Returns whether that rule is one of the daemon's that lead to another table. */
bool dump_source_leads(const struct dump_source *s, uint64_t id);

/*
 * Finds the first tables of packets of that direction, at most max, the one of the lowest level
 * first. Returns how many there are. A daemon names the table; in a file, it is any table that no
 * rule leads to.
 */
unsigned int dump_source_starts(const struct dump_source *s, enum side side, uint32_t *table,
				unsigned int max);

/* Sets the source fields of a packet from that vport. False: it is not in the dump. */
bool dump_source_vport(const struct steering_dump *d, uint32_t domain, uint32_t vport,
		       struct fields *p);

#endif
