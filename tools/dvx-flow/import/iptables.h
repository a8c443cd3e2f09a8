/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule of iptables while its words are read. */
#ifndef DVX_FLOW_IMPORT_IPTABLES_H
#define DVX_FLOW_IMPORT_IPTABLES_H

#include "values.h"

struct ipt_read {
	struct draft d;
	const struct token *target; /* of -j or -g */
	bool negated;
	bool elsewhere; /* the rule is for another interface */
	bool is_goto;	/* -g */
};

/* Reads words up to a target, or to the end. Returns false if the rule is left out. */
bool ipt_words_read(struct ipt_read *r);

#endif
