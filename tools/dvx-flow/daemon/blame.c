/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "generation.h"
#include "rules/compile.h"

int blame_location(struct flow_fault *f, const struct rule *r, struct source_location at)
{
	fault_device(f);
	return fault_at(f, r, at);
}

/*
 * The name is a field's or that of a structure around it: src_ipv4_src_ipv6 contains an address's
 * words.
 */
static bool blame_is_named(const char *path, size_t n, const char *name)
{
	return !strncmp(path, name, n) && (!name[n] || name[n] == '.');
}

static bool compares(const struct rule *r, unsigned int key)
{
	struct source_location s = rule_location(r, key);

	return s.line != r->at.line || s.column != r->at.column;
}

int blame_match(struct flow_fault *f, const struct rule *r)
{
	const char *path = strstr(device_says(), "match.");
	struct source_location at = r->at;

	fault_device(f);
	if (path) {
		size_t n = strcspn(path += strlen("match."), ": ");

		for (unsigned int k = 0; k < MATCH_KEYS; k++)
			if (blame_is_named(path, n, match_keys[k].path) && compares(r, k))
				at = rule_location(r, k);
	}
	return fault_at(f, r, at);
}
