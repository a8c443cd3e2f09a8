/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by explain and dump. */
#ifndef DVX_FLOW_EXPLAIN_H
#define DVX_FLOW_EXPLAIN_H

#include "dvx-flow.h"
#include "trace.h"

/* Makes the packet that a rule describes, with the first value of each range and prefix. */
void fields_of_rule(struct fields *out, const struct rule *r);

/* Where a packet walks: on which side of a direction's tables. */
struct direction {
	enum rule_dir dir;
	enum side side;
};

/* A dump and its source. */
struct dump_source {
	struct steering d;
	const char *name;
	char *text; /* as it was read, with a NUL behind it */
	size_t len;
	json_t *head; /* a daemon's answer, which has the rules' texts; NULL: a file */
};

/*
 * Opens the dump of a file ("-": stdin), or of the daemon if path is NULL. Returns 0, or an exit
 * code after a message.
 */
int dump_source_open(struct dump_source *s, const struct args *a, const char *path);
void dump_source_close(struct dump_source *s);

/* A packet. One given in words has no bytes. */
struct seen_packet {
	struct fields f;
	const uint8_t *bytes;
	size_t len;
};

/* Opens the daemon's dump, with at least the tables that this packet meets. */
int dump_source_open_for(struct dump_source *s, const struct args *a, struct direction dir,
			 const struct seen_packet *p);

/*
 * Finds the first tables of packets of that direction, at most max, the one of the lowest level
 * first. Returns how many there are. A daemon names the table; in a file, it is any table that no
 * rule leads to.
 */
unsigned int dump_source_starts(const struct dump_source *s, struct direction dir, uint32_t *table,
				unsigned int max);
/* Returns whether the daemon has rules of this direction. */
bool dump_source_has(const struct dump_source *s, enum rule_dir dir);

/*
 * Sets the source fields of a packet from that vport. False: it is not in the dump, so no rule names
 * it; the packet's VHCA is then one that no entry compares.
 */
bool dump_source_vport(const struct steering *d, uint32_t domain, uint32_t vport, struct fields *p);

/* --- goal.c --- */

/* Where a packet goes that leaves a direction's tables. */
struct goal {
	const char *says;
	struct direction at; /* dir RULE_DIRS: no rules of this daemon */
	char vport[32];	     /* its name */
};

/* Finds where a packet goes on that left the tables of `from`. False: it ends here. */
bool goal_find(const struct dump_source *src, const struct explain_walk *w, enum rule_dir from,
	       struct goal *g);
/* Makes the fields with which the packet enters that table: registers do not go along. */
void goal_enter(const struct dump_source *src, struct direction at, uint32_t table,
		struct fields *p);

#endif
