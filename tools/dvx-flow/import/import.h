/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of other tools as rules of dvx-flow. What cannot be said exactly is left out, with the
 * place and a reason. No device: the tests and the fuzzer read the same result.
 */
#ifndef DVX_FLOW_IMPORT_H
#define DVX_FLOW_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum import_dialect {
	DIALECT_TC,
	DIALECT_TESTPMD,
	DIALECT_IPTABLES,
	DIALECT_IP6TABLES,
	DIALECT_NFT,
	DIALECT_OVS,
	DIALECT_OWN, /* dvx-flow's own rules: recognized, not imported */
	DIALECTS
};

/* Why a line is left out, and what --json calls it. */
enum import_reason {
#define REASON(name, id, text) REASON_##name,
#include "reasons.def"
	IMPORT_REASONS
};

/* A rule, or something that is left out. */
struct import_item {
	uint32_t table; /* that it is in; 0: main. Its rules stand together */
	bool leads;	/* to the table `go` */
	uint32_t go;
	uint64_t order;	       /* smaller ones come first; equal ones as in the text */
	uint32_t number;       /* of the item, in the order of the text */
	uint32_t line, column; /* in the other tool's text, from 1 */
	const char *rule;      /* of dvx-flow; NULL: left out */
	enum import_reason reason;
	bool all;	  /* left out, and no packet comes behind it */
	const char *word; /* the word that cannot be said, or NULL */
	const char *more; /* what dvx-flow says of the rule, or NULL */
};

struct import_result {
	enum import_dialect dialect; /* DIALECTS: none was recognized */
	struct import_item *item;
	size_t n, room, left_out;
	bool any_leads;
	struct arena *memory;
};

struct import_ask {
	enum import_dialect from; /* DIALECTS: recognize it */
	const char *netdev; /* take this interface's rules; NULL: all name one, and it is ours */
};

/*
 * Returns 0, -ENOMEM, or -EPROTOTYPE: the text is none of these dialects, or not the one that was
 * asked for; out->dialect is what it looks like. The caller frees *out either way.
 */
int import_text(const struct import_ask *ask, const char *text, size_t len,
		struct import_result *out);
void import_free(struct import_result *out);

/* The name that --from takes; DIALECTS: no dialect is called so. */
const char *dialect_name(enum import_dialect d);
enum import_dialect dialect_find(const char *name);

const char *reason_text(enum import_reason reason);
const char *reason_id(enum import_reason reason);

#endif
