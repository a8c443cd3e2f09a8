/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A domain's tables as a packet meets them: matchers, rules with their actions, and entries, which
 * compare fields, change the packet and lead on. dump.c fills them from the text of
 * mlx5dv_dump_dr_domain() (rdma-core 28 to 65, and the kernel's debugfs in the same words), and of
 * libdvx's dump of hardware steering (doc/design/0096). Libmlx5's
 * text has the rules' entries only: no anchors, no empty slots; root tables' rules live in the
 * kernel and are not there either.
 */
#ifndef DVX_FLOW_TABLES_H
#define DVX_FLOW_TABLES_H

#include "change.h"

#define TABLES_NONE	  UINT32_MAX
#define STE_BYTES	  64
#define BUILDERS_MAX	  20
#define TEMPLATE_BYTES	  128
#define STEERING_HARDWARE 2 /* the format of entries of hardware steering */

/* Templates of an entry: a rule names them in this order. */
enum template_place {
	TEMPLATE_CTRL,
	TEMPLATE_HIT,
	TEMPLATE_DW5,
	TEMPLATE_DW6,
	TEMPLATE_DW7,
	TEMPLATES_MAX
};

/* The side of a table: a packet that arrives, or one that leaves. */
enum side { SIDE_RX, SIDE_TX, SIDES };

enum steering_domain_type { DOMAIN_NIC_RX, DOMAIN_NIC_TX, DOMAIN_FDB };

struct steering_domain {
	uint64_t id;
	uint32_t type; /* enum steering_domain_type */
	int format;    /* steering format; -1: the dump does not name it */
	char version[16];
	char device[32];
};

/* A vport. Rules name it, entries the function (VHCA) behind it. */
struct steering_vport {
	uint32_t domain, number, vhca;
};

struct steering_table {
	uint64_t id;
	const char *name; /* given by users; NULL: none */
	uint32_t domain, level;
	uint32_t first, n; /* matchers, by priority */
	bool has[SIDES];
	uint32_t anchor[SIDES]; /* index of the entry through which packets come in */
};

/* A matcher's mask as its rules were to match, and as the library keeps it. */
struct match_mask {
	bool known;
	bool more; /* it has bits that no field here stands for */
	u128 mask[F_COUNT];
	unsigned int l3; /* 1 IPv4, 2 IPv6: the kind of addresses */
};

struct steering_matcher {
	uint64_t id;
	uint32_t table, priority;
	uint32_t first, n; /* rules */
	struct match_mask mask;
	bool has[SIDES];
	uint32_t start[SIDES],
		end[SIDES]; /* index of its hash table, and of the place where its misses go */
	uint8_t builders[SIDES];
	uint16_t lookup[SIDES][BUILDERS_MAX];
	int16_t definer[SIDES][BUILDERS_MAX]; /* format of a definer, -1: none */
	/* Made at their first use. */
	struct builder_view *view[SIDES]; /* for each builder */
	uint32_t slots[SIDES]; /* entries of its first table: the fewest that fit the rules */
	uint8_t log_depth;     /* of hardware steering: entries of a slot, which is a row */
};

enum action_kind {
	ACTION_OTHER,
	ACTION_ENDS, /* the packet meets no further table */
	ACTION_TIR,  /* as ACTION_ENDS: a queue, or a group of queues */
	/* Ends as ACTION_ENDS does: a queue that mirrors or samples, and where the packet goes on. */
	ACTION_ARRAY,
	ACTION_TABLE,
	ACTION_REWRITES,
	ACTION_DECAP_L3, /* its list writes the new Ethernet header */
};

/* Types of records. */
#define ACTION_ENCAP_L2 3400
#define ACTION_ENCAP_L3 3401
#define ACTION_DROP	3403
#define ACTION_VPORT	3408 /* its argument is the number */
#define ACTION_DEFAULT	3423

struct steering_action {
	enum action_kind kind;
	const char *words; /* NULL: of an unknown type */
	uint32_t type;	   /* the record's number */
	uint64_t id;
	bool has_arg; /* that follows the words */
	uint64_t arg;
	uint64_t table;	   /* ID of ACTION_TABLE's; 0: unknown */
	uint32_t first, n; /* its rewrites; n 0: unknown */
	const char *encap; /* the header that it adds, in hexadecimal; NULL: none, or unknown */
	uint32_t onward;   /* of an array: the table where the packet goes on, plus 1; 0: unknown */
	uint32_t sample;   /* of an array: it copies one packet in so many; 0: each */
};

/* One rewrite of a list. */
struct steering_rewrite {
	bool prm; /* as a program gave it to its library; else as an entry has it */
	uint8_t bytes[8];
};

struct steering_rule {
	uint64_t id;
	const char *text;   /* NULL: unknown, or a rule of dvx-flow's own */
	const char *object; /* its object's state, in words; NULL: unknown, or it has none */
	uint8_t result;	    /* of a packet that meets the object now */
	bool leads;	    /* by its text, to another table of the rules */
	uint32_t matcher;
	uint32_t first, n; /* entries, RX then TX, each in the packet's order */
	uint32_t first_action, nactions;
	uint32_t line;
};

/* An entry's record. steering_read() makes an entry of it. */
struct steering_record {
	uint32_t index; /* of its address, in units of 64 bytes, cut to 32 bits as the dump does */
	uint32_t rule, domain;
	uint8_t side;
	uint8_t len;	/* 48: without the mask; 64 */
	uint8_t format; /* 0: ConnectX-5; 1: later; STEERING_HARDWARE */
	uint8_t bytes[STE_BYTES];
	uint16_t template[TEMPLATES_MAX]; /* of hardware steering: offsets */
};

/* An action template (PRM stc) of hardware steering. */
struct steering_template {
	uint32_t domain, offset;
	uint8_t stc[TEMPLATE_BYTES];
};

/* Bits that an entry compares: of a field, from `shift` on. F_NONE: of an unknown field. */
struct entry_key {
	uint8_t field, shift;
	uint32_t value, mask;
};

#define KEYS_MAX    96
#define CHANGES_MAX 3

struct steering_entry {
	/* Where it leads: all that steering_read_links() fills. */
	uint64_t miss;	       /* address, 40 bits */
	uint64_t next;	       /* of the next table */
	uint32_t next_entries; /* its size; 1: the address itself */
	uint16_t byte_mask;    /* of the next table's hash */
	uint16_t lookup;
	bool any; /* nothing is compared */
	/* The comparison. */
	const char *lookup_name; /* "ETHL2_SRC_O" or "by definer"; never NULL */
	bool acts;		 /* it stands behind all entries that compare */
	bool known;		 /* the fields that it compares */
	unsigned int l3;	 /* 2: its addresses are IPv6 */
	unsigned int nkeys;
	/* The actions. */
	struct packet_change change[CHANGES_MAX];
	unsigned int nchanges;
	uint32_t counter; /* 0: none */
	bool tags;
	uint32_t flow_tag;
	/* The comparison, in its order. Last, because many entries are read without it. */
	struct entry_key key[KEYS_MAX];
};

struct steering {
	struct steering_domain *domain;
	struct steering_vport *vport;
	struct steering_table *table;
	struct steering_matcher *matcher;
	struct steering_rule *rule;
	struct steering_action *action;
	struct steering_rewrite *rewrite;
	struct steering_record *entry;
	struct steering_template *template;
	uint32_t ndomains, nvports, ntables, nmatchers, nrules, nactions, nrewrites, nentries,
		ntemplates;
	uint32_t *
		by_index; /* entries, sorted by domain and index, the first of each address first */
	uint32_t unknown, unknown_line; /* records of unknown types, and the first one */
	bool named;			/* rules have their texts */
	/* The Geneve option of entries, as in struct rule, and its parser's number; 0: none */
	uint32_t option, option_parser;
	struct code_table *code; /* of each table, made at its first use (codes.c) */
};

struct dump_error {
	uint32_t line;
	char text[160];
};

/*
 * Parses a dump. Returns 0, -ENOMEM, or -EINVAL with a sentence and the line that it is about. A
 * failed dump is empty.
 */
int steering_parse(struct steering *d, const char *text, size_t len, struct dump_error *err);
void steering_free(struct steering *d);

/* Sorts the entries of a whole dump, for steering_entry_at(). Returns 0 or -ENOMEM. */
int steering_index(struct steering *d);
/* Adds a row at the end of an array that doubles, zeroed. NULL: no memory. */
void *steering_grow(void **rows, uint32_t *n, size_t size);
#define STEERING_GROW(rows, n) steering_grow((void **)&(rows), &(n), sizeof(*(rows)))

/*
 * Adds a list of n rewrites (PRM set_add_copy_action_in_auto) that the library's records lack
 * (before rdma-core 46), behind all others. False: no memory.
 */
bool steering_add_rewrites(struct steering *d, const uint8_t *bytes, uint32_t n);

/* Returns whether a rule has an action of these kinds. */
bool steering_rule_has(const struct steering *d, const struct steering_rule *r,
		       enum action_kind first, enum action_kind last);
/* Returns the tunnel's header that a rule adds, in hexadecimal; NULL: none, or unknown. */
const char *steering_encap(const struct steering *d, const struct steering_rule *r);
#define ENCAP_MAX 126u /* bytes */
/* Returns whether a rule has an action of this type. */
bool steering_rule_is(const struct steering *d, const struct steering_rule *r, uint32_t type);
/* Returns the action of a rule that copies and leads on; NULL: it has none, or where is unknown. */
const struct steering_action *steering_copies(const struct steering *d,
					      const struct steering_rule *r);
/* Returns the action of a rule that rewrites headers; NULL: it has none, or several. */
const struct steering_action *steering_rewrites(const struct steering *d,
						const struct steering_rule *r);

/* Returns the entry at that index, NULL: no rule's entry is there. */
const struct steering_record *steering_entry_at(const struct steering *d, uint32_t domain,
						uint32_t index);
/*
 * Returns the table to which an entry leads; NULL: none. A dump cuts addresses to 32 bits of index,
 * so a queue's may equal a table's: rules that lead to a queue lead to no table.
 */
const struct steering_table *steering_leads(const struct steering *d,
					    const struct steering_record *r,
					    const struct steering_entry *e);
/* Returns the table with that ID. */
struct steering_table *steering_table_of(const struct steering *d, uint64_t id);
/* A table's rules, of all its matchers. */
struct steering_range {
	uint32_t first, end;
};
struct steering_range steering_rules(const struct steering *d, uint32_t table);
/* Returns a rule's first entry of a side; NULL: it has none. */
const struct steering_record *steering_first_entry(const struct steering *d,
						   const struct steering_rule *r, enum side side);
/* Returns an entry's position in its rule's chain, from 0. */
uint32_t steering_place(const struct steering *d, const struct steering_record *e);
/* Returns whether it is the last entry of its rule's side: a hit acts. */
bool steering_is_last(const struct steering *d, const struct steering_record *e);

/* Returns the index of an address as a dump has it. */
static inline uint32_t steering_index_of(uint64_t addr)
{
	return (uint32_t)(addr >> 6);
}

/* --- ste.c: entries, by their format --- */

void steering_read(struct steering *d, const struct steering_record *r, struct steering_entry *e);
/* Reads only the addresses of a hit and a miss, and whether it compares. */
void steering_read_links(const struct steering_record *r, struct steering_entry *e);

/* Sets the field's bits that the entry compares. Returns false if it compares none. */
bool entry_field(const struct steering_entry *e, enum field f, u128 *value, u128 *mask);

/* Returns how many entries a matcher's first table has; 0: no size fits, or there is no memory. */
uint32_t matcher_slots(struct steering *d, uint32_t matcher, enum side side);
/*
 * Returns the packet's slot in a matcher's table: the first one of all if `from` is NULL, or the
 * one that the entry leads to, of the matcher's builder.
 */
uint32_t matcher_slot(struct steering *d, uint32_t matcher, enum side side, unsigned int builder,
		      const struct steering_entry *from, const struct fields *p);

/* --- for dump*.c --- */

/*
 * Sets the key of hardware steering by which a matcher's rules are found: `bytes` at the end of a tag
 * of TAG_LONG, its mask, and the bits that all tags have. False: no memory.
 */
#define TAG_LONG 44
bool hardware_key(struct steering_matcher *m, enum side side, uint32_t bytes, const uint8_t *mask,
		  const uint8_t *fixed);
/* Adds a piece of the key: bits of a match (PRM fte_match_param), which are at bit `to` of the tag. */
bool hardware_move(struct steering_matcher *m, enum side side, uint32_t from, uint32_t to,
		   uint32_t width);

/* Converts len hexadecimal digits to bytes. Returns false if others are among them. */
bool dump_hex_bytes(const char *hex, size_t len, uint8_t *out);

/* The order of a mask's bit fields in its words. */
enum mask_layout {
	MASK_NOW,      /* record 3205: rdma-core 40 and later, the kernel */
	MASK_MIRRORED, /* 3201 of the vendor's packages: the same places, from the other end */
	MASK_28,       /* 3201 of rdma-core 28 to 35: from the other end, and nothing reserved */
	MASK_36,       /* 3201 of rdma-core 36 to 39: as MASK_28, with a few fields more */
};

/*
 * Reads one part of a matcher's mask, in hexadecimal as the library's memory has it: 0 outer, 1
 * inner, 2 misc, 3 misc2, 4 misc3; others are ignored. Returns false if it is no hexadecimal, or
 * too long.
 */
bool dump_mask_part(struct match_mask *m, unsigned int part, const char *hex, size_t len,
		    enum mask_layout layout);

#endif
