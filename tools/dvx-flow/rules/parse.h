/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that is being parsed. Each call takes its place in the text, for messages. */
#ifndef DVX_FLOW_PARSE_H
#define DVX_FLOW_PARSE_H

#include <stdarg.h>

#include "arena.h"
#include "map.h"
#include "rule.h"

/* A range of the text, first to last character. Bytes count from the text's beginning. */
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

/* The header that `type` and `code` refer to. */
enum parse_context { CONTEXT_NONE, CONTEXT_ETH, CONTEXT_ICMP, CONTEXT_ICMP6 };

/* The tunnel that `vni` refers to. */
enum parse_tunnel { TUNNEL_NONE, TUNNEL_VXLAN, TUNNEL_GPE, TUNNEL_GENEVE, TUNNELS };

#define TYPE_MPLS 0x8847

/* A table of the file, and a rule that leads to one. */
struct parse_table {
	struct source_range at; /* first use of its name */
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

/* The matches behind `not`. */
struct parse_group {
	bool active, empty; /* empty: nothing yet */
	bool chain;	    /* a header's word began it: it goes on with that header's fields */
	bool names_tunnel;
	enum parse_scope scope;
	struct source_range at;
	struct rule_headers headers;
	struct rule_field field[RULE_KEYS];
	enum parse_tunnel tunnel; /* of the words before */
	enum parse_context context;
};

/* Headers that packets must have, because a negated match is about them. */
struct parse_needs {
	bool ip, ports, flags;
};

/* A use of a variable in the current rule, and the variable's value. */
struct parse_use {
	size_t first_byte, end_byte;
	const char *text;
	size_t len;
	bool ends_with_name; /* a - behind it would continue the name */
};

struct parse_define;

/* Variables, and the one whose tokens the grammar reads instead of the text's. */
struct parse_vars {
	struct parse_define **define;
	size_t n, room;
	struct map names; /* hash -> a place in `define` */
	struct parse_use *use;
	size_t nuses, use_room;
	const struct parse_define *now, *last; /* last: the last token's origin */
	size_t next;			       /* token of `now` */
	int pending, before;		       /* the next token; the last of the text */
	bool in_line, defining;
};

/* A set of keys. A rule names few of all keys. */
#define KEY_SET_WORDS ((RULE_KEYS + 63) / 64)

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
	mistake_fn report;
	void *report_arg;
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
	uint32_t in_table; /* table of the next rule */
	/* the current rule */
	struct rule rule;
	struct rule_field field[RULE_KEYS]; /* mask 0: not given */
	uint64_t used_keys[KEY_SET_WORDS];  /* keys that `field` may have; the others are 0 */
	enum parse_context context;
	enum parse_tunnel tunnel;
	struct rule_headers inner;
	/* The headers that words refer to: the rule's outer, or inner, or the group's. */
	struct rule_headers *h;
	bool is_inner;
	struct parse_group group;
	struct parse_excepts excepts;
	struct parse_needs needs[2]; /* of the outer headers, and the inner ones */
	bool not_value;		     /* != stands before the value */
	struct source_range not_at;
	struct rule_change change[RULE_CHANGE_KINDS]; /* kind RULE_CHANGE_KINDS: not given */
	struct source_range change_at[RULE_CHANGE_KINDS];
	bool bad, has_queue;
	bool has_inner;		  /* the word `inner` was read */
	struct parse_ports ports; /* the current lists */
	struct parse_nets nets;
	struct parse_values values;
	uint64_t flags, flags_mask;
	struct rule_rss rss;  /* last 0: not given */
	struct parse_goto go; /* name NULL: not given */
};

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns "line 3" for messages about another line. */
const char *parse_line_name(const struct rule_parser *ps, uint32_t line, char *buf, size_t size);

/* Returns the place relative to the rule's first line. */
struct source_location parse_location(const struct rule_parser *ps, const struct source_range *at);

/* Saves a match's values while its implied matches are kept. */
struct parse_aside {
	struct parse_values values;
	bool not_value;
};
struct parse_aside parse_aside(struct rule_parser *ps);
void parse_resume(struct rule_parser *ps, const struct parse_aside *a);

/*
 * Makes room for one more element in an array that doubles. Returns NULL and sets no_memory if it
 * cannot grow.
 */
void *parse_one_more(struct rule_parser *ps, void *list, size_t n, size_t *room, size_t size);

void parse_begin(struct rule_parser *ps, const struct source_range *at, enum rule_verdict verdict,
		 bool count);
void parse_direction(struct rule_parser *ps, const struct source_range *at, enum rule_dir dir);
void parse_end(struct rule_parser *ps, const struct source_range *at);

/* Makes the following words refer to the headers inside a tunnel, or to the outer ones. */
void parse_level(struct rule_parser *ps, bool inner);
bool parse_is_inner(const struct rule_parser *ps);
/* Returns the key at the current level. */
enum rule_key parse_key(const struct rule_parser *ps, enum rule_key key);
/* Returns whether one of these fields is of the current level's IP header. */
bool parse_has_ip_field(const struct rule_parser *ps, const struct rule_field field[RULE_KEYS]);
/* Returns the rule's field for a key so far, at the current level. */
struct rule_field *rule_field_of(struct rule_parser *ps, enum rule_key key);

const char *parse_ip_name(uint8_t version);

/* Begins a negated match. */
void parse_not(struct rule_parser *ps, const struct source_range *at);
/* Records `!=` or `not` before a value; parse_begin_value() opens the group then. */
void parse_not_value(struct rule_parser *ps, const struct source_range *at);
bool parse_begin_value(struct rule_parser *ps);
bool parse_is_negated(const struct rule_parser *ps);
/* Begins a match, in the open group if it belongs there. word: it names the header. */
void parse_target(struct rule_parser *ps, enum parse_scope scope, bool word);
void parse_any(struct rule_parser *ps, const struct source_range *at);
void parse_eth_word(struct rule_parser *ps);
/* Closes the group, if one is open. */
void parse_group_end(struct rule_parser *ps);
void parse_settle_l4(struct rule_parser *ps, const struct source_range *at);

/* --- matches --- */
void parse_field(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		 uint64_t value, uint64_t mask);
/* Adds to the list of values, for parse_field_list(). mask UINT64_MAX: all of the field. */
void parse_value(struct rule_parser *ps, uint64_t value, uint64_t mask);
void parse_field_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
void parse_ethertype(struct rule_parser *ps, const struct source_range *at, uint64_t type);
/*
 * Parses tc's `protocol`: an EtherType by name or number (ip, arp, 0x88cc), else an IP protocol
 * (tcp, 6).
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
/* Sets the number of tags; the words before it may name tags, too. */
void parse_vlan_count(struct rule_parser *ps, const struct source_range *at, uint64_t tags);
void parse_vlan_counts(struct rule_parser *ps, const struct source_range *at, uint64_t least,
		       uint64_t most);
/* Takes the words vlan or qinq with IDs. */
void parse_tag_list(struct rule_parser *ps, const struct source_range *word,
		    const struct source_range *ids, bool customer);
/* Takes vlan_id and vlan_prio, which imply vlan, as in tc. */
void parse_vlan_word(struct rule_parser *ps, const struct source_range *at, bool names_vlan);
/* Functions that end in _list take the list of values. */
void parse_vlan_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
void parse_type(struct rule_parser *ps, const struct source_range *at, const char *name,
		uint64_t value);
void parse_code(struct rule_parser *ps, const struct source_range *at, uint64_t value);
void parse_flag(struct rule_parser *ps, const struct source_range *at, const char *name, bool set);
void parse_flags(struct rule_parser *ps, const struct source_range *at);

/* --- tunnels and labels --- */
void parse_tunnel_word(struct rule_parser *ps, const struct source_range *at,
		       enum parse_tunnel tunnel);
void parse_vni_list(struct rule_parser *ps, const struct source_range *at);
void parse_oam(struct rule_parser *ps, const struct source_range *at, uint64_t value);
void parse_gre_key_list(struct rule_parser *ps, const struct source_range *at);
void parse_mpls_word(struct rule_parser *ps, const struct source_range *at);
void parse_mpls_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key);
/* Adds UDP to the tunnel's port, if the rule does not name it. */
void parse_settle_tunnel(struct rule_parser *ps, const struct source_range *at);
/* Returns the IP version of an EtherType, or 0. */
uint8_t parse_type_version(uint64_t type);
/* Returns whether the rule's EtherType excludes this IP version; 0: both versions. */
bool parse_not_ip(struct rule_parser *ps, uint8_t version);
/* Checks that a packet without a tunnel does not match the inner headers. */
void parse_settle_inner(struct rule_parser *ps, const struct source_range *at);
/* Reports a mistake and returns false at the inner level, where no device compares this. */
bool parse_only_outer(struct rule_parser *ps, const struct source_range *at, const char *name);

enum parse_side { SIDE_SRC, SIDE_DST, SIDE_EITHER };
/* Takes the list that parse_net() gathered. */
void parse_net_list(struct rule_parser *ps, const struct source_range *at, enum parse_side side);
void parse_net(struct rule_parser *ps, const struct source_range *at, const struct address *a);
/* Adds the range from a to `end`. */
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
/* Parses hexadecimal digits behind 0x, or in pairs with colons between them. */
void parse_rss_key(struct rule_parser *ps, const struct source_range *at, const char *digits);
void parse_goto(struct rule_parser *ps, const struct source_range *at, const char *table);
/* Checks, at the rule's end, that packets have a destination and the rest of the rule suits it. */
void parse_settle_to(struct rule_parser *ps, const struct source_range *at);
bool parse_keep_to(struct rule_parser *ps);

/* --- parse_table.c --- */

/* Makes the following rules belong to this table. */
void parse_table(struct rule_parser *ps, const struct source_range *at, const char *name);
/* Called before the first rule. Returns false if there is no memory. */
bool parse_tables_begin(struct rule_parser *ps);
bool parse_tables_keep(struct rule_parser *ps);
/* At the file's end, finds the tables that rules name, and reports those that no packet reaches. */
void parse_tables_end(struct rule_parser *ps);
void parse_tables_free(struct rule_parser *ps);

/* --- parse_variable.c --- */

/* Writes ", which is 80,443 (line 3)" if the last token came from a variable, else "". */
const char *parse_variable_origin(const struct rule_parser *ps, char *buf, size_t size);
void parse_vars_begin(struct rule_parser *ps);
void parse_vars_free(struct rule_parser *ps);
/* Keeps the variables with the rules. Returns false if there is no memory. */
bool parse_vars_keep(struct rule_parser *ps);
/* Marks the variables so far as those of the rules in effect. */
void parse_vars_known(struct rule_parser *ps);
#define DEFINE_KNOWN 0 /* the line of such a definition */
/* Reports an `include`, where no file can be read. */
void parse_include(struct rule_parser *ps, const struct source_range *at);

/* --- modifiers --- */
void parse_tag(struct rule_parser *ps, const struct source_range *at, uint64_t tag);
void parse_count(struct rule_parser *ps, const struct source_range *at);

void parse_rule_name(struct rule_parser *ps, const struct source_range *at, const char *name);
void parse_end_names(struct rule_parser *ps);

/* --- changes; `side` is an enum parse_side --- */
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
/* Reports a mistake: a tunnel's headers cannot be added. */
void parse_encap(struct rule_parser *ps, const struct source_range *at);
/* Checks that the rule has the matches that its changes need. */
void parse_settle_changes(struct rule_parser *ps);
bool parse_keep_changes(struct rule_parser *ps);

#endif
