/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that is being made of nodes. */
#ifndef DVX_FLOW_BUILD_H
#define DVX_FLOW_BUILD_H

#include "map.h"
#include "parse.h"
#include "tunnels.h"

#define TYPE_MPLS 0x8847

/* Fields in the order of their keys, each at most once. */
struct build_fields {
	struct rule_field field[RULE_KEYS];
	uint32_t n;
};

/* The header that `type` and `code` refer to. */
enum build_context { CONTEXT_NONE, CONTEXT_ETH, CONTEXT_ICMP, CONTEXT_ICMP6 };

/* The header that a match belongs to: a negated header takes its matches along. */
enum build_scope { SCOPE_NONE, SCOPE_ONE, SCOPE_L4, SCOPE_VLAN, SCOPE_MPLS };

/* The matches behind `not`. */
struct build_group {
	bool active, empty; /* empty: nothing yet */
	bool chain;	    /* a header's word began it: it goes on with that header's fields */
	bool names_tunnel;
	enum build_scope scope;
	struct source_range at;
	struct rule_headers headers;
	struct build_fields fields;
	enum node_tunnel tunnel; /* of the words before */
	enum build_context context;
};

/* Headers that packets must have, because a negated match is about them. */
struct build_needs {
	bool ip, ports, flags;
};

struct build_goto {
	const char *name;
	struct source_range at;
	size_t rule;
};

struct rule_build {
	struct rule_parser *ps; /* has the memory, and takes mistakes */
	/* the file's rules so far */
	size_t room;
	struct build_named *named; /* the rules with a name */
	size_t nnamed, named_room;
	struct map names;	   /* hash -> a place in `named` */
	struct build_table *table; /* as many as the set has */
	size_t table_room, names_room;
	struct build_goto *gotos;
	size_t ngotos, goto_room;
	uint32_t in_table; /* table of the next rule */
	/* the current rule */
	struct rule rule;
	struct rule_headers inner;
	struct build_fields fields; /* of both levels */
	/* The headers and fields that matches refer to: the rule's, or the group's. */
	struct rule_headers *h;
	struct build_fields *f;
	bool is_inner, has_inner; /* the current level; the word `inner` was read */
	enum build_context context;
	enum node_tunnel tunnel;
	struct build_group group;
	struct node_list excepts;
	struct build_needs needs[2]; /* of the outer headers, and the inner ones */
	struct rule_change change[RULE_CHANGE_KINDS];
	struct source_range change_at[RULE_CHANGE_KINDS];
	uint32_t changes; /* bits of those that are given */
	struct rule_encap encap;
	uint32_t encap_given;  /* bits by enum encap_word */
	uint32_t decap_given;  /* bits by enum node_side: MACs of the new Ethernet header */
	bool has_to;	       /* a queue or a vport */
	struct rule_rate rate; /* rate 0: not given */
	struct source_range rate_at, expire_at, sample_at;
	uint32_t most;		      /* connections; 0: not given */
	struct source_range ct_at;    /* of the rule */
	struct source_range first_ct; /* of the file; line 0: none */
	/* The Geneve option of the file's rules, as in struct rule, and the first rule's line. */
	uint32_t option, option_line;
	struct rule_rss rss;  /* last 0: not given */
	struct build_goto go; /* name NULL: not given */
};

/* Begins a rule with its verdict and direction. */
void build_begin(struct rule_build *b, const struct source_range *at, enum rule_verdict verdict,
		 const struct source_range *dir_at, enum rule_dir dir);
/* Adds a match, a change or a destination. */
void build_add(struct rule_build *b, const struct rule_node *n);
/* Ends the rule: adds what its matches imply, and keeps the rule if all is well. */
void build_end(struct rule_build *b, const struct source_range *at);
void build_free(struct rule_build *b);

#define node_mistake(b, n, ...) parse_mistake((b)->ps, &(n)->at, __VA_ARGS__)

/* --- build_field.c --- */

/* Returns the place relative to the rule's first line. */
struct source_location build_location(const struct rule_build *b, const struct source_range *at);
/* Copies an array to the set's memory; NULL: there is none. */
void *build_keep(struct rule_build *b, const void *items, size_t n, size_t size);
/* Returns the key at the current level. */
enum rule_key build_key(const struct rule_build *b, enum rule_key key);
/* Returns a field; mask 0: not given. */
const struct rule_field *build_field(const struct build_fields *fields, enum rule_key key);
void build_fields_remove(struct build_fields *fields, enum rule_key key);
/* Returns the rule's or group's field at the current level. */
const struct rule_field *build_field_here(const struct rule_build *b, enum rule_key key);
/* Sets a field to values, which are negated if the node's are. */
void build_set_values(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		      const struct node_list *l);
void build_set_value(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		     uint64_t value);
/* Sets a field that a match implies: never negated. */
void build_set_field(struct rule_build *b, const struct source_range *at, enum rule_key key,
		     uint64_t value, uint64_t mask);

void build_set_ip(struct rule_build *b, const struct source_range *at, uint8_t version);
const char *build_ip_name(uint8_t version);
/* Returns the IP version of an EtherType, or 0. */
uint8_t build_type_version(uint64_t type);
/* Returns whether the EtherType excludes this IP version; 0: both versions. */
bool build_not_ip(const struct rule_build *b, uint8_t version);

/* Groups behind `not`. */
void build_not(struct rule_build *b, const struct rule_node *n);
/* Opens a group for a value behind `!=`, which build_group_end() closes. */
bool build_group_of_value(struct rule_build *b, const struct rule_node *n);
/* Begins a match, in the open group if it belongs there. word: it names the header. */
void build_group_target(struct rule_build *b, enum build_scope scope, bool word);
/* Closes the group, if one is open. */
void build_group_end(struct rule_build *b);

void build_settle_l4(struct rule_build *b, const struct source_range *at);
/* Adds the tunnel's port, if it is not named. */
void build_settle_tunnel(struct rule_build *b, const struct source_range *at);
/* Returns whether one of these fields is of the current level's IP header. */
bool build_has_ip_field(const struct rule_build *b, const struct build_fields *fields);

/* --- build_match.c --- */

/* Makes the following matches refer to the headers inside a tunnel, or to the outer ones. */
void build_level(struct rule_build *b, bool inner);

/* --- build_to.c, build_change.c, build_name.c --- */

void build_queue(struct rule_build *b, const struct rule_node *n);
void build_to_vport(struct rule_build *b, const struct rule_node *n);
void build_sample(struct rule_build *b, const struct rule_node *n);
void build_rss(struct rule_build *b, const struct rule_node *n);
void build_rss_on(struct rule_build *b, const struct rule_node *n);
void build_rss_key(struct rule_build *b, const struct rule_node *n);
void build_goto(struct rule_build *b, const struct rule_node *n);
void build_mark(struct rule_build *b, const struct rule_node *n);
/* Checks, at the rule's end, that packets have a destination and the rest of the rule suits it. */
void build_settle_to(struct rule_build *b, const struct source_range *at);
bool build_keep_to(struct rule_build *b);

void build_change(struct rule_build *b, const struct rule_node *n);
void build_change_port(struct rule_build *b, const struct rule_node *n);
void build_push(struct rule_build *b, const struct rule_node *n);
/* Checks that the rule has the matches that its changes need. */
void build_settle_changes(struct rule_build *b);
bool build_keep_changes(struct rule_build *b);

/* --- build_encap.c --- */

void build_encap(struct rule_build *b, const struct rule_node *n);
void build_encap_word(struct rule_build *b, const struct rule_node *n);
void build_decap_mac(struct rule_build *b, const struct rule_node *n);
/* Check that the words are complete, and make the header that begins a tunnel, or replaces one. */
void build_settle_encap(struct rule_build *b, const struct source_range *at);
void build_settle_decap(struct rule_build *b, const struct source_range *at);

/* build_rate.c */
void build_over(struct rule_build *b, const struct rule_node *n);
void build_burst(struct rule_build *b, const struct rule_node *n);
void build_expire(struct rule_build *b, const struct rule_node *n);
/* Checks, at the rule's end, that the rest of the rule suits its rate and its end. */
void build_settle_rate(struct rule_build *b);
bool build_keep_rate(struct rule_build *b);

/* --- build_track.c --- */

void build_ct(struct rule_build *b, const struct rule_node *n);
void build_max(struct rule_build *b, const struct rule_node *n);
/* Checks, at the rule's end, what tracks connections and what compares their state. */
void build_settle_track(struct rule_build *b, const struct source_range *at);
bool build_keep_track(struct rule_build *b);
/* At the file's end, checks that connections whose state is compared are tracked. */
void build_track_end(struct rule_build *b);

void build_name(struct rule_build *b, const struct rule_node *n);
void build_names_free(struct rule_build *b);

/* --- build_table.c --- */

/* Makes the following rules belong to this table. */
void build_table(struct rule_build *b, const struct source_range *at, const char *name);
/* Called before the first rule. Returns false if there is no memory. */
bool build_tables_begin(struct rule_build *b);
bool build_tables_keep(struct rule_build *b);
/* At the file's end, finds the tables that rules name, and reports those that no packet reaches. */
void build_tables_end(struct rule_build *b);
void build_tables_free(struct rule_build *b);

#endif
