/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the flow API over hardware steering: rule tables (RTC) of entries (STE), action
 * templates (STC) and a queue that writes rules (doc/design/0095).
 */
#ifndef DVX_HWS_PRIV_H
#define DVX_HWS_PRIV_H

#include <uthash.h>
#include <dvx/hws.h>
#include "lib/flow/backend.h"
#include "lib/flow/service_queue.h"

/* A general object of the device, or a flow table. */
struct hws_object {
	struct dvx_obj *obj; /* NULL: none */
	uint32_t id;
};

/* The FDB has two sides, RX and TX, with objects of their own; other domains have one. */
#define HWS_SIDES 2u
struct hws_pair {
	struct hws_object side[HWS_SIDES];
};

/* object.c: creates a general object; `in` has its header and payload. */
int dvx_hws_object_create(struct dvx_dev *dev, uint16_t type, uint32_t log_range, void *in,
			  size_t len, struct hws_object *out);
int dvx_hws_object_destroy(struct hws_object *o);
int dvx_hws_pair_destroy(struct hws_pair *pair);

#define HWS_STCS 4096u /* different ones of a domain */

/* Templates that every domain has, at these offsets of its range. */
enum hws_fixed { HWS_NOP_CTRL, HWS_NOP_DW5, HWS_NOP_DW6, HWS_NOP_DW7, HWS_FIXED };
_Static_assert(HWS_FIXED == DVX_HWS_NOPS, "dvx_hws_image_flow_tag() tells them by that");

/* Templates of an action; most have one. */
enum hws_slot {
	HWS_CTRL,
	HWS_HIT,
	HWS_DW5,
	HWS_DW6,
	HWS_DW7,
	HWS_PAIR,  /* dwords 6 and 7 */
	HWS_TWICE, /* dword 5, of an action that a rule has twice */
	HWS_SLOTS
};

struct hws_domain {
	struct dvx_dev *dev;
	uint8_t type;		      /* of flow tables: enum prm_flow_table_type */
	uint8_t side_type[HWS_SIDES]; /* of the sides' objects */
	uint8_t sides;
	bool reparse_by_stc, no_duplicates;
	struct dvx_service_queue queue;
	uint32_t waiting;	/* requests whose completions are to come */
	uint32_t unrung;	/* of these, requests that no doorbell has announced; ... */
	bool more;		/* ... others follow */
	int broken;		/* -errno of a request that ended the queue */
	struct dvx_error late;	/* of the last request that failed after its call had returned */
	uint32_t lost, reports; /* of these, how many no sync has reported; syncs that did */
	bool lost_any;		/* there was one */
	struct hws_pair stcs;
	struct hws_template *template[HWS_STCS], *templates; /* by offset; a hash table */
	uint16_t last[HWS_SLOTS];			     /* template that was asked for */
	struct hws_key *keys;
	TAILQ_HEAD(hws_tables, hws_table) tables;
	struct hws_pool *pools;
	struct hws_vport *vports; /* a hash table */
	uint32_t numbers;	  /* of a side's entries, in the dump that is written */
};
static inline struct hws_domain *hws_domain(const struct dvx_flow_domain *domain)
{
	return domain->impl;
}

/* ---- Keys (key.c): selectors of the fields that tags have ---- */

#define HWS_DWORDS   9u
#define HWS_OCTETS   8u
#define HWS_TAG_LONG DVX_LONG_TAG_BYTES
#define HWS_HEADERS  1024u /* PRM definer_hl */
#define HWS_MOVES    64u

/* A definer, shared by matchers with equal keys. */
struct hws_key {
	struct hws_key *next;
	int refs;
	struct hws_object definer;
	bool wide;   /* its tags have HWS_TAG_LONG bytes */
	bool linear; /* it has the device's definer of register C3 */
	uint8_t dwords[HWS_DWORDS], octets[HWS_OCTETS];
	uint8_t mask[HWS_TAG_LONG];
};

/* Copies bits of a match to a tag. */
struct hws_move {
	uint16_t from, to; /* bits */
	uint8_t width;
	bool version; /* an ip_version, which tags have as a kind of layer 3 */
};

/* A matcher's key, and how its rules' values become tags. */
struct hws_layout {
	struct hws_key *key;
	uint8_t fixed[HWS_TAG_LONG]; /* bits that all its tags have */
	uint32_t count;
	struct hws_move move[HWS_MOVES + HWS_DWORDS * 4];
};
/* `v6`: by depth, whether addresses are IPv6 ones. */
int dvx_hws_layout_make(const struct dvx_flow_domain *domain, const uint8_t *mask, const bool v6[2],
			struct hws_layout *out);
/* Makes the layout of rules that have an index. */
int dvx_hws_layout_make_linear(const struct dvx_flow_domain *domain, struct hws_layout *out);
/* Finds an equal key, or makes one. */
int dvx_hws_key_get(struct hws_domain *d, const struct hws_key *want, struct hws_key **out);
/* Gives it back; *key may become NULL. */
int dvx_hws_key_put(struct hws_domain *d, struct hws_key **key);
/* Writes a tag of HWS_TAG_LONG bytes; one of DVX_TAG_BYTES is its end. */
void dvx_hws_layout_tag(const struct hws_layout *layout, const uint8_t *value, uint8_t *tag);
static inline uint32_t hws_tag_bytes(const struct hws_layout *layout)
{
	return layout->key->wide ? DVX_LONG_TAG_BYTES : DVX_TAG_BYTES;
}
/* fields.c: adds the bits of the parsed headers that a mask needs; fails with the field's name. */
struct hws_headers {
	uint8_t mask[HWS_HEADERS], fixed[HWS_HEADERS];
	uint32_t count;
	struct hws_move move[HWS_MOVES]; /* to a bit of the headers */
};
int dvx_hws_headers_add(const struct dvx_flow_domain *domain, struct hws_headers *h,
			const uint8_t *mask, const bool v6[2]);

/* ---- Vports (vport.c) ---- */

/* Finds the VHCA of a vport other than the uplink; `what` begins the sentence of a failure. */
int dvx_hws_vport_vhca(struct hws_domain *d, const char *what, uint32_t vport, uint16_t *vhca);
/* Returns the vport of the e-switch's manager. */
uint32_t dvx_hws_vport_manager(struct hws_domain *d);
/* Writes a record of this type for each that was asked for. */
void dvx_hws_vports_dump(const struct dvx_flow_domain *domain, uint32_t type, FILE *to);
void dvx_hws_vports_free(struct hws_domain *d);

/* ---- Tables (table.c, stage.c) ---- */

/*
 * A rule table on its own entries, and the flow table that packets enter which have none of its
 * rules. The stages of a table are a list: each is linked to the one before.
 */
struct hws_stage {
	TAILQ_ENTRY(hws_stage) link;
	struct hws_part *part;
	struct hws_pair entries, rtc;
	struct hws_object end;
	uint8_t log_rows, log_depth;
	uint32_t rules;	 /* of the flow API */
	uint32_t number; /* of the first entry, in the dump that is written */
};
TAILQ_HEAD(hws_stages, hws_stage);

struct hws_table {
	TAILQ_ENTRY(hws_table) link;
	struct dvx_flow_table *table;
	struct hws_object ft;
	struct hws_stages stages; /* as packets pass them */
};

/* Returns when rule tables parse packets again: PRM rtc_reparse. */
static inline uint32_t dvx_hws_reparse(const struct hws_domain *d)
{
	return d->reparse_by_stc ? PRM_RTC_REPARSE_BY_STC : PRM_RTC_REPARSE_ALWAYS;
}
/* A flow table leads to rule tables, or has one entry, which may end a packet's way. */
enum hws_ft_kind { HWS_FT_RULES, HWS_FT_ENTRIES, HWS_FT_ENDS };
int dvx_hws_ft_create(struct dvx_flow_domain *domain, enum hws_ft_kind kind, struct hws_object *ft);
/* Links a new stage into the table, behind those of matchers with lower or equal priority. */
int dvx_hws_stage_create(struct hws_part *part, uint32_t log_rows, uint32_t log_depth,
			 struct hws_stage **out);
int dvx_hws_stage_destroy(struct hws_stage *stage);

/* ---- Matchers (matcher.c) ---- */

/* Rules by their tags (tags.c). */
struct hws_tags {
	struct hws_tag_slot {
		struct hws_rule *rule; /* NULL: free */
		uint32_t hash;
	} * slot;
	uint32_t room, count; /* room: 0 or a power of two */
};
/* Returns the slot of a tag, which is free if no rule has it; not before there was a rule. */
struct hws_tag_slot *dvx_hws_tags_find(const struct hws_tags *t, const uint8_t *tag);
/*
 * Makes room for one more rule, and begins to find its slot, which dvx_hws_tags_place() returns. The
 * caller counts the rule.
 */
int dvx_hws_tags_reserve(struct hws_tags *t, const uint8_t *tag, uint32_t expected, uint32_t *hash);
struct hws_tag_slot *dvx_hws_tags_place(const struct hws_tags *t, const uint8_t *tag,
					uint32_t hash);
void dvx_hws_tags_forget(struct hws_tags *t, struct hws_tag_slot *s);

#define HWS_STAGES 12u
#define HWS_PARTS  4u /* addresses of IPv4 or IPv6, outer times inner */

/* Rules of one IP version; of any version, if the matcher compares no address. */
struct hws_part {
	struct dvx_flow_matcher *matcher;
	struct hws_layout layout;
	uint32_t count;
	struct hws_stage *stage[HWS_STAGES]; /* stage 0 is sized for the rules that are expected */
	struct hws_tags tags;		     /* of the flow API's rules */
};

/* ranges.c: the definer of a matcher's ranges, and where a rule has the limits of each. */
struct hws_ranges {
	struct hws_key *key;
	struct hws_range_place {
		uint8_t pair; /* dword of a long tag with the most value; the least one is behind it */
		uint8_t shift; /* of values, to the field's place in its dword */
	} place[DVX_HWS_RANGES];
};
int dvx_hws_ranges_make(const struct dvx_flow_matcher *matcher, struct hws_ranges *out);

struct hws_matcher {
	struct hws_part *part[HWS_PARTS];
	uint32_t first; /* the part that was made with the matcher */
	struct hws_ranges ranges;
};

static inline struct hws_part *hws_first_part(const struct dvx_flow_matcher *matcher)
{
	const struct hws_matcher *own = matcher->impl;

	return own->part[own->first];
}
/* Writes the tag of a value: HWS_TAG_LONG bytes. */
int dvx_hws_part_tag(const struct hws_part *part, const uint8_t *value, uint8_t *tag);
/* image.c: checks that rules with tags can be in the matcher, and that these are all that its rules compare. */
int dvx_hws_check_tags(const struct dvx_flow_matcher *matcher, const char *call);
int dvx_hws_check_tags_only(const struct dvx_flow_matcher *matcher, const char *call);
/* image.c: checks that requests can write the matcher's rules. */
int dvx_hws_check_matcher(const struct dvx_flow_matcher *matcher, const char *call);
int dvx_hws_matcher_create(struct dvx_flow_matcher *matcher, const uint8_t *value);
int dvx_hws_matcher_destroy(struct dvx_flow_matcher *matcher);
/* Returns the part for rules of this value, and makes it if need be; NULL after a failure. */
struct hws_part *dvx_hws_matcher_part(struct dvx_flow_matcher *matcher, const uint8_t *value);
/* Returns whether that is the part that was made with the matcher. */
bool dvx_hws_value_is_first(const struct dvx_flow_matcher *matcher, const uint8_t *value);
/* Returns a stage, and makes it if it is the next one. */
struct hws_stage *dvx_hws_part_stage(struct hws_part *part, uint32_t i);

/* ---- Templates (stc.c) ---- */

/* The domain's range of templates. */
int dvx_hws_stcs_create(struct hws_domain *d);
int dvx_hws_stcs_destroy(struct hws_domain *d);
/*
 * Returns in *offset a template with this action and parameters, and completes `stc`. `other`: the
 * entries that it leads to on the second side.
 */
int dvx_hws_stc_get(struct hws_domain *d, enum hws_slot slot, uint8_t *stc, uint32_t other,
		    uint16_t *offset);
/* Returns one that leads on to an entry of these ranges. */
int dvx_hws_stc_jump(struct hws_domain *d, const struct hws_pair *range, uint16_t *offset);
/* Gives it back; *offset becomes 0. */
int dvx_hws_stc_put(struct hws_domain *d, uint16_t *offset);
/* Writes a record of this type for each. */
void dvx_hws_stcs_dump(const struct hws_domain *d, uint32_t type, FILE *to);

/* ---- Actions (action.c) ---- */

/* Meters, and hits, of an object of the device. */
#define HWS_METERS 2u
#define HWS_HITS   512u

/* forward.c: a flow table of the firmware, with one entry. */
struct hws_forward {
	struct hws_object table, group, entry;
};
struct hws_dest {
	uint8_t type; /* enum prm_flow_dest_type */
	uint32_t id;
};

/* The device's objects of an action. */
struct hws_made {
	struct hws_object pattern, argument;
	bool written; /* the argument has its bytes */
	struct mlx5dv_steering_anchor *anchor;
	/* of several destinations, or of a sampler and its copies */
	struct hws_forward forward, copy;
	struct hws_object sampler;
};
/* There is one for each counter, so it is small. */
struct hws_action {
	uint16_t stc[HWS_SLOTS]; /* 0: not made */
	struct hws_made *made;	 /* of a kind that has some; else NULL */
};
_Static_assert(sizeof(struct hws_action) <= sizeof(((struct dvx_flow_action *)0)->own),
	       "it is in its action");
static inline struct hws_action *hws_action(struct dvx_flow_action *action)
{
	return (struct hws_action *)(void *)action->own;
}
/* Makes the table of an action with members, if need be. */
int dvx_hws_forward(struct dvx_flow_action *a, struct hws_made *own);
int dvx_hws_forward_destroy(struct hws_made *own);
int dvx_hws_action_create(struct dvx_flow_action *action, const char *call);
int dvx_hws_action_destroy(struct dvx_flow_action *action);
/* Returns the action's template for a slot, and makes it if need be; a negative number: failed. */
int dvx_hws_action_stc(struct dvx_flow_action *action, enum hws_slot slot);
extern const struct hws_action_row {
	bool single; /* takes dword 5, 6 or 7 */
	bool pair;   /* takes dwords 6 and 7 */
	bool hit;
	bool makes; /* it may need objects of its own */
} dvx_hws_actions[];

/* args.c: creates n arguments in a row */
int dvx_hws_argument_create(const struct dvx_flow_domain *domain, uint32_t n,
			    struct hws_object *out);

/* ---- Further entries of rules (pool.c) ---- */

#define HWS_POOL 4096u /* entries */

struct hws_pool {
	struct hws_pool *next;
	struct hws_pair entries, rtc;
	struct hws_object end;
	uint16_t stc; /* leads to an entry */
	uint32_t number;
	uint8_t used[HWS_POOL];
};

struct hws_place {
	struct hws_pool *pool;
	uint32_t index;
};
int dvx_hws_place_take(struct dvx_flow_domain *domain, struct hws_place *out);
/* Gives an entry back that no rule leads to any more. */
void dvx_hws_place_give(const struct hws_place *place);
int dvx_hws_pools_destroy(struct hws_domain *d);

/* ---- Rules (image.c, rule.c) ---- */

#define HWS_ENTRIES 4u /* of a rule */

/* A rule of the flow API. */
struct hws_rule {
	struct hws_rule *next; /* a rule with the same tag: the first of the list is in effect */
	struct hws_part *part;
	struct dvx_flow_rule *rule;
	struct hws_stage *stage; /* NULL: it is not on the device */
	struct hws_place *place; /* of entries behind the first one; NULL: it has one */
	uint32_t lost;		 /* the sync that reports its failure, from 1; 0: it has a place */
	uint16_t tried;		 /* stages that had no room, as bits */
	uint8_t more;		 /* entries behind the first one */
	uint8_t waits;		 /* completions that are to come, one for each side */
	uint8_t failed;		 /* of those that came */
	uint8_t tag[HWS_TAG_LONG];
};

/* Returns its tag, as requests have it. */
static inline uint8_t *hws_rule_tag(struct hws_rule *r)
{
	return r->tag + sizeof(r->tag) - hws_tag_bytes(&r->part->layout);
}

/* Images of a rule's entries: the first one is the matcher's. */
struct hws_images {
	uint32_t count;
	struct dvx_hws_image image[HWS_ENTRIES];
};
/*
 * Makes the images of sorted actions, without the entries' places; at most `most`. A tag that is
 * `wide` takes the first entry's dwords of actions.
 */
int dvx_hws_images_fill(struct dvx_flow_action *const *actions, uint32_t n, bool wide,
			uint32_t most, const char *call, struct hws_images *out);
/* Sets the table of an image. */
static inline void hws_image_set_rtc(struct dvx_hws_image *image, const struct hws_object *rtc)
{
	prm_wqe_ctrl_seg_set_general_id(image->wqe, rtc->id);
}
/* Makes an image lead on to another entry. */
void dvx_hws_image_lead(struct dvx_hws_image *image, const struct hws_place *next);
/* Writes an argument and waits for it. */
int dvx_hws_write_argument(struct dvx_flow_domain *domain, uint32_t id, const uint8_t *data,
			   uint32_t bytes);
int dvx_hws_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value, bool more);
int dvx_hws_rule_remove(struct dvx_flow_rule *rule);
int dvx_hws_rule_settle(struct dvx_flow_rule *rule);
/* Makes the images of a rule that has its places. */
int dvx_hws_rule_images(const struct hws_rule *r, struct hws_images *out);
/* Waits for all requests. Fails if the queue did; sync reports those that failed. */
int dvx_hws_drain(struct hws_domain *d);

/* ---- Dumps (dump.c) ---- */

int dvx_hws_dump(const struct dvx_flow_domain *domain, const struct dvx_flow_table *table, FILE *to,
		 const char *call);

/* ---- The root (root.c): the kernel's flows ---- */

int dvx_hws_root_matcher_create(struct dvx_flow_matcher *matcher);
int dvx_hws_root_matcher_destroy(struct dvx_flow_matcher *matcher);
int dvx_hws_root_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value);
int dvx_hws_root_rule_remove(struct dvx_flow_rule *rule);

#endif
