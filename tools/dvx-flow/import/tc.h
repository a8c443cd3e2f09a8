/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A filter of tc: its words, read from left to right by the importer, from right to left by the
 * exporter. Functions that read return false if the filter is left out.
 */
#ifndef DVX_FLOW_IMPORT_TC_H
#define DVX_FLOW_IMPORT_TC_H

#include "dialect.h"

struct tc_read {
	struct draft d;
	const struct token *protocol;
	uint64_t prio; /* 0: none given */
	bool ingress, elsewhere;
	bool eswitch;	   /* the text has interfaces of vports */
	bool tunnel;	   /* the filter is on a tunnel's interface: keys are those inside */
	const char *dev;   /* of the e-switch */
	uint64_t enc_port; /* of the tunnel; 0: not given */
	unsigned int tags;	   /* VLAN tags that the protocols name */
	const struct token *vlans; /* how many the filter counts; NULL: it does not */
	/* The compared bits of each field; NULL: none. */
	const char *mask[2][DRAFT_SLOTS]; /* [1]: those around a tunnel */
	unsigned int unsummed; /* checksums that pedit made wrong and `csum` did not mend yet */
};

static inline struct tc_read *tc_of(struct draft *d)
{
	return (struct tc_read *)d;
}

#define TC_ALL 3 /* the EtherType of `protocol all' */
/* Parses an EtherType by tc's names, or a number. */
bool tc_type(struct import *im, const char *text, uint64_t *type);
/* Reads the filter's protocol, which is the packet's EtherType. */
bool tc_protocol(struct tc_read *r);
bool tc_keys_read(struct tc_read *r);
bool tc_actions_read(struct tc_read *r);

/* The keys of flower in the order of an exported filter, those of tags first. */
extern const struct row tc_keys[];
/* The changes of pedit as LAYER.FIELD, in their order of an exported filter. */
extern const struct row tc_munges[];

/* The words of `tunnel_key set' in their order of an exported filter, then others. */
extern const struct row tc_encaps[];

enum { SUM_IP = 1, SUM_TCP = 2, SUM_UDP = 4, SUM_ICMP = 8 };
/* Returns the checksums over a field that pedit changes. */
unsigned int tc_sums_of(const struct row *munge);
/* Returns the checksums of a protocol's packets; -1: any protocol. */
unsigned int tc_sums(int64_t proto);

/* Write a key as flower has it, unless the entry does not compare it. */
void tc_put_tag(struct entry *e, const struct row *row, unsigned int key);
void tc_put_ethtype(struct entry *e, const struct row *row, unsigned int key);
void tc_put_mac(struct entry *e, const struct row *row, unsigned int key);
void tc_put_proto(struct entry *e, const struct row *row, unsigned int key);
void tc_put_tos(struct entry *e, const struct row *row, unsigned int key);
void tc_put_fragment(struct entry *e, const struct row *row, unsigned int key);
void tc_put_flags(struct entry *e, const struct row *row, unsigned int key);
void tc_put_address(struct entry *e, const struct row *row, unsigned int key);
void tc_put_number(struct entry *e, const struct row *row, unsigned int key);
void tc_put_masked(struct entry *e, const struct row *row, unsigned int key);

#endif
