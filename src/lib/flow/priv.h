/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the flow API: its objects, and what its files share. */
#ifndef DVX_FLOW_PRIV_H
#define DVX_FLOW_PRIV_H

#include "prm/reflect.h"
#include "lib/priv.h"

#define MATCH_BYTES	PRM_FTE_MATCH_PARAM_BYTES
#define MATCH_GROUPS	7u /* outer_headers .. misc_parameters_5, of 64 bytes each */
#define GROUP_BYTES	64u
#define ROOT_PRIORITIES 16u /* MLX5_BY_PASS_NUM_REGULAR_PRIOS of the kernel's device.h */

/* libmlx5's struct mlx5dv_flow_match_parameters ends in an open array. */
union dvx_flow_params {
	struct mlx5dv_flow_match_parameters p;
	uint8_t room[sizeof(struct mlx5dv_flow_match_parameters) + MATCH_BYTES];
};

struct dvx_flow_domain {
	struct dvx_dev *dev;
	const struct dvx_flow_backend *backend;
	void *impl; /* the backend's, here and below */
	enum dvx_flow_side side;
	bool levels;
	int refs;
};

struct dvx_flow_table {
	struct dvx_flow_domain *domain;
	void *impl;
	uint32_t level;
	int refs;
};

/* Requirements of a matcher's fields on its other fields, by depth (outer, inner). */
struct dvx_flow_needs {
	uint8_t version[2];  /* 4, 6, or NEEDS_VERSION: either; 0: nothing */
	uint8_t protocol[2]; /* ip_protocol; 0: nothing */
	uint16_t port;	     /* outer udp_dport, of a tunnel; 0: nothing */
	uint8_t vlans;	     /* kinds of tags that are matched: bits of check.c's rows */
};
#define NEEDS_VERSION 1u

/* A field of the match that rules compare with a least and a most value. */
struct hws_range_field {
	uint16_t bit;
	uint8_t width;
};

struct dvx_flow_matcher {
	struct dvx_flow_table *table;
	void *impl;
	uint8_t mask[MATCH_BYTES];
	struct dvx_flow_needs needs;
	uint16_t priority;
	uint32_t expected_rules;
	/* of hardware steering: rules have an index, and no tag; ... */
	bool linear;
	/* ... rules have ranges beside their tag */
	uint8_t range_count;
	struct hws_range_field range[DVX_HWS_RANGES];
	int refs;
};

/* In the order in which they happen. */
enum action_kind {
	/* changes of the packet */
	ACTION_DECAP,
	ACTION_POP_VLAN,
	ACTION_MODIFY,
	ACTION_PUSH_VLAN,
	ACTION_ENCAP,
	/* others */
	ACTION_TAG,
	ACTION_COUNT,
	ACTION_METER, /* ... to TRACK in the order of enum dvx_aso_kind */
	ACTION_HIT,
	ACTION_TRACK,
	/* destinations; only one of them in a rule */
	ACTION_DROP,
	ACTION_DEFAULT,
	ACTION_TABLE,
	ACTION_ROOT,
	ACTION_QUEUE,
	ACTION_VPORT,
	/* ... with members */
	ACTION_ARRAY,
	ACTION_SAMPLE,
};

/* Numbers of ACTION_ENCAP: whether the packet's Ethernet header stays inside the tunnel. */
enum { ENCAP_L2, ENCAP_L3 };

static inline bool dvx_flow_is_change(enum action_kind kind)
{
	return kind < ACTION_TAG;
}

/* rule.c: a row for each kind. All destinations are one class. */
struct dvx_flow_kind {
	const char *name;
	const char *noun; /* its name in errors; NULL: it needs none */
	bool below_only;  /* the root has no such action */
	enum action_kind class;
	uint8_t most;	  /* of its class in a rule */
	const char *more; /* the name in errors of one more than that */
};
extern const struct dvx_flow_kind dvx_flow_kinds[];

/* Requirements of an action that changes packets on its rule's match. */
struct dvx_flow_change {
	uint8_t version, protocol;	      /* as in struct dvx_flow_needs */
	bool tag;			      /* a VLAN tag */
	const char *version_of, *protocol_of; /* the fields that need them */
};

struct dvx_flow_action {
	/* a new rule reads these, so they are in two lines of the cache */
	struct dvx_flow_domain *domain;
	void *impl[2]; /* for rules below the root and in it; only changes have both */
	enum action_kind kind;
	uint32_t level; /* of the table it leads to */
	int refs;
	/*
	 * the tag, the counter or ASO object in obj, the priority in the root, the vport, the ratio
	 * of a sample, or ENCAP_*
	 */
	uint32_t number;
	_Alignas(void *) uint8_t own[24]; /* of the backend */
	uint32_t object;		  /* the device's number of obj */

	void *anchor_table;	      /* the backend's, of ACTION_ROOT */
	struct dvx_flow_table *table; /* that table */
	uint8_t reg_c;		      /* of an ASO object: the register of the result */
	bool responder;		      /* of a tracked connection: the packets are its responder's */
	struct dvx_obj *obj;	      /* its bulk of counters, its ASO objects or its TIR, or ... */
	struct ibv_qp *ibqp;	      /* ... its QP */
	int *target;		      /* reference count of its target or counter */
	struct dvx_flow_change change;
	size_t bytes; /* of the header, the rewrites, the tag (4 bytes), or the members */
	_Alignas(uint64_t) uint8_t data[];
};

/* Returns the actions that get copies, of an array or a sample; another action has none. */
static inline struct dvx_flow_action *const *dvx_flow_members(const struct dvx_flow_action *action,
							      uint32_t *n)
{
	*n = action->kind >= ACTION_ARRAY ? (uint32_t)(action->bytes / sizeof(action)) : 0;
	return (const void *)action->data;
}

/* A bulk of counters. */
struct dvx_flow_part {
	struct dvx_obj *obj;
	uint32_t id, size;
};
struct dvx_flow_counter {
	struct dvx_dev *dev;
	uint32_t size; /* of all parts */
	int refs;
	uint32_t parts;
	struct dvx_flow_part part[];
};
/* counter.c: the bulk that has counter *index, which becomes the number in it. */
struct dvx_flow_part *dvx_flow_counter_part(struct dvx_flow_counter *counter, uint32_t *index);

#define RULE_ACTIONS 11u /* the most that a rule has: the sum of `most` over the classes */

struct dvx_flow_rule {
	struct dvx_flow_matcher *matcher;
	void *impl;
	uint32_t action_count;
	struct dvx_flow_action *actions[];
};

/* field.c: fields of fte_match_param. A field is at most 16 bytes wide. */
struct dvx_flow_field {
	char path[96]; /* "outer_headers.dst_ipv4_dst_ipv6" */
	uint32_t bit, width;
};
/* The field that covers a bit; false: reserved. */
bool dvx_flow_field_at(uint32_t bit, struct dvx_flow_field *out);
/* The lowest field from bit `from` on of which a bit is set in buf; false: none. A reserved bit
 * that is set is a field without a name. */
bool dvx_flow_field_next(const uint8_t *buf, uint32_t from, struct dvx_flow_field *out);
/* A number, or an address. */
void dvx_flow_field_text(const struct dvx_flow_field *f, const uint8_t *buf, char *out,
			 size_t size);
void dvx_flow_field_copy(const struct dvx_flow_field *f, const uint8_t *from, uint8_t *to);

enum dvx_flow_rewrite_flags {
	REWRITE_TAG = 1 << 0, /* packets with a VLAN tag have it */
	REWRITE_ADD = 1 << 1, /* devices add to it */
	REWRITE_TX = 1 << 2,  /* in TX domains only */
	REWRITE_RX = 1 << 3,  /* in RX domains only */
};
/* rewrite.c: a field that can be rewritten, by its PRM modify_field. */
struct dvx_flow_rewrite_field {
	const char *path;
	uint16_t number;
	uint8_t bits, version, protocol; /* as in struct dvx_flow_needs */
	uint8_t flags;			 /* enum dvx_flow_rewrite_flags */
};
const struct dvx_flow_rewrite_field *dvx_flow_rewrite_field(uint32_t number);

/*
 * action.c: `want` is copied with its `bytes` of data, and gets a reference on its target and the
 * domain.
 */
int dvx_flow_action_new(const struct dvx_flow_action *want, const void *data, const char *call,
			struct dvx_flow_action **out);
/* `sides`: SIDE_* of the domains that the call is for. */
int dvx_flow_only(const struct dvx_flow_domain *domain, unsigned int sides, const char *call);
enum {
	SIDE_RX = 1 << DVX_FLOW_RX,
	SIDE_TX = 1 << DVX_FLOW_TX,
	SIDE_FDB = 1 << DVX_FLOW_FDB,
};
/* domain.c: a row for each enum dvx_flow_side */
struct dvx_flow_side_row {
	const char *name;
	const char *takes; /* which packets */
	const char *props; /* its tables' properties */
};
extern const struct dvx_flow_side_row dvx_flow_sides[];
#define FLOW_SIDES 3u

/* matcher.c: `want` is copied, and gets a reference on its table. */
int dvx_flow_matcher_new(const struct dvx_flow_matcher *want, const uint8_t *value,
			 struct dvx_flow_matcher **out);

/* change.c: whether the rule's match says what action i needs; `decap`: of the inner headers. */
int dvx_flow_change_check(const struct dvx_flow_rule_attr *attr, uint32_t i, bool decap);
int dvx_flow_change_check_pops(const struct dvx_flow_rule_attr *attr, bool decap);

/* check.c: `who` begins the sentence. */
int dvx_flow_check_mask(const uint8_t *mask, const char *who, struct dvx_flow_needs *needs);
int dvx_flow_check_value(const struct dvx_flow_matcher *matcher, const struct dvx_flow_match *m,
			 const char *who);

/* cap.c: do the device's root tables match these fields? */
int dvx_flow_check_caps(const struct dvx_flow_domain *domain, const uint8_t *mask, const char *who);
/* The first field of a mask that has no capability bit. */
bool dvx_flow_field_without_cap(const uint8_t *mask, struct dvx_flow_field *f);
const void *dvx_flow_props(const struct dvx_flow_domain *domain);
static inline const char *dvx_flow_props_name(const struct dvx_flow_domain *domain)
{
	return dvx_flow_sides[domain->side].props;
}

/* blame.c: finds the fields because of which a device refuses the matcher's mask, by trials. */
struct dvx_flow_trial {
	bool (*accepts)(const struct dvx_flow_trial *trial, const uint8_t *mask);
	const struct dvx_flow_matcher *matcher;
	unsigned int kind; /* the backend's */
};
/* The first field that is refused without the others; false: none is. */
bool dvx_flow_blame_one(const struct dvx_flow_trial *trial, struct dvx_flow_field *out);
/* The paths of fields that are refused together, and accepted if any of them is left out. */
void dvx_flow_blame_several(const struct dvx_flow_trial *trial, char *names, size_t size);

/* match.c: groups that are compared at all, one bit each: the PRM's match_criteria_enable. */
uint8_t dvx_flow_criteria(const uint8_t *mask);
/* Returns the bytes up to the last group that is used: an older kernel does not know later ones. */
uint32_t dvx_flow_criteria_bytes(uint8_t criteria);
/* Finds a field as dvx_flow_match_set() does; an address, too. */
int dvx_flow_match_place(const char *name, uint32_t *bit, uint32_t *width);

/* rule.c: checks a rule, and sorts its actions, at most RULE_ACTIONS, in the order of their kinds. */
int dvx_flow_rule_check(const struct dvx_flow_rule_attr *attr, struct dvx_flow_action **out,
			uint32_t *n);
uint32_t dvx_flow_rule_count(struct dvx_flow_action *const *actions, uint32_t action_count,
			     enum action_kind kind);

/* IP version under a mask or of a value, of one depth. */
static inline uint32_t dvx_flow_ip_version(const uint8_t *match, enum dvx_flow_depth depth)
{
	return prm_fte_match_set_lyr_2_4_get_ip_version(
		match + (depth == DVX_FLOW_INNER ? 2 * GROUP_BYTES : 0));
}

/* Tells whether fields need IPv6, or else whether the value has it. */
static inline bool dvx_flow_is_v6(const struct dvx_flow_matcher *matcher, const uint8_t *value,
				  enum dvx_flow_depth depth)
{
	uint8_t needed = matcher->needs.version[depth];

	return needed > NEEDS_VERSION ? needed == 6 : dvx_flow_ip_version(value, depth) == 6;
}

#endif
