/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that is being parsed. Each call takes its place in the text, for messages. */
#ifndef DVX_FLOW_PARSE_H
#define DVX_FLOW_PARSE_H

#include <stdarg.h>

#include "arena.h"
#include "map.h"
#include "rule.h"

/* From the first character to the last. Bytes count from the beginning of the text. */
struct source_range {
	uint32_t first_line, first_column, last_line, last_column;
	size_t first_byte, end_byte;
};

struct parse_ports {
	struct rule_range *range;
	size_t n, room;
};

struct parse_named {
	const char *name;
	uint32_t line;
};

struct parse_nets {
	struct rule_net *net;
	size_t n, room;
};

struct parse_values {
	struct rule_value *value;
	size_t n, room;
};

struct address {
	struct rule_net ip; /* family 0: it is a MAC */
	uint64_t mac;
};

/* What `type` and `code` refer to. */
enum parse_context { CONTEXT_NONE, CONTEXT_ETH, CONTEXT_ICMP, CONTEXT_ICMP6 };

/* What `vni` refers to. */
enum parse_tunnel { TUNNEL_NONE, TUNNEL_VXLAN, TUNNEL_GPE, TUNNEL_GENEVE, TUNNELS };

#define TYPE_MPLS 0x8847

/* A table of the file, and a rule that leads to one. */
struct parse_table {
	struct source_range at; /* where its name was first */
	bool has[RULE_DIRS];	/* rules of this direction */
};
struct parse_goto {
	const char *name;
	struct source_range at;
	size_t rule;
};

struct parse_excepts {
	struct rule_except *except;
	size_t n, room;
};

/* Matches that belong to one header. */
enum parse_scope { SCOPE_ONE, SCOPE_L4, SCOPE_VLAN, SCOPE_MPLS };

/* What stands behind `not`. */
struct parse_group {
	bool active, empty; /* empty: nothing yet */
	bool chain;	    /* a header's word began it: it goes on with that header's fields */
	bool says_tunnel;
	enum parse_scope scope;
	struct source_range at;
	struct rule_headers headers;
	struct rule_field field[RULE_KEYS];
	enum parse_tunnel tunnel; /* what was said before */
	enum parse_context context;
};

/* Headers that packets must have, because a negated match is about them. */
struct parse_needs {
	bool ip, ports, flags;
};

/* A variable in the rule that is being read, and what it stands for. */
struct parse_use {
	size_t first_byte, end_byte;
	const char *text;
	size_t len;
	bool ends_with_name; /* which a - behind it would go on */
};

struct parse_define;

/* Variables, and the one whose tokens the grammar reads instead of the text's. */
struct parse_vars {
	struct parse_define **define;
	size_t n, room;
	struct map names; /* hash -> a place in `define` */
	struct parse_use *use;
	size_t nuses, use_room;
	const struct parse_define *now, *last; /* last: that the last token came from */
	size_t next;			       /* token of `now` */
	int pending, before;		       /* the next token; the last of the text */
	bool in_line, defining;
};

/* A set of keys, and the lowest one of a word of it: a rule names few of all keys. */
#define SAID_WORDS ((RULE_KEYS + 63) / 64)

static inline unsigned int parse_set_key(unsigned int word, uint64_t bits)
{
	return 64 * word + (unsigned int)__builtin_ctzll(bits);
}

struct rule_parser {
	/* the text and its result */
	const char *text;
	size_t len;
	bool ascii; /* each byte of it is a column */
	struct ruleset *set;
	size_t room;
	mistake_fn tell;
	void *tell_arg;
	int mistakes;
	bool no_memory, ended, part; /* part: it is to be part of another text */
	struct parse_vars vars;
	struct parse_named *named; /* the rules with a name */
	size_t nnamed, named_room;
	struct map names;	   /* hash -> a place in `named` */
	struct parse_table *table; /* as many as the set has */
	size_t table_room, names_room;
	struct parse_goto *gotos;
	size_t ngotos, goto_room;
	uint32_t in_table; /* where the next rule belongs */
	/* the current rule */
	struct rule rule;
	struct rule_field field[RULE_KEYS]; /* mask 0: not said */
	uint64_t said[SAID_WORDS];	    /* keys that field may have; the others are 0 */
	enum parse_context context;
	enum parse_tunnel tunnel;
	struct rule_headers inner;
	struct rule_headers *h; /* the headers that words refer to: the rule's outer, or inner, or
				   the group's */
	bool is_inner;
	struct parse_group group;
	struct parse_excepts excepts;
	struct parse_needs needs[2]; /* of the outer headers, and the inner ones */
	bool not_value;		     /* != stands before the value */
	struct source_range not_at;
	struct rule_change change[RULE_CHANGE_KINDS]; /* kind RULE_CHANGE_KINDS: not said */
	struct source_range change_at[RULE_CHANGE_KINDS];
	bool bad, has_queue;
	bool asks_inner;	  /* the word `inner` was there */
	struct parse_ports ports; /* the current lists */
	struct parse_nets nets;
	struct parse_values values;
	uint64_t flags, flags_mask;
	struct rule_rss rss;  /* last 0: not said */
	struct parse_goto go; /* name NULL: not said */
};

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "line 3" for messages about another line. */
const char *parse_line_name(const struct rule_parser *ps, uint32_t line, char *buf, size_t size);

/* The place relative to the rule's first line. */
struct source_location parse_location(const struct rule_parser *ps, const struct source_range *at);

/* Sets the value that a match says aside while what the match implies is kept. */
struct parse_aside {
	struct parse_values values;
	bool not_value;
};
struct parse_aside parse_aside(struct rule_parser *ps);
void parse_resume(struct rule_parser *ps, const struct parse_aside *a);

/*
 * Makes room for one more element in an array that doubles. NULL, with no_memory set, if it cannot
 * grow.
 */
void *parse_one_more(struct rule_parser *ps, void *list, size_t n, size_t *room, size_t size);

void parse_begin(struct rule_parser *ps, const struct source_range *at, enum rule_verdict verdict,
		 bool count);
void parse_direction(struct rule_parser *ps, const struct source_range *at, enum rule_dir dir);
void parse_end(struct rule_parser *ps, const struct source_range *at);

/* Following words refer to the headers inside a tunnel, or to the outer ones. */
void parse_level(struct rule_parser *ps, bool inner);
bool parse_is_inner(const struct rule_parser *ps);
/* The key at the current level. */
enum rule_key parse_key(const struct rule_parser *ps, enum rule_key key);
/* Whether one of these fields is of the current level's IP header. */
bool parse_has_ip_field(const struct rule_parser *ps, const struct rule_field field[RULE_KEYS]);
/* What the rule says of a key so far, at the current level. */
struct rule_field *rule_field_of(struct rule_parser *ps, enum rule_key key);

const char *parse_ip_name(uint8_t version);

/* `not` before a match. */
void parse_not(struct rule_parser *ps, const struct source_range *at);
/* `!=` or `not` before a value; parse_begin_value() opens the group if there was one. */
void parse_not_value(struct rule_parser *ps, const struct source_range *at);
bool parse_begin_value(struct rule_parser *ps);
bool parse_is_negated(const struct rule_parser *ps);
/* Begins a match: does it belong to the open group? word: it names the header. */
void parse_target(struct rule_parser *ps, enum parse_scope scope, bool word);
void parse_any(struct rule_parser *ps, const struct source_range *at);
void parse_eth_word(struct rule_parser *ps);
/* Closes the group, if one is open. */
void parse_group_end(struct rule_parser *ps);
void parse_settle_l4(struct rule_parser *ps, const struct source_range *at);

/* Matches. */
void parse_field(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		 uint64_t value, uint64_t mask);
/* Adds to the list of values; parse_field_list() takes it. mask UINT64_MAX: all of the field. */
void parse_value(struct rule_parser *ps, uint64_t value, uint64_t mask);
void parse_field_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
void parse_ethertype(struct rule_parser *ps, const struct source_range *at, uint64_t type);
/*
 * tc's word `protocol`: an EtherType by name or number (ip, arp, 0x88cc), else an IP protocol (tcp,
 * 6).
 */
void parse_protocol(struct rule_parser *ps, const struct source_range *at, const char *name,
		    uint64_t value);
void parse_proto(struct rule_parser *ps, const struct source_range *at, uint64_t proto);
void parse_vport(struct rule_parser *ps, const struct source_range *at, uint64_t vport);
void parse_sqn(struct rule_parser *ps, const struct source_range *at, uint64_t sqn);
void parse_tos(struct rule_parser *ps, const struct source_range *at, uint64_t value,
	       uint64_t mask);
void parse_ip(struct rule_parser *ps, const struct source_range *at, uint8_t version);
void parse_vlan(struct rule_parser *ps, const struct source_range *at, bool customer,
		bool provider);
void parse_native(struct rule_parser *ps, const struct source_range *at);
/* How many tags, with the words of the tags before. */
void parse_vlan_count(struct rule_parser *ps, const struct source_range *at, uint64_t tags);
void parse_vlan_counts(struct rule_parser *ps, const struct source_range *at, uint64_t least,
		       uint64_t most);
/* ... followed by IDs. */
void parse_tag_list(struct rule_parser *ps, const struct source_range *word,
		    const struct source_range *ids, bool customer);
/* vlan_id and vlan_prio imply vlan, as in tc. */
void parse_vlan_word(struct rule_parser *ps, const struct source_range *at, bool says_vlan);
/* Those that end in _list take the list of values. */
void parse_vlan_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
void parse_type(struct rule_parser *ps, const struct source_range *at, const char *name,
		uint64_t value);
void parse_code(struct rule_parser *ps, const struct source_range *at, uint64_t value);
void parse_flag(struct rule_parser *ps, const struct source_range *at, const char *name, bool set);
void parse_flags(struct rule_parser *ps, const struct source_range *at);

/* Tunnels and labels. */
void parse_tunnel_word(struct rule_parser *ps, const struct source_range *at,
		       enum parse_tunnel tunnel);
void parse_vni_list(struct rule_parser *ps, const struct source_range *at);
void parse_oam(struct rule_parser *ps, const struct source_range *at, uint64_t value);
void parse_gre_key_list(struct rule_parser *ps, const struct source_range *at);
void parse_mpls_word(struct rule_parser *ps, const struct source_range *at);
void parse_mpls_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
/* Adds UDP to the tunnel's port, if the rule does not name it. */
void parse_settle_tunnel(struct rule_parser *ps, const struct source_range *at);
/* The IP version of an EtherType, or 0. */
uint8_t parse_type_version(uint64_t type);
/*
 * Whether the rule names an EtherType behind which no packet of this IP version is; version 0:
 * neither IPv4 nor IPv6.
 */
bool parse_not_ip(struct rule_parser *ps, uint8_t version);
/* Checks that a packet without a tunnel does not match the inner headers. */
void parse_settle_inner(struct rule_parser *ps, const struct source_range *at);
/*
 * Reports a mistake and returns false if the current level is inner, where no device compares this.
 */
bool parse_only_outer(struct rule_parser *ps, const struct source_range *at, const char *name);

enum parse_side { SIDE_SRC, SIDE_DST, SIDE_EITHER };
/* Takes the list that parse_net() gathered. */
void parse_net_list(struct rule_parser *ps, const struct source_range *at, enum parse_side side);
void parse_net(struct rule_parser *ps, const struct source_range *at, const struct address *a);
/* From a to the address `end`. */
void parse_net_range(struct rule_parser *ps, const struct source_range *at, const struct address *a,
		     const struct address *end);
/* Takes the list that parse_range() gathered. */
void parse_port_list(struct rule_parser *ps, const struct source_range *at, enum parse_side side);
void parse_range(struct rule_parser *ps, const struct source_range *at, uint64_t first,
		 uint64_t last);
void parse_port_mask(struct rule_parser *ps, const struct source_range *at, uint64_t port,
		     uint64_t mask);
uint64_t parse_service(struct rule_parser *ps, const struct source_range *at, const char *name);

/* Apply a prefix length or a mask to an address. */
void parse_prefix(struct rule_parser *ps, const struct source_range *at, struct address *a,
		  uint64_t bits);
void parse_net_mask(struct rule_parser *ps, const struct source_range *at, struct address *a,
		    const struct address *mask);
void parse_mac_mask(struct rule_parser *ps, const struct source_range *at, uint64_t mac,
		    uint64_t mask);

/* --- parse_to.c: where packets go --- */

void parse_begin_to(struct rule_parser *ps);
void parse_queue(struct rule_parser *ps, const struct source_range *at, uint64_t queue);
void parse_rss(struct rule_parser *ps, const struct source_range *at, uint64_t first,
	       const struct source_range *last_at, uint64_t last);
void parse_rss_on(struct rule_parser *ps, const struct source_range *at, enum rule_hash kind);
/* Hexadecimal digits behind 0x, or in pairs with colons between them. */
void parse_rss_key(struct rule_parser *ps, const struct source_range *at, const char *digits);
void parse_goto(struct rule_parser *ps, const struct source_range *at, const char *table);
/* At the rule's end: is there a place to go to, and does the rest of the rule suit it? */
void parse_settle_to(struct rule_parser *ps, const struct source_range *at);
bool parse_keep_to(struct rule_parser *ps);

/* --- parse_table.c --- */

/* The following rules belong to this table. */
void parse_table(struct rule_parser *ps, const struct source_range *at, const char *name);
/* Before the first rule. False: no memory. */
bool parse_tables_begin(struct rule_parser *ps);
bool parse_tables_keep(struct rule_parser *ps);
/* At the file's end: finds the tables that rules name; reports those that no packet reaches. */
void parse_tables_end(struct rule_parser *ps);
void parse_tables_free(struct rule_parser *ps);

/* --- parse_variable.c --- */

/* Says ", which is 80,443 (line 3)" if the last token came from a variable, else "". */
const char *parse_variable_origin(const struct rule_parser *ps, char *buf, size_t size);
void parse_vars_begin(struct rule_parser *ps);
void parse_vars_free(struct rule_parser *ps);
/* Keeps them with the rules. False: no memory. */
bool parse_vars_keep(struct rule_parser *ps);
/* Those so far are of the rules in effect. */
void parse_vars_known(struct rule_parser *ps);
#define DEFINE_KNOWN 0 /* the line of such a definition */
/* `include`, where no file can be read. */
void parse_include(struct rule_parser *ps, const struct source_range *at);

/* Modifiers. */
void parse_tag(struct rule_parser *ps, const struct source_range *at, uint64_t tag);
void parse_count(struct rule_parser *ps, const struct source_range *at);

void parse_rule_name(struct rule_parser *ps, const struct source_range *at, const char *name);
void parse_end_names(struct rule_parser *ps);

/* Changes. `side` is an enum parse_side. */
void parse_begin_changes(struct rule_parser *ps);
void parse_change(struct rule_parser *ps, const struct source_range *at, enum rule_change_kind kind,
		  uint64_t value);
void parse_change_port(struct rule_parser *ps, const struct source_range *at, enum rule_l4 l4,
		       int side, uint64_t port);
void parse_change_address(struct rule_parser *ps, const struct source_range *at, uint8_t version,
			  int side, const struct address *a);
void parse_change_mac(struct rule_parser *ps, const struct source_range *at, int side,
		      const struct address *a);
void parse_push_vlan(struct rule_parser *ps, const struct source_range *at, uint64_t id,
		     uint64_t pcp);
/* A tunnel's headers cannot be added. */
void parse_encap(struct rule_parser *ps, const struct source_range *at);
/* Checks that the matches say what the changes need. */
void parse_settle_changes(struct rule_parser *ps);
bool parse_keep_changes(struct rule_parser *ps);

#endif
