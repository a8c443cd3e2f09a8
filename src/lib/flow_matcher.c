/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_priv.h"

static uint32_t log2_down(uint32_t v)
{
	return 31u - (uint32_t)__builtin_clz(v);
}

/* Which of the groups are compared at all, one bit each: the PRM's match_criteria_enable. */
static uint8_t criteria_of(const uint8_t *mask)
{
	uint8_t criteria = 0;
	size_t i;

	for (i = 0; i < MATCH_BYTES; i++)
		if (mask[i])
			criteria |= (uint8_t)(1u << i / GROUP_BYTES);
	return criteria;
}

/* Up to the last group that is used: an older kernel does not know the later ones. */
static uint32_t bytes_of(uint8_t criteria)
{
	return (criteria ? log2_down(criteria) + 1 : 1) * GROUP_BYTES;
}

static void set_version(uint8_t *match, enum dvx_flow_depth depth, uint32_t version)
{
	prm_fte_match_set_lyr_2_4_set_ip_version(
		match + (depth == DVX_FLOW_INNER ? 2 * GROUP_BYTES : 0), version);
}

/* The mask for libmlx5. Below the root, its ip_version is not a mask but the version itself. */
static void fill_mask(const struct dvx_flow_matcher *matcher, const uint8_t *mask,
		      unsigned int kind, union dvx_flow_params *out)
{
	uint8_t *to = (uint8_t *)out->p.match_buf;

	out->p.match_sz = matcher->bytes;
	memcpy(to, mask, MATCH_BYTES);
	if (!matcher->table->level)
		return;
	if (dvx_flow_ip_version(mask, DVX_FLOW_OUTER))
		set_version(to, DVX_FLOW_OUTER, kind & 1 ? 6 : 4);
	if (dvx_flow_ip_version(mask, DVX_FLOW_INNER))
		set_version(to, DVX_FLOW_INNER, kind & 2 ? 6 : 4);
}

static struct mlx5dv_dr_matcher *try(const struct dvx_flow_matcher *matcher, const uint8_t *mask,
				     unsigned int kind)
{
	union dvx_flow_params params;

	fill_mask(matcher, mask, kind, &params);
	errno = 0;
	return mlx5dv_dr_matcher_create(matcher->table->dr, matcher->priority, criteria_of(mask),
					&params.p);
}

/* A field and those that it depends on. */
static void single(const uint8_t *mask, const struct dvx_flow_field *f, uint8_t *out)
{
	static const uint8_t layers[] = {0, 2 * GROUP_BYTES};
	size_t i;

	memset(out, 0, MATCH_BYTES);
	for (i = 0; i < sizeof(layers); i++) {
		const uint8_t *from = mask + layers[i];

		prm_fte_match_set_lyr_2_4_set_ip_version(
			out + layers[i], prm_fte_match_set_lyr_2_4_get_ip_version(from));
		prm_fte_match_set_lyr_2_4_set_ip_protocol(
			out + layers[i], prm_fte_match_set_lyr_2_4_get_ip_protocol(from));
	}
	dvx_flow_field_copy(f, mask, out);
}

/* The mask without a field. */
static void flow_matcher_without(const uint8_t *mask, const struct dvx_flow_field *f, uint8_t *out)
{
	static const uint8_t nothing[MATCH_BYTES];

	memcpy(out, mask, MATCH_BYTES);
	dvx_flow_field_copy(f, nothing, out);
}

/* Each field is accepted alone: leaves out those without which the others are refused, too. */
static int flow_matcher_blame(const struct dvx_flow_matcher *matcher, unsigned int kind, int err)
{
	uint8_t mask[MATCH_BYTES], fewer[MATCH_BYTES];
	struct dvx_flow_field f = {.bit = 0};
	struct mlx5dv_dr_matcher *dr;
	char names[160] = "";
	size_t used = 0;
	uint32_t bit;

	memcpy(mask, matcher->mask, sizeof(mask));
	for (bit = 0; dvx_flow_field_next(matcher->mask, bit, &f); bit = f.bit + f.width) {
		flow_matcher_without(mask, &f, fewer);
		dr = try(matcher, fewer, kind);
		if (dr)
			mlx5dv_dr_matcher_destroy(dr);
		else
			memcpy(mask, fewer, sizeof(mask));
	}
	for (bit = 0; used < sizeof(names) && dvx_flow_field_next(mask, bit, &f);
	     bit = f.bit + f.width)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", f.path);
	return dvx_fail(err,
			"dvx_flow_matcher_create: match: libmlx5 refuses these fields in one "
			"matcher: %s",
			names);
}

/* libmlx5 names no field: try each of them alone. */
static int blame(const struct dvx_flow_matcher *matcher, unsigned int kind, int err)
{
	struct dvx_flow_field f = {.bit = 0};
	struct mlx5dv_dr_matcher *alone;
	uint8_t mask[MATCH_BYTES];
	uint32_t bit;

	if (err == ENOMEM)
		return dvx_fail(
			err,
			"dvx_flow_matcher_create: libmlx5 has no memory left for a matcher, "
			"of its own or of %s",
			dvx_dev_name(matcher->table->domain->dev));
	if (err != EINVAL && err != ENOTSUP)
		return dvx_fail(err, "dvx_flow_matcher_create: libmlx5 refuses a matcher");
	for (bit = 0; dvx_flow_field_next(matcher->mask, bit, &f); bit = f.bit + f.width) {
		single(matcher->mask, &f, mask);
		alone = try(matcher, mask, kind);
		if (!alone)
			return dvx_flow_lacks_field(matcher->table->domain, f.path);
		mlx5dv_dr_matcher_destroy(alone);
	}
	return flow_matcher_blame(matcher, kind, err);
}

static int lib_flow_matcher_refused(const struct dvx_flow_matcher *matcher, unsigned int kind)
{
	int err = errno ? errno : EIO;
	struct dvx_flow_field f;

	if (matcher->table->level)
		return blame(matcher, kind, err);
	if (err != ENOMEM && dvx_flow_field_without_cap(matcher->mask, &f))
		return dvx_fail(
			err,
			"dvx_flow_matcher_create: the kernel refuses a matcher in the root; "
			"perhaps because of match.%s, which has no capability bit",
			f.path);
	return dvx_fail(err, "dvx_flow_matcher_create: the kernel refuses a matcher in the root");
}

/* Only a hint: without such a large piece of memory the device still takes the rules. */
static void make_room(const struct dvx_flow_matcher *matcher, struct mlx5dv_dr_matcher *dr)
{
	struct mlx5dv_dr_matcher_layout layout = {
		.flags = MLX5DV_DR_MATCHER_LAYOUT_RESIZABLE | MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE,
		.log_num_of_rules_hint = dvx_log2_up(matcher->expected_rules)};

	if (matcher->table->level && matcher->expected_rules)
		mlx5dv_dr_matcher_set_layout(dr, &layout);
}

static int lib_flow_matcher_make(struct dvx_flow_matcher *matcher, unsigned int kind)
{
	struct mlx5dv_dr_matcher *dr = try(matcher, matcher->mask, kind);

	if (!dr)
		return lib_flow_matcher_refused(matcher, kind);
	make_room(matcher, dr);
	matcher->dr[kind] = dr;
	return 0;
}

static unsigned int lib_flow_matcher_kind_of(const struct dvx_flow_matcher *matcher,
					     const uint8_t *value)
{
	if (!matcher->table->level)
		return 0;
	return (dvx_flow_ip_version(value, DVX_FLOW_OUTER) == 6 ? 1u : 0u) |
	       (dvx_flow_ip_version(value, DVX_FLOW_INNER) == 6 ? 2u : 0u);
}

int dvx_flow_matcher_for(struct dvx_flow_matcher *matcher, const uint8_t *value,
			 struct mlx5dv_dr_matcher **out)
{
	unsigned int kind = lib_flow_matcher_kind_of(matcher, value);
	int err = matcher->dr[kind] ? 0 : lib_flow_matcher_make(matcher, kind);

	*out = matcher->dr[kind];
	return err;
}

/* The version that fields need, or that the caller announced; 0: rules may have either. */
static uint8_t known_version(const struct dvx_flow_matcher *matcher, const uint8_t *value,
			     enum dvx_flow_depth depth)
{
	if (matcher->needs.version[depth] > NEEDS_VERSION)
		return matcher->needs.version[depth];
	return (uint8_t)dvx_flow_ip_version(value, depth);
}

/*
 * Makes the first one now, so that a field that the device can't match is refused here, not later.
 */
static int make_first(struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	unsigned int kind = 0;

	if (!matcher->table->level) {
		int err = dvx_flow_check_caps(matcher->table->domain, matcher->mask,
					      "dvx_flow_matcher_create");

		return err ? err : lib_flow_matcher_make(matcher, 0);
	}
	kind |= known_version(matcher, value, DVX_FLOW_OUTER) == 6 ? 1u : 0u;
	kind |= known_version(matcher, value, DVX_FLOW_INNER) == 6 ? 2u : 0u;
	return lib_flow_matcher_make(matcher, kind);
}

static int lib_flow_matcher_check(const struct dvx_flow_table *table,
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

int dvx_flow_matcher_create(struct dvx_flow_table *table, const struct dvx_flow_matcher_attr *user,
			    struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher_attr attr;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_needs needs;
	int err = dvx_attr_copy(&attr, user, "dvx_flow_matcher_create");

	if (!err)
		err = dvx_given("dvx_flow_matcher_create", "table", table, "out", out, NULL);
	if (!err)
		err = lib_flow_matcher_check(table, &attr, &needs);
	if (err)
		return err;
	matcher = calloc(1, sizeof(*matcher));
	if (!matcher)
		return dvx_fail(ENOMEM, "no memory for a matcher");
	matcher->table = table;
	matcher->needs = needs;
	matcher->priority = (uint16_t)attr.priority;
	matcher->expected_rules = attr.expected_rules;
	memcpy(matcher->mask, attr.match->mask, MATCH_BYTES);
	matcher->bytes = bytes_of(criteria_of(matcher->mask));
	err = make_first(matcher, attr.match->value);
	if (err) {
		free(matcher);
		return err;
	}
	dvx_ref(&table->refs);
	*out = matcher;
	return 0;
}

int dvx_flow_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	unsigned int kind;
	int ret;

	if (!matcher)
		return 0;
	if (dvx_in_use(&matcher->refs))
		return dvx_fail(EBUSY, "matcher: %d rules are still in it", matcher->refs);
	for (kind = 0; kind < MATCHER_KINDS; kind++) {
		if (!matcher->dr[kind])
			continue;
		ret = mlx5dv_dr_matcher_destroy(matcher->dr[kind]);
		if (ret)
			return dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the matcher");
		matcher->dr[kind] = NULL;
	}
	dvx_unref(&matcher->table->refs);
	free(matcher);
	return 0;
}

uint64_t dvx_flow_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version)
{
	unsigned int kind;

	for (kind = 0; kind < MATCHER_KINDS; kind++)
		if (matcher->dr[kind] && (!version || !matcher->table->level ||
					  !dvx_flow_ip_version(matcher->mask, DVX_FLOW_OUTER) ||
					  (kind & 1) == (version == 6)))
			return (uintptr_t)matcher->dr[kind];
	return 0;
}
