/* SPDX-License-Identifier: BSD-2-Clause */
/* The expressions of nft that name a field, and their values. */
#ifndef DVX_FLOW_IMPORT_NFT_MATCH_H
#define DVX_FLOW_IMPORT_NFT_MATCH_H

#include "nft.h"

struct nft_key;

/*
 * The key that begins here, behind its words then. Adds what it says alone: "tcp dport" is of TCP.
 * `joined`: others are before it. NULL: none, or the rule is left out.
 */
const struct nft_key *nft_key_read(struct nft *t, const struct nft_chain *c, size_t *at, size_t end,
				   bool joined, struct draft *d);
/* Moves span->from behind an element's words. False: they cannot be said, the rule is left out. */
bool nft_element_rest(struct nft *t, struct nft_span *span, const struct draft *d);
/* Adds one value, the word `at`. False: the rule is left out. */
bool nft_match_one(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t at,
		   struct draft *d);
/*
 * Adds [OPERATOR] VALUE, or a set if dvx-flow has lists of this field, and moves *at behind it.
 * False: it is a set of another field; or *at is end + 1, and the rule is left out.
 */
bool nft_match_list(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t *at,
		    size_t end, struct draft *d);

#endif
