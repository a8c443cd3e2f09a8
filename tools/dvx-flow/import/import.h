/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of other tools as rules of dvx-flow. Rules that cannot be expressed exactly are left out,
 * with the place and a reason. Uses no device: the tests and the fuzzer get the same result.
 */
#ifndef DVX_FLOW_IMPORT_H
#define DVX_FLOW_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum import_dialect {
	DIALECT_TC,
	DIALECT_ETHTOOL,
	DIALECT_TESTPMD,
	DIALECT_IPTABLES,
	DIALECT_IP6TABLES,
	DIALECT_NFT,
	DIALECT_OVS,
	DIALECT_DPCTL,
	DIALECT_OWN, /* dvx-flow's own rules: recognized, not imported */
	DIALECTS
};

/* Reasons to leave out a line; --json has their names. */
enum import_reason {
#define REASON(name, id, text) REASON_##name,
#include "reasons.def"
	IMPORT_REASONS
};

/* A rule, or a line that is left out. */
struct import_item {
	uint32_t table; /* its table; 0: main. A table's rules stand together */
	bool leads;	/* to the table `go` */
	uint32_t go;
	uint64_t order;	       /* smaller ones come first; equal ones as in the text */
	uint32_t number;       /* of the item, in the order of the text */
	uint32_t line, column; /* in the other tool's text, from 1 */
	const char *rule;      /* of dvx-flow; NULL: left out */
	enum import_reason reason;
	bool all; /* left out, and no packet of its direction gets behind it */
	const char *direction;
	const char *word; /* the word that cannot be expressed, or NULL */
	const char *more; /* dvx-flow's message about the rule, or NULL */
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
	const char *netdev;	  /* whose rules to take; NULL: all rules name the device's */
	const char *ports;	  /* interfaces of vports, as iface.h has them, or NULL */
};

/*
 * Imports a text. Returns 0, -ENOMEM, or -EPROTOTYPE if the text is of no dialect, or not of the
 * one that was asked for; out->dialect is the recognized one. The caller frees *out either way.
 */
int import_text(const struct import_ask *ask, const char *text, size_t len,
		struct import_result *out);
void import_free(struct import_result *out);

/* Returns the name that --from takes; DIALECTS: no dialect has that name. */
const char *dialect_name(enum import_dialect d);
enum import_dialect dialect_find(const char *name);

const char *reason_text(enum import_reason reason);
const char *reason_id(enum import_reason reason);

#endif
