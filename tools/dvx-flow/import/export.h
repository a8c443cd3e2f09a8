/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of dvx-flow as commands of other tools. Writes the entries that the device compares, so
 * ranges and lists become several filters, and no word of the rule language is needed here.
 */
#ifndef DVX_FLOW_EXPORT_H
#define DVX_FLOW_EXPORT_H

#include <stdio.h>

#include "rules/rule.h"

struct export_tool;

struct export_ask {
	const struct export_tool *tool;
	const char *netdev; /* tc's interface, testpmd's port; NULL: the tool's usual one */
	const char *ports;  /* interfaces (ports) of vports, as iface.h has them, or NULL */
};

/* Finds tc or testpmd; NULL: there is no such tool. */
const struct export_tool *export_find(const char *name);

/* Called for each rule that is left out, with the place of the word and a sentence. */
typedef void (*export_left_out_fn)(void *arg, const struct rule *r, struct source_location at,
				   const char *why);

/* Returns how many rules are left out, or -ENOMEM. */
int export_rules(const struct export_ask *ask, const struct ruleset *set, FILE *out,
		 export_left_out_fn report, void *arg);

#endif
