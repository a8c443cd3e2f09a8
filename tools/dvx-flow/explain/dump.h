/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of mlx5dv_dump_dr_domain()'s output (rdma-core 28 to 65, and the kernel's debugfs in
 * the same words), as records that refer to each other. Of the device's memory it has the rules'
 * entries only: no anchors, no empty slots; root tables' rules live in the kernel and are not there
 * either.
 */
#ifndef DVX_FLOW_DUMP_H
#define DVX_FLOW_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fields.h"

#define DUMP_NONE    UINT32_MAX
#define STE_BYTES    64
#define BUILDERS_MAX 20

/* The side of a table: a packet that arrives, or one that leaves. */
enum side { SIDE_RX, SIDE_TX, SIDES };

enum dump_domain_type { DOMAIN_NIC_RX, DOMAIN_NIC_TX, DOMAIN_FDB };

struct dump_domain {
	uint64_t id;
	uint32_t type; /* enum dump_domain_type */
	int format;    /* steering format; -1: the dump does not name it */
	char version[16];
	char device[32];
	uint64_t drop[SIDES]; /* addresses where packets end */
};

/* A vport. Rules name it, entries the function (VHCA) behind it. */
struct dump_vport {
	uint32_t domain, number, vhca;
};

struct dump_table {
	uint64_t id;
	const char *name; /* given by users; NULL: none */
	uint32_t domain, type, level;
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

struct dump_matcher {
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
};

struct dump_action {
	uint32_t type; /* the record's number, 3400 to 3425 */
	uint64_t id;
	uint64_t arg[6];
	uint8_t nargs;
	uint32_t first, n; /* its rewrites; n 0: unknown */
	uint32_t onward;   /* of an array: the table where the packet goes on, plus 1; 0: unknown */
};

/* One rewrite of a list. */
struct dump_rewrite {
	bool prm; /* as a program gave it to its library; else as an entry has it */
	uint8_t bytes[8];
};

struct dump_rule {
	uint64_t id;
	uint32_t matcher;
	uint32_t first, n; /* entries, RX then TX, each in the packet's order */
	uint32_t first_action, nactions;
	uint32_t line;
};

struct dump_entry {
	uint32_t index; /* of its address, in units of 64 bytes, cut to 32 bits as the dump does */
	uint32_t rule, domain;
	uint8_t side;
	uint8_t len;	/* 48: without the mask; 64 */
	uint8_t format; /* 0: ConnectX-5; 1: later */
	uint8_t bytes[STE_BYTES];
};

struct steering_dump {
	struct dump_domain *domain;
	struct dump_vport *vport;
	struct dump_table *table;
	struct dump_matcher *matcher;
	struct dump_rule *rule;
	struct dump_action *action;
	struct dump_rewrite *rewrite;
	struct dump_entry *entry;
	uint32_t ndomains, nvports, ntables, nmatchers, nrules, nactions, nrewrites, nentries;
	uint32_t *
		by_index; /* entries, sorted by domain and index, the first of each address first */
	uint32_t unknown, unknown_line; /* records of unknown types, and the first one */
};

struct dump_error {
	uint32_t line;
	char text[160];
};

/*
 * Parses a dump. Returns 0, -ENOMEM, or -EINVAL with a sentence and the line that it is about. A
 * failed dump is empty.
 */
int steering_dump_parse(struct steering_dump *d, const char *text, size_t len,
			struct dump_error *err);
void steering_dump_free(struct steering_dump *d);

/*
 * Adds lists of rewrites that the library's records lack (before rdma-core 46), by their actions'
 * IDs. Rows are sorted by ID. Returns 0 or -ENOMEM.
 */
struct dump_rewrites {
	uint64_t id;
	const uint8_t *bytes; /* n times PRM set_add_copy_action_in_auto */
	uint32_t n;
};
int steering_dump_rewrites(struct steering_dump *d, const struct dump_rewrites *rows, size_t n);

/*
 * Returns whether a rule leads to no table. A dump cuts addresses to 32 bits of index, so a queue's
 * may equal a table's.
 */
bool dump_rule_ends(const struct steering_dump *d, const struct dump_rule *r);

/* Sets a destination array's table, by their IDs. Returns false if the dump does not have both. */
bool steering_dump_onward(struct steering_dump *d, uint64_t action, uint64_t table);
/* Returns the table to which a rule's array leads; NULL: it has none, or it is unknown. */
const struct dump_table *dump_onward_of(const struct steering_dump *d, const struct dump_rule *r);

/* Returns the action of a rule that rewrites headers; NULL: it has none, or several. */
const struct dump_action *dump_rewrite_of(const struct steering_dump *d, const struct dump_rule *r);

/* Returns the entry at that index, NULL: no rule's entry is there. */
const struct dump_entry *dump_entry_at(const struct steering_dump *d, uint32_t domain,
				       uint32_t index);
/* Returns the table whose anchor is at that index. */
const struct dump_table *dump_table_at(const struct steering_dump *d, uint32_t domain,
				       enum side side, uint32_t index);

/* Converts len hexadecimal digits to bytes. Returns false if others are among them. */
bool dump_hex_bytes(const char *hex, size_t len, uint8_t *out);

/* Adds a row at the end of an array, zeroed. NULL: no memory. For the files of dump*.c. */
void *dump_grow(void **rows, uint32_t *n, size_t size);

/* --- dump_mask.c --- */

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
