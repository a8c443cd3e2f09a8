/* SPDX-License-Identifier: BSD-2-Clause */
/* The manager's end of a chip in switchdev mode, and commands to dr_fdb_peer on the host's function. */
#ifndef TESTS_DR_FDB_ENDS_H
#define TESTS_DR_FDB_ENDS_H

#include "tests/test.h"
#include "tests/verbs/raw_end.h"

#include <infiniband/mlx5dv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fdb_ends {
	struct end end;
	FILE *to, *from; /* the peer */
	unsigned int received;
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow *all;
};

static inline unsigned int ask_peer(struct fdb_ends *t, const char *command, unsigned int mark,
				    unsigned int *dmac)
{
	char line[64];
	unsigned int got = 0;

	fprintf(t->to, "%s %u\n", command, mark);
	fflush(t->to);
	assert_non_null(fgets(line, sizeof(line), t->from));
	if (sscanf(line, "%u %u", &got, dmac) != 2)
		assert_string_equal(line, "sent\n");
	return got;
}

static inline void send_from_host(struct fdb_ends *t, unsigned int mark)
{
	unsigned int none;

	ask_peer(t, "send", mark, &none);
}

static inline void send_from_dpu(struct fdb_ends *t, unsigned int mark)
{
	struct ibv_wc wc;

	post_send(&t->end, 0, make_udp(slot_out(&t->end, 0), mac_b, (uint16_t)mark, 20), 0);
	poll_ok(t->end.scq, 0, &wc);
}

/* Waits for the next packet of the host's function; returns its mark. */
static inline unsigned int next_at_host(struct fdb_ends *t, unsigned int *dmac)
{
	return ask_peer(t, "recv", 0, dmac);
}

static inline unsigned int next_at_dpu(struct fdb_ends *t)
{
	const uint8_t *p = slot_in(&t->end, t->received);
	struct ibv_wc wc;
	unsigned int mark;

	poll_ok(t->end.rcq, t->received % DEPTH, &wc);
	mark = (unsigned int)p[34] << 8 | p[35];
	post_recv(&t->end, t->received++ % DEPTH, SLOT);
	return mark;
}

static inline void assert_at_host(struct fdb_ends *t, unsigned int mark)
{
	unsigned int dmac;

	assert_int_equal(next_at_host(t, &dmac), mark);
}

static inline FILE *open_fifo(const char *name, const char *mode)
{
	const char *path = getenv(name);
	FILE *file = path ? fopen(path, mode) : NULL;

	assert_non_null(file);
	return file;
}

/* Connects to the peer, and waits until it is ready. */
static inline void fdb_peer_open(struct fdb_ends *t)
{
	char line[64];

	t->to = open_fifo("TO_PEER", "w");
	t->from = open_fifo("FROM_PEER", "r");
	do
		assert_non_null(fgets(line, sizeof(line), t->from));
	while (strcmp(line, "ready\n"));
}

/* Adds a rule for all that the function receives, from any vport. */
static inline void fdb_take_all(struct fdb_ends *t)
{
	struct {
		struct mlx5dv_flow_match_parameters head;
		uint64_t none[8];
	} any = {.head = {.match_sz = 64}};
	struct mlx5dv_flow_matcher_attr attr = {.type = IBV_FLOW_ATTR_NORMAL,
						.match_mask = &any.head};
	struct mlx5dv_flow_action_attr to = {.type = MLX5DV_FLOW_ACTION_DEST_IBV_QP,
					     .qp = t->end.qp};

	t->matcher = mlx5dv_create_flow_matcher(t->end.ctx, &attr);
	assert_non_null(t->matcher);
	t->all = mlx5dv_create_flow(t->matcher, &any.head, 1, &to);
	assert_non_null(t->all);
}

static inline void fdb_ends_open(struct fdb_ends *t)
{
	fdb_peer_open(t);
	end_open(&t->end, 0);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&t->end, i, SLOT);
	fdb_take_all(t);
}

static inline void fdb_peer_close(struct fdb_ends *t)
{
	fclose(t->to);
	while (fgetc(t->from) != EOF) /* the peer's results */
		;
	fclose(t->from);
}

static inline void fdb_ends_close(struct fdb_ends *t)
{
	assert_int_equal(ibv_destroy_flow(t->all), 0);
	assert_int_equal(mlx5dv_destroy_flow_matcher(t->matcher), 0);
	end_close(&t->end);
	fdb_peer_close(t);
}

#endif
