/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that an importer is making: its matches, its changes, and its text. */
#ifndef DVX_FLOW_IMPORT_DRAFT_H
#define DVX_FLOW_IMPORT_DRAFT_H

#include "iface.h"
#include "import.h"
#include "rules/node.h"
#include "tokens.h"

enum draft_slot {
#define SLOT(name, ...) SLOT_##name,
#include "slots.def"
	DRAFT_SLOTS,
};

enum draft_tag { TAG_NONE, TAG_VLAN, TAG_SVLAN, TAG_NATIVE, TAG_LAST, TAG_AT_MOST_ONE };

/* Values of a match. One of them must be the packet's; without any, every value is right. */
struct value {
	bool bad;	       /* the text is no value */
	struct node_list list; /* of rule_value, rule_net or rule_range, as the slot needs */
};

struct row;

struct draft_part {
	const void *item;
	uint32_t n; /* 0: not given */
	bool negated;
};

/* A rule of the same matches before this one: a copy, or what is over a rate. */
struct draft_before {
	const char *verdict, *tail;
};
#define DRAFT_BEFORE 8u

struct draft {
	struct import *im;
	struct tokens *line;	/* that is read; NULL for nft */
	const struct token *at; /* start of the rule */
	uint8_t family;		/* 4 or 6: the IP version of addresses; 0: not known */
	uint32_t table;
	uint64_t order;
	const char *verdict; /* drop, pass, send; NULL: not given yet */
	bool leads;	     /* to the table `go`; the verdict is send */
	uint32_t go;
	const char *direction;
	const char *queue; /* "queue 1", "rss 0-3", "vf0" */
	struct draft_before before[DRAFT_BEFORE];
	unsigned int befores;
	struct value tag;
	bool count, inner;	 /* words refer to the headers inside a tunnel */
	bool of_version;	 /* all rules of the chain are for its IP version */
	bool nothing;		 /* the conditions exclude each other: no packet */
	bool no_labels;		 /* the EtherType means IP directly, not IP behind MPLS labels */
	bool no_inner_labels;	 /* that of the headers inside a tunnel */
	struct draft_part part[2][DRAFT_SLOTS];
	struct rule_change change[RULE_CHANGE_KINDS];
	uint32_t changes; /* bits of those that are given */
	enum node_tunnel tunnel; /* that the rule begins; CHANGE_ENCAP shows if it does */
	struct rule_change encap[ENCAP_WORDS];
	uint32_t encap_given; /* bits of the words */
	unsigned int option[3]; /* of ENCAP_OPTION: class, type, data */
	const struct token *ct; /* the state of a connection that is compared */
	uint64_t ct_value, ct_mask;
	bool has_pcp;
	uint64_t pcp; /* of a pushed tag */
};

/* The state of one import. */
struct import {
	const struct import_ask *ask;
	struct import_result *out;
	const char *netdev; /* of the rules so far, if none was asked for */
	struct iface eswitch; /* the first interface of a vport */
	bool has_eswitch;
	bool tracks, has_zone; /* connections are tracked; in this zone of the other tool */
	uint64_t zone;
	uint32_t option;	/* Geneve's, as in struct rule; 0: no rule has one yet */
	uint32_t option_line;	/* of the first rule with it */
	bool no_memory;
	bool once; /* a word is left out once, as its rule may be tried several times */
	const struct token *left; /* reported last */
};

/* Formats a text in memory of the result. Returns "" if there is no memory. */
const char *import_format(struct import *im, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns a copy in lower case. */
const char *import_lower(struct import *im, const char *text);
/* Adds an item at a place. Returns NULL if there is no memory. */
struct import_item *import_item(const struct draft *d, const struct token *at);
/* Notes an item that is left out. Returns false, for its caller to return. `more`: a message. */
bool draft_leave_more(const struct draft *d, const struct token *at, enum import_reason reason,
		      const char *more);
/* Notes an item that is left out. Returns false, for its caller to return. */
bool draft_leave(const struct draft *d, const struct token *at, enum import_reason reason);
/* Leaves out what has no draft: a line that begins with `from`. */
bool import_leave(struct import *im, const struct token *from, const struct token *at,
		  enum import_reason reason);
/*
 * Notes that the rule whose items begin with `before` is left out and ends its packets' way: if it
 * takes all, no packet gets behind it.
 */
void draft_ends(const struct draft *d, size_t before);
/* Leaves out a rule that ends its packets' way; if it takes all, no packet gets behind it. */
bool draft_leave_end(const struct draft *d, const struct token *at, enum import_reason reason);
/* Adds the rule, or leaves it out with dvx-flow's message. */
void import_add(const struct draft *d);
/*
 * Leaves out rules of a table behind an item, from `first` on, that is left out and takes all
 * packets: they would take those that the other tool never gives them.
 */
void import_leave_unmet(struct import *im, uint32_t table, size_t first);
/*
 * Adds a policy, or the default of a table. Leaves it out and returns false if all items from
 * `first` on are left out, as it would take their packets, or if one of these takes all packets.
 */
bool import_add_last(const struct draft *d, size_t first);
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
int draft_interface(struct draft *d, const char *netdev, bool negated);

/*
 * Finds the vport of an interface. Returns 1, 0 if it is of another e-switch than the --netdev, or
 * -1 if the rule is left out.
 */
int draft_vport(struct draft *d, const struct token *at, struct iface *i);
/* Makes the rule one of the e-switch, for packets from a vport. */
bool draft_from(struct draft *d, const struct token *at, uint32_t vport);
/* Send the packets to a vport, or a copy of one of `ratio` packets as it came. */
bool draft_to(struct draft *d, const struct token *at, uint32_t vport);
bool draft_copy(struct draft *d, const struct token *at, uint32_t vport, uint64_t ratio);
/* Reads a word of the tunnel that the rule begins, by a ROW_ENCAP. */
bool draft_encap(struct draft *d, const struct row *row, const struct token *at, const char *text);
/* Adds a rule of the same matches before this one. */
bool draft_add_before(struct draft *d, const struct token *at, const char *verdict,
		      const char *tail);
/* Adds the tunnel that packets are in, whose number was read as a VNI. */
bool draft_tunnel(struct draft *d, enum node_tunnel tunnel);
/* Begins the tunnel, towards the next hop that its words or its interface have. */
bool draft_encap_to(struct draft *d, const struct token *at, const struct iface *i);
/* Begins the tunnel of an interface, or the one of the UDP port among its words. */
bool draft_into_tunnel(struct draft *d, const struct token *at, struct iface *i);

/* Adds a match of the current level. Returns false if it cannot be combined with the others. */
bool draft_add(struct draft *d, enum draft_slot slot, struct value v);
bool draft_deny(struct draft *d, enum draft_slot slot, struct value v);
/* Adds or denies a match; leaves the rule out if the value is bad, or a second one. */
bool draft_match(struct draft *d, const struct token *at, enum draft_slot slot, struct value v,
		 bool negated);
/* Add one number, of which all bits are compared. */
bool draft_set(struct draft *d, enum draft_slot slot, uint64_t number);
bool draft_match_number(struct draft *d, const struct token *at, enum draft_slot slot,
			uint64_t number);
/* Returns whether the current level has a match. */
bool draft_has(const struct draft *d, enum draft_slot slot);
/* Returns the number that a match of the current level compares; -1: none, or several. */
int64_t draft_number(const struct draft *d, enum draft_slot slot);
int64_t part_number(const struct draft_part *p);
/* Returns the size of an item of the slot's values. */
size_t draft_item_size(enum draft_slot slot);
/* Replaces a match of the current level by one number. */
void draft_replace(struct draft *d, enum draft_slot slot, uint64_t number);
/* Adds the EtherType behind the tags: an IP version, MPLS or a number. */
bool draft_add_type(struct draft *d, uint64_t type);
/* Excludes a second tag and labels, for a tool whose EtherType is the one behind the first tag. */
void draft_one_tag(struct draft *d);

/* --- draft_ct.c: return false if the rule is left out. --- */

/* Tracks the connections of packets that go on to a table. */
bool draft_ct(struct draft *d, const struct token *at);
/* Checks that all connections are of one zone. */
bool draft_ct_zone(struct draft *d, const struct token *at, uint64_t zone);
/* Adds a connection's state: +est-new, est|trk, or a number and a mask. */
bool draft_ct_state(struct draft *d, const struct token *at, const char *text);
/* Adds its match at the rule's end, if it can be said. */
bool draft_ct_settle(struct draft *d);

bool draft_has_change(const struct draft *d, enum rule_change_kind kind);
/*
 * Adds a change. Leaves the rule out if it has one of this kind, or, if the tool's changes are
 * `ordered`, one that the device makes later.
 */
bool draft_change(struct draft *d, const struct token *at, struct rule_change c, bool ordered);
/* Leaves out a rule without a verdict. Removes changes of a dropped packet, which do not matter. */
bool draft_settle(struct draft *d, const struct token *end, enum import_reason reason);

#endif
