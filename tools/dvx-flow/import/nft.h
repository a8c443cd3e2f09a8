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
	bool made;		      /* by the text, not only named in commands */
	bool base, filter;	      /* packets enter it by themselves; for `type filter` */
	const char *hook;
	struct nft_span devices; /* their names; none: it sees all of them */
	size_t at;		 /* its word `type` */
	long priority;
	bool drops; /* its policy */
	bool running, last;
};

struct nft_set {
	const char *table, *name;
	enum nft_family family;
	struct nft_span elements;
	bool changes; /* while packets flow, or it has none */
	bool live;    /* `changes' stays, whatever elements are added */
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
};

/* A rule of a chain while its words are read. */
struct nft_read {
	struct draft d;
	struct nft *t;
	struct nft_chain *c;
	size_t end;
	uint64_t flags_mask; /* of a set's elements; 0: all flags */
	bool is_last;	     /* rule of its chain */
};

static inline struct nft_read *nft_of(struct draft *d)
{
	return (struct nft_read *)d;
}

/* Rules that jumps and sets make. */
#define NFT_RULES_MAX 65536u
#define NFT_DEPTH_MAX 512u

struct nft_chain *nft_chain_find(const struct nft *t, const struct nft_chain *from,
				 const char *name);
const struct nft_set *nft_set_find(const struct nft *t, const struct nft_chain *of,
				   const char *name);
/* Returns the word behind a { ... } or ( ... ) that begins here. */
size_t nft_skip(const struct nft *t, size_t from, size_t end);
/* Returns a word, or the end of the text. */
const struct token *nft_word(const struct nft *t, size_t at);
/* Returns whether a word is one of several with blanks between them. */
bool nft_is(const struct nft *t, size_t at, const char *words);
/* Returns whether the chain gets packets before IP does: of the family netdev or inet. */
bool nft_at_ingress(const struct nft_chain *c);
/* Leaves out a rule. Returns false. */
bool nft_leave(const struct nft_read *r, size_t at, enum import_reason reason);

/* Adds the rules of a chain, under the conditions of a jump to it. */
void nft_run(struct nft *t, struct nft_chain *chain, const struct draft *before);

/* --- nft_match.c: expressions that name a field, and their values --- */

/*
 * Reads the key that begins here, and moves *at behind its words. Adds the conditions that it
 * implies: "tcp dport" is of TCP. `joined`: other keys are before it. Returns NULL if there is
 * none, or the rule is left out.
 */
const struct row *nft_key_read(struct nft_read *r, size_t *at, bool joined);
/*
 * Moves span->from behind the words after an element. Returns false if they cannot be expressed,
 * and the rule is left out.
 */
bool nft_element_rest(const struct nft_read *r, struct nft_span *span);
/* Finds the elements of { ... } or @NAME, and moves *at behind it. False: the rule is left out. */
bool nft_set_span(const struct nft_read *r, size_t *at, struct nft_span *span);
/* Adds one value, and moves *at behind it. Returns false if the rule is left out. */
bool nft_match_one(struct nft_read *r, const struct row *key, size_t *at);
/* Moves *at behind the & MASK of TCP flags that a set or a map follows. */
void nft_flags_mask(struct nft_read *r, const struct row *key, size_t *at);
/* Returns whether the rule is of TCP or UDP; if not, it is left out for the word `at`. */
bool nft_has_ports(const struct nft_read *r, size_t at);
/*
 * Adds [OPERATOR] VALUE, or a set if dvx-flow has lists of this field, and moves *at behind it.
 * Returns false if it is a set of another field; or sets *at to end + 1 if the rule is left out.
 */
bool nft_match_list(struct nft_read *r, const struct row *key, size_t *at);

#endif
