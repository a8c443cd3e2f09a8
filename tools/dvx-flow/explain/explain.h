/* SPDX-License-Identifier: BSD-2-Clause */
/* What explain and dump share. */
#ifndef DVX_FLOW_EXPLAIN_H
#define DVX_FLOW_EXPLAIN_H

#include "dvx-flow.h"
#include "walk_trace.h"

/* The packet that a rule describes: the first value of each range and prefix. */
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
	struct rule_name *names; /* sorted by the dump's ids */
	size_t nnames;
};

/* The dump of a file ("-": stdin), or of the daemon where path is NULL; an exit code after a
 * sentence. */
int dump_source_open(struct dump_source *s, const struct args *a, const char *path);
/*
 * Of a daemon's tables a direction's first one, and those that packets come to from the one with this
 * id; or DUMP_SOURCE_NOTHING: the daemon has no such parts, ask for all.
 */
#define DUMP_SOURCE_NOTHING (-1)
int dump_source_open_part(struct dump_source *s, const struct args *a, enum side side,
			  uint64_t from);
void dump_source_close(struct dump_source *s);

/* --- part.c --- */

/* A packet; in words it has no bytes. */
struct seen_packet {
	struct fields f;
	const uint8_t *bytes;
	size_t len;
};

/* Opens the daemon's dump, with the tables that this packet meets at least. */
int dump_source_open_for(struct dump_source *s, const struct args *a, enum side side,
			 const struct seen_packet *p);

/* A rule_name_fn of a source. */
const char *dump_source_rule(void *source, uint64_t id);
/* Whether that rule is one of the daemon's that lead to another table. */
bool dump_source_leads(const struct dump_source *s, uint64_t id);

/*
 * The first tables of packets of that direction, at most max, the one of the lowest level first;
 * returns how many there are. A daemon says which it is; of a file these are tables that none leads to.
 */
unsigned int dump_source_starts(const struct dump_source *s, enum side side, uint32_t *table,
				unsigned int max);

/* Sets the source fields of a packet from that vport. False: the dump does not have the vport. */
bool dump_source_vport(const struct steering_dump *d, uint32_t domain, uint32_t vport,
		       struct fields *p);

#endif
