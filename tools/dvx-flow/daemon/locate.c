/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "generation.h"
#include "rules/compile.h"

int locate_error(struct flow_fault *f, const struct rule *r, struct source_location at)
{
	flow_fault_device(f);
	return flow_fault_at(f, r, at);
}

/*
 * Returns whether the path is the name, or a structure around it: the fields of src_ipv4_src_ipv6
 * are an address's words.
 */
static bool locate_is_named(const char *path, size_t n, const char *name)
{
	return !strncmp(path, name, n) && (!name[n] || name[n] == '.');
}

static bool compares(const struct rule *r, unsigned int key)
{
	struct source_location s = rule_location(r, key);

	return s.line != r->at.line || s.column != r->at.column;
}

int locate_match_error(struct flow_fault *f, const struct rule *r)
{
	const char *path = strstr(device_last_error(), "match.");
	struct source_location at = r->at;

	flow_fault_device(f);
	if (path) {
		size_t n = strcspn(path += strlen("match."), ": ");

		for (unsigned int k = 0; k < MATCH_KEYS; k++)
			if (locate_is_named(path, n, match_keys[k].path) && compares(r, k))
				at = rule_location(r, k);
	}
	return flow_fault_at(f, r, at);
}
