/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules as written, in host byte order, independent of how a device matches. compile.h turns them
 * into tables, masks and entries; the tests' slow matcher reads the same structs. A rule matches a
 * packet if all its matches hold. Only the first matching rule of the file acts. A packet that no
 * rule matches goes the default way.
 */
#ifndef DVX_FLOW_RULE_H
#define DVX_FLOW_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dvx/flow.h> /* vports: DVX_FLOW_PF and dvx_flow_vport_number() and _name() */

enum rule_dir {
	RULE_IN,  /* packets that the port delivers to this function */
	RULE_OUT, /* packets that this function's queues send */
	/* packets that the e-switch gets from functions and from the wire; this one manages it */
	RULE_SWITCH,
	RULE_DIRS
};

/* dir.c: what rules of a direction can say. */
struct rule_dir_row {
	const char *name;
	const char *packets; /* "incoming" */
	const char *end;     /* the default way */
	const char *to;	     /* an example of what `send` needs; NULL: it has `goto` only */
	bool to_queue, to_vport;
	bool from_vport, sqn; /* fields that its packets have */
	bool decap, encap;
};
extern const struct rule_dir_row rule_dirs[RULE_DIRS];

enum rule_verdict {
	RULE_DROP,
	RULE_PASS, /* the default way: what would happen without dvx-flow */
	RULE_SEND, /* RULE_IN: to a queue of the daemon, or to several by hash; RULE_SWITCH: to a vport */
	RULE_GOTO,   /* the rules of another table judge the packet; it does not come back */
	RULE_MIRROR, /* a copy to a queue or vport, and later rules judge the packet */
	RULE_TRACK,  /* the packet's connection is tracked, and later rules judge the packet */
};

/*
 * Fields that rules compare. KEY_INNER() are fields that a packet has twice, inside a tunnel.
 */
enum rule_key {
#define LEVEL_KEY(key, ...) KEY_##key,
#include "keys.def"
	KEY_PER_LEVEL,
	KEY_LEVELS_END = 2 * KEY_PER_LEVEL - 1,
#define KEY(key, ...) KEY_##key,
#include "keys.def"
	RULE_KEYS
};
#define KEY_INNER(key) ((enum rule_key)((key) + KEY_PER_LEVEL))

/*
 * A word's place: its line counted from the rule's first line (0), and its column from 1; column 0
 * is no place.
 */
struct source_location {
	uint16_t line, column;
};

/* Bits outside the mask are 0 in the value. */
struct rule_value {
	uint64_t value, mask;
};

/* A field that has this value under this mask, or one of the others. */
struct rule_field {
	enum rule_key key;
	struct source_location at;
	uint64_t value, mask;
	const struct rule_value *more;
	size_t nmore;
};

/* Addresses, in network order; IPv4 is in the first four bytes. */
struct rule_net {
	uint8_t family;	  /* 4 or 6; the same for all addresses of a level, and for its `ip` */
	uint8_t bits;	  /* leading bits that are compared, 0 to 32 or 128; or: */
#define NET_RANGE 254	  /* the addresses from addr to end */
#define NET_MASK  255	  /* the bits that are set in `end` are compared; they are not a prefix */
	uint8_t addr[16]; /* bits that are not compared are 0 */
	uint8_t end[16];
};

/* A list of which one address must match. n 0: the rule names none. */
struct rule_nets {
	const struct rule_net *net;
	uint32_t n;
	struct source_location at;
};

struct rule_range {
	uint16_t first, last; /* inclusive */
	uint16_t wild;	      /* bits that are not compared; first and last are the same then */
};

/*
 * A list of which one range must match. n 0: the rule names none. Sorted and not adjacent; ranges
 * with wild bits are last.
 */
struct rule_ports {
	const struct rule_range *range;
	uint32_t n;
	struct source_location at;
};

enum rule_l4 {
	L4_ANY = 0,
	L4_TCP = 6,
	L4_UDP = 17,
	L4_TCP_OR_UDP = 255, /* ports without a protocol */
};

/* Matches of one level's headers, in addition to its fields. */
struct rule_headers {
	uint8_t ip; /* 0: any packet; 4 or 6: that version only; RULE_IP: IPv4 or IPv6 */
	enum rule_l4 l4;
	struct rule_nets src, dst;
	struct rule_nets host; /* src or dst */
	struct rule_ports sport, dport;
	struct rule_ports port; /* sport or dport */
	struct source_location ip_at, l4_at;
};

#define RULE_EXCEPTS_MAX 256u /* of one rule; the expansion nests as deep */

/*
 * Matches that must not hold together: `not tcp dst port 22`. The rule's other matches imply which
 * headers its packets have.
 */
struct rule_except {
	bool inner;		     /* about the headers inside a tunnel */
	bool of_value;		     /* a field's value alone: the packet has the field's header */
	struct rule_headers headers; /* ip 0 or the version; RULE_IP does not occur */
	const struct rule_field *field; /* sorted by key */
	size_t nfields;
	struct source_location at;
};

/* Changes to a rule's packets; the daemon makes libdvx's actions in this order. */
enum rule_change_kind {
	CHANGE_ETH_SRC,
	CHANGE_ETH_DST,
	CHANGE_IP_SRC,
	CHANGE_IP_DST,
	CHANGE_SPORT,
	CHANGE_DPORT,
	CHANGE_TTL,
	CHANGE_DEC_TTL,
	CHANGE_DSCP,
	CHANGE_VLAN,
	CHANGE_PUSH,
	CHANGE_POP,
	CHANGE_DECAP,
	CHANGE_ENCAP,
	RULE_CHANGE_KINDS
};

/* The tunnel that a rule begins. */
struct rule_encap {
	uint8_t tunnel; /* an enum node_tunnel */
	uint8_t family; /* 4 or 6 */
	uint8_t ttl;
	bool l3;      /* the packet's Ethernet header goes */
	bool has_id;  /* it has a number */
	bool has_gbp; /* VXLAN with a group policy */
	uint16_t gbp;
	bool has_option; /* Geneve with an option */
	uint8_t option_type;
	uint16_t option_class;
	uint32_t option_data;
	uint16_t port; /* 0: it is not over UDP */
	uint32_t id;
	uint8_t src[16], dst[16]; /* network order */
	uint8_t eth_src[6], eth_dst[6];
	uint8_t bytes; /* of the header that they make */
	uint8_t header[78];
};

struct rule_change {
	enum rule_change_kind kind;
	struct source_location at;
	uint8_t of; /* IP version of an address, protocol of a port; 0: any */
	/* network order: MAC, IPv4, IPv6; of decap the new Ethernet header */
	uint8_t addr[16];
	uint32_t
		value; /* port, TTL, VLAN; of a push the tag's 16 bits; of decap the bytes of `addr` */
};

/* Packets that are spread over queues: by their addresses, and by their ports as well. */
enum rule_hash {
	HASH_IPV4 = 1 << 0,
	HASH_IPV6 = 1 << 1,
	HASH_TCP = 1 << 2,
	HASH_UDP = 1 << 3,
};
#define HASH_ALL       (HASH_IPV4 | HASH_IPV6 | HASH_TCP | HASH_UDP)
#define HASH_KEY_BYTES 40

/*
 * A destination of several queues, shared by rules that spread alike. Packets of other kinds go to
 * the first queue.
 */
struct rule_rss {
	const struct rule_rss *before; /* another one of the file */
	uint32_t number;	       /* in the file */
	uint32_t first, last;	       /* queues; first < last */
	uint8_t on;		       /* enum rule_hash */
	bool has_key;
	uint8_t key[HASH_KEY_BYTES];
};

/* A rate, and how far its packets may be ahead of it: packets, or bits and bytes. */
struct rule_rate {
	bool packets;
	uint64_t rate, burst; /* rate: in a second */
};

/* Tracked connections: how many at most, and seconds without a packet after which one goes. */
struct rule_track {
	uint32_t most, idle;
};

/*
 * The register that has the state of a packet's connection, for rules behind RULE_TRACK, and in its
 * low bits, if the packet belongs to one, the vport that this side's packets come from.
 */
#define CT_KEY	       KEY_REG_C4
#define CT_MASK	       0xf0000000u
#define CT_ESTABLISHED 0x10000000u
#define CT_NEW	       0x20000000u
#define CT_INVALID     0x30000000u
#define CT_SOURCE_MASK 0x0000ffffu

struct arena;

struct rule {
	enum rule_dir dir;
	enum rule_verdict verdict;
	bool has_tag, count;
	bool ct;     /* compares the state of the packet's connection */
	bool native; /* no VLAN tag, or ID 0: packets that Linux gives to the port's interface */
	uint32_t queue, tag;	    /* tag: 24 bits */
	uint32_t vport;		    /* of RULE_SWITCH, in the place of a queue */
	const struct rule_rss *rss; /* RULE_SEND without a queue */
	uint32_t table;		    /* the rule's table */
	uint32_t sample;	    /* RULE_MIRROR copies one packet in so many; 0: each */
	uint32_t go;		    /* the table of RULE_GOTO */
	/* of KEY_GENEVE_OPTION: class << 16 | type << 8 | 1; 0: the rule compares no option */
	uint32_t option;

	struct rule_headers outer;
	const struct rule_headers *inner; /* inside a tunnel; NULL: the rule does not refer to it */
	const struct rule_field *field;	  /* sorted by key, each at most once */
	const struct rule_except *except; /* none of them may hold */
	const struct rule_change *change; /* each kind at most once */
	uint32_t nfields, nexcepts, nchanges;
	uint32_t expire; /* seconds without a packet, after which the rule goes; 0: it stays */
	const struct rule_encap *encap; /* of CHANGE_ENCAP */
	/* The rule acts on packets over this rate; later rules judge the others. NULL: on all. */
	const struct rule_rate *over;
	const struct rule_track *track; /* of RULE_TRACK */

	struct arena *own;	       /* for pointers, if not in the set's memory */
	const char *name;	       /* unique in the set; NULL: none */
	const char *text;	       /* as written, without comments, one blank between words */
	uint32_t line;		       /* first line, from 1 */
	uint32_t first_byte, end_byte; /* its place in the text */
	struct source_location at, dir_at, queue_at, tag_at, count_at, name_at, over_at, expire_at,
		sample_at;
};

/* Returns whether later rules judge packets of this rule, too. */
static inline bool rule_goes_on(const struct rule *r)
{
	return r->verdict == RULE_MIRROR || r->verdict == RULE_TRACK || r->over;
}

/* Returns whether the rule's actions are its own, so no other rule acts alike. */
static inline bool rule_acts_alone(const struct rule *r)
{
	return r->count || r->nchanges || r->over || r->expire;
}

/* Tables of connections: these, their results, and the beginning of the rules behind. */
#define TRACK_LEVELS 3u

/*
 * Returns how many levels behind its own a rule leads: a rate needs a table between them, and
 * tracking TRACK_LEVELS.
 */
static inline uint32_t rule_levels(const struct rule *r)
{
	return r->verdict == RULE_TRACK ? 1 + TRACK_LEVELS : r->over ? 2 : 1;
}

/* Names of rules: a letter, then letters, digits, '_', '-' and '.'. */
#define RULE_NAME_MAX 63u

static inline bool rule_has_queue(const struct rule *r)
{
	return rule_dirs[r->dir].to_queue && (r->verdict == RULE_SEND || r->verdict == RULE_MIRROR);
}

static inline bool rule_has_vport(const struct rule *r)
{
	return rule_dirs[r->dir].to_vport && (r->verdict == RULE_SEND || r->verdict == RULE_MIRROR);
}

/* Returns the highest queue that a rule names; 0 if it names none. */
static inline uint32_t rule_last_queue(const struct rule *r)
{
	return r->rss ? r->rss->last : r->queue;
}

/* The most queues of a daemon. A rule's queue is 0 to 63. */
#define QUEUES_MAX 64u

/* The value of `ip` for a rule that names an IP field (a protocol, a TTL) but no version. */
#define RULE_IP 46

/*
 * A list of rules. Packets begin in the first table, and go the default way at the end of each.
 * Rules lead from one table to another without a circle.
 */
struct rule_table {
	const char *name;
};
#define TABLE_MAIN  "main"
#define TABLES_MAX  4096u
#define TABLES_DEEP 60u /* one after the other: the hardware has 64 levels */
#define RSS_MAX	    64u /* different ones of a file */

/* A variable and its value. */
struct rule_define {
	const char *name, *text;
};

struct ruleset {
	struct rule *rule; /* in the file's order */
	size_t n;
	struct rule_table *table;
	size_t ntables;	     /* 0: there is only the first table */
	uint32_t last_table; /* of the file's last line `table NAME', with rules or without */
	const struct rule_rss *rss; /* the last one; NULL: none */
	struct rule_define *define;
	size_t ndefines;
	struct arena *memory; /* for everything that the rules point to */
};

void ruleset_free(struct ruleset *set);
/* Returns the rule that tracks connections; NULL: none does. */
const struct rule *ruleset_track(const struct ruleset *set);

static inline const char *rule_table_name(const struct ruleset *set, const struct rule *r)
{
	return r->table ? set->table[r->table].name : TABLE_MAIN;
}

/* --- grammar.y -------------------------------------------------------------------------------- */

/* A mistake and its place. Columns count characters (UTF-8) from 1; width is at least 1. */
struct mistake {
	uint32_t line, column, width;
	char text[256];	    /* "a port is 0 to 65535, not 70000" */
	const char *source; /* the line, without its end */
	size_t source_len;
};

/* Called for each mistake in the order of the file. `arg` is the caller's. */
typedef void (*mistake_fn)(void *arg, const struct mistake *m);

/* At most this many mistakes are reported. */
#define MISTAKES_MAX 20

/* Longer files are refused with -EFBIG: 10 million rules fit. */
#define RULES_BYTES_MAX (1ul << 30)

/*
 * Parses the rules of text[0..len). Returns 0 (the caller frees *set), or the number of mistakes
 * that were passed to `report`, or -ENOMEM; then *set is empty.
 */
int rules_parse(const char *text, size_t len, struct ruleset *set, mistake_fn report, void *arg);
/*
 * Parses likewise, within limits, which change nothing but the time; tests lower them.
 *	part	bytes of the parts of a text that are parsed at once; at least 4
 *	threads	that parse
 */
struct parse_limits {
	size_t part;
	unsigned int threads;
};
int rules_parse_within(const char *text, size_t len, const struct parse_limits *limits,
		       struct ruleset *set, mistake_fn report, void *arg);
/*
 * Parses rules that are to be part of another text, whose tables they may name. They cannot be
 * compiled. `of` has that text's variables, which they may name as well; NULL: they are unknown.
 */
int rules_parse_part(const char *text, size_t len, const struct ruleset *of, struct ruleset *set,
		     mistake_fn report, void *arg);

/* Returns the length of the byte order mark that some editors put at a text's beginning. */
size_t rules_mark(const char *text, size_t len);
bool rules_utf16(const char *text, size_t len);

#endif
