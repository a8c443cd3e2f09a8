/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow of testpmd while its words are read. All functions return false if it is left out. */
#ifndef DVX_FLOW_IMPORT_TESTPMD_H
#define DVX_FLOW_IMPORT_TESTPMD_H

#include "dialect.h"

struct pmd_read {
	struct import *im;
	struct draft *d;
	struct tokens *line;
	bool elsewhere; /* another port's */
	int depth;	/* of the last item: Ethernet, VLAN, MPLS, IP, layer 4, tunnel */
	unsigned int tags;
};

static inline bool pmd_leave(struct pmd_read *r, const struct token *at, enum import_reason reason)
{
	return import_leave(r->im, r->d, at, reason);
}

/* Reads from behind `pattern` to behind its `end`. */
bool pmd_pattern(struct pmd_read *r);
bool pmd_actions(struct pmd_read *r);
/* Reads queues and types behind the word `rss`. */
bool pmd_rss(struct pmd_read *r, const struct token *at);

#endif
