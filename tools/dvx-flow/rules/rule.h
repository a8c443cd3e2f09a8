/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules as they were written, in host byte order. Nothing here knows how a device matches:
 * compile.h makes tables, masks and entries of them, and the tests' slow matcher reads the same
 * structs.
 *
 * A packet meets a rule if everything below that the rule says holds. The first rule of the file
 * that a packet meets is the only one that acts; a packet that meets none goes the default way.
 */
#ifndef DVX_FLOW_RULE_H
#define DVX_FLOW_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rule_dir {
	RULE_IN,  /* packets that the port hands to this function */
	RULE_OUT, /* packets that this function's queues send */
	RULE_DIRS
};

enum rule_verdict {
	RULE_DROP,
	RULE_PASS, /* the default way: what would happen without dvx-flow */
	RULE_SEND, /* to a queue of the daemon; only RULE_IN */
};

/*
 * What rules compare, from the list of match fields. KEY_INNER() are those that a packet has twice,
 * inside a tunnel.
 */
enum rule_key {
#define SAID_TWICE(before, after, bits, seen, low, key, noun) KEY_##key,
#include "src/prm/match_fields.def"
	KEY_PER_LEVEL,
	KEY_LEVELS_END = 2 * KEY_PER_LEVEL - 1,
#define SAID(before, after, bits, seen, low, key, noun) KEY_##key,
#include "src/prm/match_fields.def"
	RULE_KEYS
};
#define KEY_INNER(key) ((enum rule_key)((key) + KEY_PER_LEVEL))

/* Where a word stands: lines count from its rule's first one, 0; columns from 1, 0 is nowhere. */
struct source_location {
	uint16_t line, column;
};

struct rule_field {
	enum rule_key key;
	struct source_location at;
	uint64_t value, mask;
};

/* An address and how many of its leading bits count. */
struct rule_prefix {
	uint8_t family;	  /* 4 or 6; of a rule's addresses all say the same, and `ip` too */
	uint8_t bits;	  /* 0 to 32 or 128 */
	uint8_t addr[16]; /* network order, IPv4 in the first four; bits behind the prefix are 0 */
};

/* One of them has to hold. n 0: nothing was said. */
struct rule_nets {
	const struct rule_prefix *prefix;
	size_t n;
	struct source_location at;
};

struct rule_range {
	uint16_t first, last; /* both count */
};

/* One of the ranges has to hold. n 0: nothing was said. Sorted, apart from each other. */
struct rule_ports {
	const struct rule_range *range;
	size_t n;
	struct source_location at;
};

enum rule_l4 {
	L4_ANY = 0,
	L4_TCP = 6,
	L4_UDP = 17,
	L4_TCP_OR_UDP = 255, /* ports without a protocol */
};

/* What a rule says of one level's headers beside its fields. */
struct rule_headers {
	uint8_t ip; /* 0: any packet; 4 or 6: that version only; RULE_IP: IPv4 or IPv6 */
	enum rule_l4 l4;
	struct rule_nets src, dst;
	struct rule_nets host; /* src or dst */
	struct rule_ports sport, dport;
	struct rule_ports port; /* sport or dport */
	struct source_location ip_at, l4_at;
};

struct rule {
	enum rule_dir dir;
	enum rule_verdict verdict;
	bool has_tag, count;
	uint32_t queue, tag; /* tag: 24 bits */

	struct rule_headers outer;
	const struct rule_headers *inner; /* inside a tunnel; NULL: nothing was said of it */
	const struct rule_field *field; /* sorted by key, each at most once */
	size_t nfields;

	const char *text; /* as written, without comment, blanks squeezed */
	uint32_t line;	  /* first line, from 1 */
	struct source_location at, dir_at, queue_at, tag_at, count_at;
};

/* Queues that a daemon can have, so a rule's are 0 to 63. */
#define QUEUES_MAX 64u

/* What a rule's `ip` is if it names something of IP (a protocol, a TTL) but no version. */
#define RULE_IP 46

struct arena;

struct ruleset {
	struct rule *rule; /* in the file's order */
	size_t n;
	struct arena *memory; /* of everything that the rules point to */
};

void ruleset_free(struct ruleset *set);

/* --- grammar.y -------------------------------------------------------------------------------- */

/* One wrong place. Columns count characters (UTF-8) from 1; `width` of them are wrong, at least 1.
 */
struct mistake {
	uint32_t line, column, width;
	char text[256];	    /* "a port is 0 to 65535, not 70000" */
	const char *source; /* the line, without its end */
	size_t source_len;
};

/* Called for each mistake in the order of the file; `arg` is the caller's. */
typedef void (*mistake_fn)(void *arg, const struct mistake *m);

/* At most this many are told; the rest is left out. */
#define MISTAKES_MAX 20

/* Longer files are refused with -EFBIG: 10 million rules fit. */
#define RULES_BYTES_MAX (1ul << 30)

/*
 * Reads the rules of text[0..len). 0: *set is the caller's to free. Else the number of mistakes,
 * all told through `tell`, and *set is empty; -ENOMEM.
 */
int rules_parse(const char *text, size_t len, struct ruleset *set, mistake_fn tell, void *arg);

/* Bytes of a byte order mark that the text begins with: editors of another system write one. */
size_t rules_mark(const char *text, size_t len);

#endif
