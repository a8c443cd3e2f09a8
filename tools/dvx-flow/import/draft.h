/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that an importer is making, piece by piece, and its text. */
#ifndef DVX_FLOW_IMPORT_DRAFT_H
#define DVX_FLOW_IMPORT_DRAFT_H

#include "import.h"
#include "tokens.h"

/* Matches of one level's headers, in the order of the rule's text. */
enum draft_slot {
	SLOT_ETH_SRC,
	SLOT_ETH_DST,
	SLOT_TAG, /* vlan, svlan, untagged, native */
	SLOT_VLAN_ID,
	SLOT_VLAN_PCP,
	SLOT_VLAN_DEI,
	SLOT_TAG2,
	SLOT_VLAN2_ID,
	SLOT_VLAN2_PCP,
	SLOT_VLAN2_DEI,
	SLOT_ETHERTYPE,
	SLOT_MPLS,
	SLOT_MPLS_LABEL,
	SLOT_MPLS_TC,
	SLOT_MPLS_BOS,
	SLOT_MPLS_TTL,
	SLOT_IP, /* ipv4, ipv6 */
	SLOT_SRC,
	SLOT_DST,
	SLOT_HOST,
	SLOT_DSCP,
	SLOT_ECN,
	SLOT_TOS,
	SLOT_TTL,
	SLOT_FLOWLABEL,
	SLOT_FRAGMENT, /* fragment, nofrag */
	SLOT_PROTO,    /* tcp, udp, icmp, icmp6, proto N */
	SLOT_TYPE,
	SLOT_CODE,
	SLOT_SPORT,
	SLOT_DPORT,
	SLOT_PORT,
	SLOT_FLAGS,
	SLOT_TUNNEL, /* vxlan, vxlan-gpe, geneve */
	SLOT_VNI,
	SLOT_OAM,
	SLOT_KEY,
	DRAFT_SLOTS,
};

/* Changes of a rule, in the order of its text. */
enum draft_change {
	EDIT_DECAP,
	EDIT_POP,
	EDIT_ETH_SRC,
	EDIT_ETH_DST,
	EDIT_IP_SRC,
	EDIT_IP_DST,
	EDIT_SPORT,
	EDIT_DPORT,
	EDIT_TTL,
	EDIT_DEC_TTL,
	EDIT_VLAN,
	EDIT_PUSH,
	EDIT_PUSH_PCP,
	DRAFT_CHANGES,
};

struct draft_part {
	const char *text; /* NULL: not given */
	bool negated;
};

struct draft {
	const struct token *at; /* start of the rule */
	uint32_t table;
	uint64_t order;
	const char *verdict; /* drop, pass, send; NULL: not given yet */
	bool leads;	     /* to the table `go`; the verdict is send */
	uint32_t go;
	const char *direction;
	const char *queue, *tag; /* "queue 1", "rss 0-3" */
	bool count, inner;	 /* words refer to the headers inside a tunnel */
	bool of_version;	 /* all rules of the chain are for its IP version */
	bool nothing;		 /* the conditions exclude each other: no packet */
	bool no_labels;		 /* the EtherType means IP directly, not IP behind MPLS labels */
	struct draft_part part[2][DRAFT_SLOTS];
	const char *change[DRAFT_CHANGES];
};

/* The state of one import. */
struct import {
	const struct import_ask *ask;
	struct import_result *out;
	const char *netdev; /* of the rules so far, if none was asked for */
	bool no_memory;
};

/* Formats a text in memory of the result. Returns "" if there is no memory. */
const char *import_format(struct import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes an item that is left out. Returns false, for its caller to return. */
bool import_leave(struct import *im, const struct draft *d, const struct token *at,
		  enum import_reason reason);
/* Adds the rule, or leaves it out with dvx-flow's message. */
void import_add(struct import *im, const struct draft *d);
/* Leaves out a rule that ends its packets' way; if it takes all, no packet gets behind it. */
bool import_leave_end(struct import *im, const struct draft *d, const struct token *at,
		      enum import_reason reason);
/*
 * Adds a policy, or the default of a table. Leaves it out and returns false if all items from
 * `first` on are left out, as it would take their packets, or if one of these takes all packets.
 */
bool import_add_last(struct import *im, const struct draft *d, size_t first);
/*
 * Called at the end: leaves out rules that lead nowhere, and rules of tables to which none leads.
 * Returns false if there is no memory.
 */
bool import_tables(struct import_result *out);
/* Returns whether a rule for this interface concerns the device: 1, 0, or -1 if it is unknown. */
int import_netdev(struct import *im, const char *netdev);
/*
 * Checks an interface in a rule of the kernel's as import_netdev() does, and adds what it implies
 * about VLAN tags.
 */
int import_interface(struct import *im, struct draft *d, const char *netdev, bool negated);

/* Adds a condition. Returns false if it cannot be combined with the draft's others. */
bool draft_add(struct import *im, struct draft *d, enum draft_slot slot, const char *text);
bool draft_deny(struct import *im, struct draft *d, enum draft_slot slot, const char *text);
const char *draft_value(const struct draft *d, enum draft_slot slot);
/* Adds the EtherType behind the tags: an IP version, MPLS or a number. */
bool draft_add_type(struct import *im, struct draft *d, uint64_t type);
/* Excludes a second tag and labels, for a tool whose EtherType is the one behind the first tag. */
void draft_one_tag(struct import *im, struct draft *d);
/* Adds all conditions of another draft. Returns false if they cannot be combined. */
bool draft_join(struct import *im, struct draft *d, const struct draft *also);

#endif
