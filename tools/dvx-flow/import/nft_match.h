/* SPDX-License-Identifier: BSD-2-Clause */
/* The expressions of nft that name a field, and their values. */
#ifndef DVX_FLOW_IMPORT_NFT_MATCH_H
#define DVX_FLOW_IMPORT_NFT_MATCH_H

#include "nft.h"

struct nft_key;

/*
 * Reads the key that begins here, and moves *at behind its words. Adds the conditions that it
 * implies: "tcp dport" is of TCP. `joined`: other keys are before it. Returns NULL if there is
 * none, or the rule is left out.
 */
const struct nft_key *nft_key_read(struct nft *t, const struct nft_chain *c, size_t *at, size_t end,
				   bool joined, struct draft *d);
/*
 * Moves span->from behind the words after an element. Returns false if they cannot be expressed,
 * and the rule is left out.
 */
bool nft_element_rest(struct nft *t, struct nft_span *span, const struct draft *d);
/* Adds one value, the word `at`. Returns false if the rule is left out. */
bool nft_match_one(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t at,
		   struct draft *d);
/*
 * Adds [OPERATOR] VALUE, or a set if dvx-flow has lists of this field, and moves *at behind it.
 * Returns false if it is a set of another field; or sets *at to end + 1 if the rule is left out.
 */
bool nft_match_list(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t *at,
		    size_t end, struct draft *d);

#endif
