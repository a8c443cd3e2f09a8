/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_DR_FDB_RIG_H
#define TESTS_DR_FDB_RIG_H

/*
 * Unmodified libmlx5's FDB domain on the e-switch's manager: its root leads to a table, whose rules
 * match the source port and a mark, the packets' UDP source port. Another program, dr_fdb_peer,
 * sends and receives on another function or beyond the wire.
 */
#include "dr_fdb_ends.h"

#include <infiniband/mlx5dv.h>
#include <dvx/prm/match.h>

#define ECPF   0xfffeu
#define UPLINK 0xffffu
#define ANY    0x10000u		   /* source: no match */
#define PARTS  (1u << 0 | 1u << 1) /* outer headers, misc */

static struct {
	struct fdb_ends ends;
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *root, *table;
	struct mlx5dv_dr_matcher *root_matcher;
	struct mlx5dv_dr_rule *root_rule;
	struct mlx5dv_dr_action *to_table;
} fdb;

/* --- rules ----------------------------------------------------------------------------------- */

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[128];
};

/* Returns match parameters; the mask has all bits of the fields that are matched. */
static inline struct params params_of(unsigned int source, unsigned int mark)
{
	struct params p = {.head = {.match_sz = sizeof(p.bytes)}};
	const bool mask = mark == UINT16_MAX;

	if (source != ANY)
		prm_fte_match_set_misc_set_source_port(p.bytes + 64, source & 0xffff);
	if (mark) {
		prm_fte_match_set_lyr_2_4_set_ip_version(p.bytes, 4);
		prm_fte_match_set_lyr_2_4_set_ip_protocol(p.bytes, mask ? 0xff : 17);
		prm_fte_match_set_lyr_2_4_set_udp_sport(p.bytes, mark);
	}
	return p;
}

static inline struct mlx5dv_dr_matcher *matcher_of(struct mlx5dv_dr_table *table, uint16_t priority,
						   uint8_t parts, bool by_source, bool by_mark)
{
	struct params mask = params_of(by_source ? UPLINK : ANY, by_mark ? UINT16_MAX : 0);
	struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(table, priority, parts, &mask.head);

	assert_non_null(m);
	return m;
}

static inline struct mlx5dv_dr_rule *rule(struct mlx5dv_dr_matcher *m, unsigned int source,
					  unsigned int mark, struct mlx5dv_dr_action *first,
					  struct mlx5dv_dr_action *second)
{
	struct mlx5dv_dr_action *actions[] = {first, second};
	struct params value = params_of(source, mark);
	struct mlx5dv_dr_rule *made =
		mlx5dv_dr_rule_create(m, &value.head, second ? 2 : 1, actions);

	assert_non_null(made);
	/* its entries are written when the next packet comes */
	assert_int_equal(mlx5dv_dr_domain_sync(fdb.domain, 3), 0);
	return made;
}

/* Removes a rule, and waits for the device: packets of another queue could overtake the write. */
static inline void no_rule(struct mlx5dv_dr_rule *made)
{
	assert_int_equal(mlx5dv_dr_rule_destroy(made), 0);
	assert_int_equal(mlx5dv_dr_domain_sync(fdb.domain, 3), 0);
}

/* --- ends -------------------------------------------------------------------------------------- */

static inline unsigned int vport_named(const char *name)
{
	const char *number = getenv(name);

	assert_non_null(number);
	return (unsigned int)atoi(number);
}

/* Returns the next packet of the function. */
static inline const uint8_t *fdb_next(uint32_t *len)
{
	const uint8_t *p = slot_in(&fdb.ends.end, fdb.ends.received);
	struct ibv_wc wc;

	poll_ok(fdb.ends.end.rcq, fdb.ends.received % DEPTH, &wc);
	if (len)
		*len = wc.byte_len;
	post_recv(&fdb.ends.end, fdb.ends.received++ % DEPTH, SLOT);
	return p;
}

/* Sends these bytes from beyond the wire. */
static inline void put_far(const char *hex)
{
	char line[16];

	fprintf(fdb.ends.to, "put %s\n", hex);
	fflush(fdb.ends.to);
	assert_non_null(fgets(line, sizeof(line), fdb.ends.from));
	assert_string_equal(line, "sent\n");
}

/* Returns the next packet beyond the wire, as digits. */
static inline const char *take_far(void)
{
	static char line[2 * SLOT];

	fputs("take\n", fdb.ends.to);
	fflush(fdb.ends.to);
	assert_non_null(fgets(line, sizeof(line), fdb.ends.from));
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Returns the next packet of the function, as digits. */
static inline const char *take_own(void)
{
	static char text[2 * SLOT];
	uint32_t len;
	const uint8_t *p = fdb_next(&len);

	for (uint32_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", p[i]);
	return text;
}

static inline struct mlx5dv_dr_action *vport(unsigned int number)
{
	struct mlx5dv_dr_action *a = mlx5dv_dr_action_create_dest_vport(fdb.domain, number);

	assert_non_null(a);
	return a;
}

static inline void fdb_open(void)
{
	fdb_ends_open(&fdb.ends);
	fdb.domain = mlx5dv_dr_domain_create(fdb.ends.end.ctx, MLX5DV_DR_DOMAIN_TYPE_FDB);
	assert_non_null(fdb.domain);
	fdb.root = mlx5dv_dr_table_create(fdb.domain, 0);
	fdb.table = mlx5dv_dr_table_create(fdb.domain, 1);
	assert_true(fdb.root && fdb.table);
	fdb.root_matcher = matcher_of(fdb.root, 0, 0, false, false);
	fdb.to_table = mlx5dv_dr_action_create_dest_table(fdb.table);
	assert_non_null(fdb.to_table);
	fdb.root_rule = rule(fdb.root_matcher, ANY, 0, fdb.to_table, NULL);
}

static inline void fdb_close(void)
{
	no_rule(fdb.root_rule);
	assert_int_equal(mlx5dv_dr_action_destroy(fdb.to_table), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(fdb.root_matcher), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(fdb.table), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(fdb.root), 0);
	assert_int_equal(mlx5dv_dr_domain_destroy(fdb.domain), 0);
	fdb_ends_close(&fdb.ends);
}

#endif
