/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend.h"

static int flow_matcher_check(const struct dvx_flow_table *table,
			      const struct dvx_flow_matcher_attr *attr,
			      struct dvx_flow_needs *needs)
{
	if (!attr->match)
		return dvx_fail(EINVAL, "dvx_flow_matcher_create: attr.match is NULL");
	if (attr->priority > UINT16_MAX || (!table->level && attr->priority >= ROOT_PRIORITIES))
		return dvx_fail(ERANGE, "dvx_flow_matcher_create: attr.priority %u is not below %u",
				attr->priority, table->level ? UINT16_MAX + 1u : ROOT_PRIORITIES);
	return dvx_flow_check_mask(attr->match->mask, "dvx_flow_matcher_create", needs);
}

int dvx_flow_matcher_new(const struct dvx_flow_matcher *want, const uint8_t *value,
			 struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher *matcher = malloc(sizeof(*matcher));
	int err;

	if (!matcher)
		return dvx_fail(ENOMEM, "no memory for a matcher");
	*matcher = *want;
	err = want->table->domain->backend->matcher_create(matcher, value);
	if (err) {
		free(matcher);
		return err;
	}
	dvx_ref(&want->table->refs);
	*out = matcher;
	return 0;
}

int dvx_flow_matcher_create(struct dvx_flow_table *table, const struct dvx_flow_matcher_attr *user,
			    struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher_attr attr;
	struct dvx_flow_matcher want = {.table = table};
	int err = dvx_attr_copy(&attr, user, "dvx_flow_matcher_create");

	if (!err)
		err = dvx_check_not_null("dvx_flow_matcher_create", "table", table, "out", out,
					 NULL);
	if (!err)
		err = flow_matcher_check(table, &attr, &want.needs);
	if (err)
		return err;
	want.priority = (uint16_t)attr.priority;
	want.expected_rules = attr.expected_rules;
	memcpy(want.mask, attr.match->mask, MATCH_BYTES);
	return dvx_flow_matcher_new(&want, attr.match->value, out);
}

int dvx_flow_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	int err;

	if (!matcher)
		return 0;
	if (dvx_in_use(&matcher->refs))
		return dvx_fail(EBUSY, "matcher: %d rules are still in it", matcher->refs);
	err = matcher->table->domain->backend->matcher_destroy(matcher);
	if (err)
		return err;
	dvx_unref(&matcher->table->refs);
	free(matcher);
	return 0;
}

uint64_t dvx_flow_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version)
{
	return matcher->table->domain->backend->matcher_id(matcher, version);
}
