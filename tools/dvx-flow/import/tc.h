/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter of tc while its words are read. All functions return false if it is left out. */
#ifndef DVX_FLOW_IMPORT_TC_H
#define DVX_FLOW_IMPORT_TC_H

#include "dialect.h"

struct tc_read {
	struct import *im;
	struct draft *d;
	struct tokens *line;
	const struct token *protocol;
	uint64_t prio; /* 0: none given */
	bool ingress, elsewhere;
	unsigned int tags;	   /* VLAN tags that the protocols name */
	const struct token *vlans; /* how many the filter counts; NULL: it does not */
	int ip;			   /* 4 or 6: the innermost protocol */
	/* The compared bits of each field: "": all; NULL: none. */
	const char *mask[DRAFT_SLOTS];
	unsigned int unsummed; /* checksums that pedit made wrong and `csum` did not mend yet */
};

static inline bool tc_leave(struct tc_read *r, const struct token *at, enum import_reason reason)
{
	return import_leave(r->im, r->d, at, reason);
}

#define TC_ALL 3 /* the EtherType of `protocol all' */
/* Parses an EtherType by tc's names, or a number. */
bool tc_type(const char *text, uint64_t *type);
/* Reads the filter's protocol, which is the packet's EtherType. */
bool tc_protocol(struct tc_read *r);
bool tc_keys_read(struct tc_read *r);
bool tc_actions_read(struct tc_read *r);

#endif
