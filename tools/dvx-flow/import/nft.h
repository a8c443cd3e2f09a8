/* SPDX-License-Identifier: BSD-2-Clause */
/* A ruleset of nft: its tables, chains and sets as places among the words of the text. */
#ifndef DVX_FLOW_IMPORT_NFT_H
#define DVX_FLOW_IMPORT_NFT_H

#include "dialect.h"
#include "rules/map.h"

/* Words from one to the one behind the last. */
struct nft_span {
	size_t from, end;
};

enum nft_family { NFT_IP, NFT_IP6, NFT_INET, NFT_NETDEV, NFT_OTHER };

struct nft_rule {
	struct nft_span words;
	struct nft_rule *next;
};

struct nft_chain {
	const char *table, *name;
	enum nft_family family;
	struct nft_rule *first, *end; /* NULL: none */
	bool base, filter; /* packets enter it by themselves; for `type filter` */
	const char *hook, *netdev;
	size_t at; /* its word `type` */
	long priority;
	bool drops; /* its policy */
	bool running, last;
};

struct nft_set {
	const char *table, *name;
	enum nft_family family;
	struct nft_span elements;
	bool changes; /* while packets flow, or it has none */
};

struct nft {
	struct import *im;
	struct tokens words; /* all of the text; "\n" between lines */
	struct nft_chain *chain;
	size_t nchains, chain_room;
	struct nft_set *set;
	size_t nsets, set_room;
	struct map chain_names, set_names; /* hash -> a place in `chain` or `set` */
	size_t emitted;
	unsigned int depth; /* of conditions and chains, one inside the other */
	const struct token *left; /* reported last, as one rule can be tried several times */
};

/* Rules that jumps and sets make. */
#define NFT_RULES_MAX 65536u
#define NFT_DEPTH_MAX 512u

struct nft_chain *nft_chain_find(struct nft *t, const struct nft_chain *from, const char *name);
const struct nft_set *nft_set_find(const struct nft *t, const struct nft_chain *of,
				   const char *name);
/* Returns the word behind a { ... } or ( ... ) that begins here. */
size_t nft_skip(const struct nft *t, size_t from, size_t end);
bool nft_is(const struct nft *t, size_t at, const char *word);
/* Leaves out a rule once. Returns false. */
bool nft_leave(struct nft *t, const struct draft *d, size_t at, enum import_reason reason);

/* Leaves out a rule that ends its packets' way, once. Returns false. */
bool nft_leave_end(struct nft *t, const struct draft *d, size_t at, enum import_reason reason);

/* Adds the rules of a chain, under the conditions of a jump to it. */
void nft_run(struct nft *t, struct nft_chain *chain, const struct draft *before);
/* Adds one rule, once for each alternative of its sets. */
void nft_rule(struct nft *t, struct nft_chain *chain, const struct nft_rule *rule,
	      const struct draft *before);

#endif
