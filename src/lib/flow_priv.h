/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the rule model (flow_*.c) share. */
#ifndef DVX_FLOW_PRIV_H
#define DVX_FLOW_PRIV_H

#include "prm/reflect.h"
#include "priv.h"

#define MATCH_BYTES	PRM_FTE_MATCH_PARAM_BYTES
#define MATCH_GROUPS	7u /* outer_headers .. misc_parameters_5, of 64 bytes each */
#define GROUP_BYTES	64u
#define ROOT_PRIORITIES 16u /* MLX5_BY_PASS_NUM_REGULAR_PRIOS of the kernel's device.h */
#define MATCHER_KINDS	4u  /* outer IPv4 or not so, times the same of inner */

struct dvx_flow_domain {
	struct dvx_dev *dev;
	struct mlx5dv_dr_domain *dr;
	enum dvx_flow_side side;
	bool levels;
	int refs;
};

struct dvx_flow_table {
	struct dvx_flow_domain *domain;
	struct mlx5dv_dr_table *dr;
	uint32_t level;
	int refs;
};

/* What fields of a matcher require of its other fields, by depth (outer, inner). */
struct dvx_flow_needs {
	uint8_t version[2];  /* 4, 6, or NEEDS_VERSION: either; 0: nothing */
	uint8_t protocol[2]; /* ip_protocol; 0: nothing */
	uint16_t port;	     /* outer udp_dport, of a tunnel; 0: nothing */
	uint8_t vlans;	     /* kinds of tags that are matched: bits of flow_check.c's rows */
};
#define NEEDS_VERSION 1u

/*
 * Below the root, libmlx5 needs the IP version with the mask. One matcher here is up to four of
 * libmlx5's, each made with its first rule.
 */
struct dvx_flow_matcher {
	struct dvx_flow_table *table;
	struct mlx5dv_dr_matcher *dr[MATCHER_KINDS];
	uint8_t mask[MATCH_BYTES];
	struct dvx_flow_needs needs;
	uint16_t priority;
	uint32_t bytes; /* of mask and value that libmlx5 is given */
	uint32_t expected_rules;
	int refs;
};

/* In the order that libmlx5 wants them in. */
enum action_kind {
	ACTION_DECAP,
	ACTION_POP_VLAN,
	ACTION_MODIFY,
	ACTION_PUSH_VLAN,
	ACTION_TAG,
	ACTION_COUNT,
	/* destinations; only one of them in a rule */
	ACTION_DROP,
	ACTION_DEFAULT,
	ACTION_TABLE,
	ACTION_ROOT,
	ACTION_QUEUE,
	ACTION_ARRAY,
};

/* flow_change.c: what an action that changes packets is made of, and needs of a rule's match. */
struct dvx_flow_change {
	struct mlx5dv_dr_action *(*make)(const struct dvx_flow_action *, bool root);
	const char *says;		     /* "a rewrite" */
	bool below_only;		     /* the root has no such action */
	bool (*root_has)(const void *props); /* what it needs in the root; NULL: it needs nothing */
	const char *root_cap;		     /* the name of that capability */
	struct mlx5dv_dr_action *dr[2]; /* other levels, root; each made with its first rule */
	uint8_t version, protocol;	/* as in struct dvx_flow_needs */
	bool tag;			/* a VLAN tag */
	const char *version_of, *protocol_of; /* the fields that need them */
	size_t bytes;
	_Alignas(uint64_t) uint8_t data[];
};

struct dvx_flow_action {
	struct dvx_flow_domain *domain;
	struct mlx5dv_dr_action *dr; /* unless it is a change */
	struct dvx_flow_change *change;
	struct mlx5dv_dr_table *root; /* made for an action that leads to the root */
	enum action_kind kind;
	uint32_t level;			  /* of the table it leads to */
	int *target;			  /* reference count of its target or counter */
	struct dvx_flow_action **members; /* of an array */
	uint32_t member_count;
	int refs;
};

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
/* flow_counter.c: the bulk that has counter *index, which becomes the number in it. */
struct dvx_flow_part *dvx_flow_counter_part(struct dvx_flow_counter *counter, uint32_t *index);

struct dvx_flow_rule {
	struct dvx_flow_matcher *matcher;
	struct mlx5dv_dr_rule *dr;
	uint32_t action_count;
	struct dvx_flow_action *actions[];
};

/* What libmlx5 takes: its struct mlx5dv_flow_match_parameters ends in an open array. */
union dvx_flow_params {
	struct mlx5dv_flow_match_parameters p;
	uint8_t room[sizeof(struct mlx5dv_flow_match_parameters) + MATCH_BYTES];
};

/* flow_field.c: fields of fte_match_param. A field is at most 16 bytes wide. */
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
/* flow_rewrite.c: a field that can be rewritten, by its PRM modify_field. */
struct dvx_flow_rewrite_field {
	const char *path;
	uint16_t number;
	uint8_t bits, version, protocol; /* as in struct dvx_flow_needs */
	uint8_t flags;			 /* enum dvx_flow_rewrite_flags */
};
const struct dvx_flow_rewrite_field *dvx_flow_rewrite_field(uint32_t number);

/* flow_action.c: `want` is copied, and gets a reference on its target and the domain. */
int dvx_flow_action_finish(struct dvx_flow_domain *domain, const struct dvx_flow_action *want,
			   const char *call, struct dvx_flow_action **out);
int dvx_flow_rx_only(const struct dvx_flow_domain *domain, const char *call);

/* flow_change.c */
int dvx_flow_change_create(struct dvx_flow_domain *domain, enum action_kind kind,
			   const struct dvx_flow_change *how, const void *data, size_t bytes,
			   struct dvx_flow_action **out);
int dvx_flow_change_for(struct dvx_flow_action *action, bool root, struct mlx5dv_dr_action **out);
/* On success everything of the action is gone but itself. */
int dvx_flow_change_destroy(struct dvx_flow_action *action);
/* Whether the rule's match says what action i needs; `decap`: of the inner headers. */
int dvx_flow_change_check(const struct dvx_flow_rule_attr *attr, uint32_t i, bool decap);
int dvx_flow_change_check_pops(const struct dvx_flow_rule_attr *attr, bool decap);

/* flow_check.c: `who` begins the sentence. */
int dvx_flow_check_mask(const uint8_t *mask, const char *who, struct dvx_flow_needs *needs);
int dvx_flow_check_value(const struct dvx_flow_matcher *matcher, const struct dvx_flow_match *m,
			 const char *who);

/* flow_cap.c: do the device's root tables match these fields? */
int dvx_flow_check_caps(const struct dvx_flow_domain *domain, const uint8_t *mask, const char *who);
/* The first field of a mask that has no capability bit. */
bool dvx_flow_field_without_cap(const uint8_t *mask, struct dvx_flow_field *f);
const void *dvx_flow_props(const struct dvx_flow_domain *domain);
const char *dvx_flow_props_name(const struct dvx_flow_domain *domain);

/* flow_lack.c: why libmlx5 refuses below the root. */
bool dvx_flow_software_owned(const struct dvx_flow_domain *domain);
/* Fails with the sentence. */
int dvx_flow_lacks_field(const struct dvx_flow_domain *domain, const char *path);
/* The capability that tables below the root need and lack; "": none that libmlx5 checks. */
const char *dvx_flow_lacks_levels(const struct dvx_flow_domain *domain);
/* Fails with the sentence; 0 if the vport is not why libmlx5 refused the rule with err. */
int dvx_flow_lacks_vport(const struct dvx_flow_rule *rule, const uint8_t *value, int err);

/* flow_matcher.c: the libmlx5 matcher for such values, made if it is not there. */
int dvx_flow_matcher_for(struct dvx_flow_matcher *matcher, const uint8_t *value,
			 struct mlx5dv_dr_matcher **out);

/* IP version under a mask or of a value, of one depth. */
static inline uint32_t dvx_flow_ip_version(const uint8_t *match, enum dvx_flow_depth depth)
{
	return prm_fte_match_set_lyr_2_4_get_ip_version(
		match + (depth == DVX_FLOW_INNER ? 2 * GROUP_BYTES : 0));
}

#endif
