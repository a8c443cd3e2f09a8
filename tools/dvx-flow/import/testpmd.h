/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flow of testpmd: its words, read from left to right by the importer, from right to left by the
 * exporter. Functions that read return false if the flow is left out.
 */
#ifndef DVX_FLOW_IMPORT_TESTPMD_H
#define DVX_FLOW_IMPORT_TESTPMD_H

#include "dialect.h"

/* The tokens that were given for a field. */
struct pmd_given {
	const struct token *at, *by[5]; /* by: in the order of PMD_OPERATORS */
};
#define PMD_OPERATORS "is spec last mask prefix"
enum { PMD_IS, PMD_SPEC, PMD_LAST, PMD_MASK, PMD_PREFIX };

/* A tunnel that "set vxlan" or "set nvgre" defines for the flows behind it. */
struct pmd_tunnel {
	struct rule_change word[ENCAP_WORDS];
	uint32_t given;
};

/* A copy that "set sample_actions" defines for the flows behind it. */
struct pmd_sample {
	bool given;
	uint32_t vport;
};
#define PMD_SAMPLES 8u /* testpmd's */

struct pmd_set {
	struct pmd_tunnel tunnel[TUNNELS];
	struct pmd_sample sample[PMD_SAMPLES];
};

struct pmd_read {
	struct draft d;
	int depth; /* of the last item: Ethernet, VLAN, MPLS, IP, layer 4, tunnel */
	unsigned int tags;
	const struct pmd_given *given;	  /* for the field that is read */
	bool push_open;			  /* a tag was pushed, and its ID is not known yet */
	const struct token *port, *group; /* of the command; group NULL: 0 */
	bool transfer, has_port;	  /* has_port: an item names the source */
	const struct pmd_set *set;
};

static inline struct pmd_read *pmd_of(struct draft *d)
{
	return (struct pmd_read *)d;
}

/* Reads from behind `pattern` to behind its `end`. */
bool pmd_pattern(struct draft *d);
bool pmd_actions(struct draft *d);

/* Depths that differ from others: VLAN tags and GRE's key may repeat theirs. */
enum { PMD_TAGS = 2, PMD_TUNNEL = 6 };
#define PMD_LAYERS 3u /* that divide a priority */

struct pmd_item {
	const char *name;
	int depth;	   /* 0: any place; PMD_TUNNEL begins the headers inside */
	unsigned int slot; /* DRAFT_SLOTS: it adds nothing by itself */
	uint64_t number;
	const struct row *field; /* in the order of an exported flow */
};

/* Returns NULL if there is no such item. */
const struct pmd_item *pmd_item_find(const char *name);
/* Returns the item of a protocol; NULL: it has none. */
const struct pmd_item *pmd_item_of_proto(uint64_t proto);

/* The words of a tunnel, in their order of an exported command: VXLAN's and NVGRE's. */
extern const struct row pmd_encaps[], pmd_nvgre_encaps[];
/* The changes, in their order of an exported flow. */
extern const struct row pmd_changes[];
#define PMD_RSS_TYPES "ipv4 ipv6 ipv4-tcp ipv6-tcp ipv4-udp ipv6-udp"

void pmd_put_number(struct entry *e, const struct row *row, unsigned int key);
void pmd_put_tni(struct entry *e, const struct row *row, unsigned int key);
void pmd_put_mac(struct entry *e, const struct row *row, unsigned int key);
void pmd_put_address(struct entry *e, const struct row *row, unsigned int key);
void pmd_put_tos(struct entry *e, const struct row *row, unsigned int key);

#endif
