/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_FLOW_H
#define SIM_OBJ_FLOW_H

#include <stdbool.h>
#include <stdint.h>
#include "obj.h"
#include "base/hash.h"

/*
 * Flow tables. Firmware's tables have groups of entries that share a mask. An entry compares its
 * value under that mask, as 64-bit words of PRM fte_match_param in byte order, so the masked words
 * of a packet find the entry by hash in a time that does not depend on the number of entries. If
 * several groups match, or several entries with one value, the lower index wins. Software's tables
 * (sw_owner) are an address in device memory.
 */
#define FLOW_PARAM_BYTES 512u
#define FLOW_PARAM_WORDS (FLOW_PARAM_BYTES / 8u)

/*
 * Parts of fte_match_param; part n begins at n times 64 bytes, and is bit n of
 * match_criteria_enable.
 */
#define FLOW_PART_BYTES 64u
#define FLOW_PARTS	7u

struct pd_object;
struct flow_table;
struct flow_group;
struct rtc;

struct flow_mask {
	uint8_t enable; /* bits of the parts that the mask compares */
	uint8_t n;	/* words that are not 0 */
	uint8_t at[FLOW_PARAM_WORDS];
	uint64_t bits[FLOW_PARAM_WORDS];
};

enum flow_dest_kind {
	FLOW_TO_TABLE,
	FLOW_TO_TIR,
	FLOW_TO_VPORT,
	FLOW_TO_UPLINK,
	FLOW_TO_SAMPLER,
	FLOW_DEST_KINDS,
};
struct flow_dest {
	enum flow_dest_kind kind;
	uint16_t vport;
	struct obj *obj;		/* NULL: a vport or the uplink */
	struct flow_reformat *reformat; /* begins a tunnel on the way to it; NULL: none */
};

#define FLOW_VLANS 2u

/* A sampler: sends a copy of one packet of `ratio` to a table, and all to another one. */
struct flow_sampler {
	struct obj o;
	uint8_t type, level;
	bool ignore_level; /* its tables were not compared with level */
	uint32_t ratio;
	struct flow_table *sample, *rest;
};

/* A meter on the way to a table: a register C gets the packet's color. */
struct flow_meter {
	struct obj o;
	uint8_t type, reg_c;
	bool active;
	struct flow_table *next;
	_Alignas(8) uint8_t context[32]; /* PRM flow_meter_parameters */
};

struct counter;
struct flow_count {
	uint32_t id;
	struct counter *counter;
};

/* A list of header rewrites, from ALLOC_MODIFY_HEADER_CONTEXT. */
struct flow_modify {
	struct obj o;
	uint8_t table_type;
	uint8_t n;
	uint8_t actions[]; /* n times 8 bytes: PRM set_add_copy_action_in_auto */
};

/*
 * A header that entries add, or that takes a tunnel's place, or how much of one they remove, from
 * ALLOC_PACKET_REFORMAT_CONTEXT.
 */
struct flow_reformat {
	struct obj o;
	uint8_t type; /* PRM reformat_type */
	uint8_t anchor; /* PRM reformat_anchor of INSERT_HDR and REMOVE_HDR, and the bytes behind it */
	uint8_t offset;
	uint8_t bytes;
	uint8_t data[];
};

/* Actions on a packet that matches an entry. They hold references to their objects. */
struct flow_actions {
	uint16_t action; /* PRM flow_action bits */
	uint8_t source;	 /* PRM flow_source: the side of the FDB on which the entry exists */
	bool extended;	 /* destinations have reformat contexts of their own */
	uint32_t push[FLOW_VLANS]; /* tags to add, the inner one first */
	uint32_t tag;
	uint32_t ndests, ncounters;
	struct flow_dest *dests;
	struct flow_count *counters;
	struct flow_modify *modify;
	struct flow_reformat *reformat;
	struct pd_object *aso; /* meters; NULL: none */
	uint8_t aso_reg_c, aso_line, aso_color;
};

/* A value of a group and its entries; the entry with the lowest index wins. */
struct flow_value {
	UT_hash_handle hh;
	struct flow_entry *first, *last;
	struct flow_entry *side[2]; /* the first one on it: [0] the uplink's, [1] that of vports */
	uint64_t key[]; /* group->mask.n words */
};

struct flow_entry {
	struct flow_group *group;
	uint32_t index;
	struct flow_actions act;
	struct flow_value *of;
	struct flow_entry *prev, *next; /* entries of the same value, by index */
	UT_hash_handle by_index;
	uint8_t value[FLOW_PARAM_BYTES];
};

struct flow_group {
	struct obj o;
	struct flow_table *table;
	struct flow_group *prev, *next; /* groups of the table, by start */
	uint32_t start, end;
	struct flow_mask mask;
	uint8_t criteria[FLOW_PARAM_BYTES];
	struct flow_value *values; /* hash by key */
};

struct flow_table {
	struct obj o;
	uint8_t type; /* PRM flow_table_type, which is its steer_domain */
	uint8_t level, log_size;
	bool sw_owner, rtc_valid;
	bool reformat_en, decap_en; /* entries may have these actions */
	bool termination;	    /* entries lead to no further table */
	uint16_t vport;		    /* of an access control list */
	uint64_t icm_root;	    /* sw_owner; of the FDB's RX side */
	uint64_t icm_root_tx;	    /* of the FDB's TX side */
	struct rtc *rtc[2];	    /* rtc_valid; [1]: of the FDB's TX side; NULL: none */
	struct flow_table *miss;    /* referenced; NULL: the default of the table's type */
	struct flow_group *groups, *last_group;
	uint8_t enable;		    /* parts that at least one group compares */
	uint32_t parts[FLOW_PARTS]; /* number of groups that compare each part */
	uint32_t cost;		    /* of a lookup in all groups, in STEs read */
	struct flow_entry *entries; /* hash by index */
};

/* Compiles match_criteria into the mask of a group. */
void flow_mask_compile(struct flow_mask *, const uint8_t criteria[FLOW_PARAM_BYTES],
		       uint8_t enable);
/* Sets key to the mask->n masked words of `words` (fte_match_param). */
void flow_mask_key(const struct flow_mask *, const uint64_t *words, uint64_t *key);

/* Adds a group in index order; false if its range overlaps that of another group. */
bool flow_group_link(struct flow_group *);
void flow_group_unlink(struct flow_group *);

/* Returns a new entry without actions, which no packet meets; NULL if there is no memory. */
struct flow_entry *flow_entry_new(struct flow_group *, uint32_t index, const uint8_t *value);
/* Lets packets meet the entry, on the sides of its actions, or no longer. Hide it to change these. */
void flow_entry_show(struct flow_entry *);
void flow_entry_hide(struct flow_entry *);
void flow_entry_free(struct flow_entry *); /* unlinks it and releases its actions */
struct flow_entry *flow_entry_at(struct flow_table *, uint32_t index);
/*
 * Returns the entry that matches these words, on the side of vports (`local`) or of the uplink, or
 * NULL. It is valid until tables change.
 */
const struct flow_entry *flow_table_match(const struct flow_table *, const uint64_t *words,
					  bool local);
void flow_actions_put(struct flow_actions *);

#endif
