/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that budget.sh counts: one per line of its table, called `rounds` times on rings in
 * plain memory. Only instructions inside the named function are counted, its return included;
 * setting the rings up and emptying them happens outside.
 * budget ROUNDS FUNCTION[,HOW MANY AT A TIME[,session]]...
 */
#include <stdio.h>
#include "plain_rings.h"

#define NOINLINE __attribute__((noinline, noclone, externally_visible))

static struct dvx_rq rq;
static _Alignas(4096) uint8_t rq_buf[BLOCKS][DVX_SEG];
static uint64_t rooms[BLOCKS];
static uint32_t rq_dbrec[2];
static volatile uint64_t sink;

/* A signaled RDMA_WRITE of 8 inline bytes, with its doorbell. */
NOINLINE int post_write8(uint64_t raddr, uint32_t rkey, uint64_t value, uint64_t wr_id)
{
	int err =
		dvx_post_write_inline(&sq, raddr, rkey, &value, sizeof(value), wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* A post from a template. */
static struct dvx_template template8;

NOINLINE int post_template8(uint64_t raddr, uint64_t value, uint64_t wr_id)
{
	int err = dvx_template_post_inline(&sq, &template8, raddr, &value, sizeof(value), wr_id);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* A post through BlueFlame. */
NOINLINE int post_write8_bf(uint64_t raddr, uint32_t rkey, uint64_t value, uint64_t wr_id)
{
	int err =
		dvx_post_write_inline(&sq, raddr, rkey, &value, sizeof(value), wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring_bf(&sq);
	return err;
}

/* n of post_write8() with one doorbell. */
NOINLINE int post_batch(uint64_t raddr, uint32_t rkey, uint64_t value, uint64_t wr_id, int n)
{
	struct dvx_sq batch = dvx_sq_begin(&sq);
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = dvx_post_write_inline(&batch, raddr, rkey, &value, sizeof(value), wr_id + i,
					    DVX_SIGNALED);
	dvx_sq_end(&sq, &batch);
	dvx_sq_ring(&sq);
	return err;
}

/* One piece of memory instead of inline data. */
NOINLINE int post_write_sge(uint64_t raddr, uint32_t rkey, uint64_t addr, uint64_t wr_id)
{
	struct dvx_sge sge = {addr, 4096, 7};
	int err = dvx_post_write(&sq, raddr, rkey, &sge, 1, wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* Four, of which the compiler knows nothing. */
static const struct dvx_sge many_sge[] = {
	{1 << 12, 64, 7}, {2 << 12, 64, 7}, {3 << 12, 64, 7}, {4 << 12, 64, 7}};

NOINLINE int post_write_sge4(uint64_t raddr, uint32_t rkey, const struct dvx_sge *sge,
			     uint64_t wr_id)
{
	int err = dvx_post_write(&sq, raddr, rkey, sge, 4, wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

NOINLINE int post_dma(uint64_t dst, uint32_t lkey, uint64_t src, uint64_t wr_id)
{
	int err = dvx_post_dma(&sq, dst, lkey, src, lkey, 1 << 20, wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* A ring full of completions, one after the other: poll, retire, cookie, consumer index. */
NOINLINE uint64_t poll_all(void)
{
	struct dvx_wc wc;
	uint64_t sum = 0;

	while (dvx_sq_poll(&sq, &wc) > 0)
		sum ^= wc.wr_id;
	return sum;
}

/* A poll of up to 16 at a time. */
NOINLINE uint64_t poll_many_all(void)
{
	uint64_t ids[16], sum = 0;
	struct dvx_wc wc;
	int n;

	while ((n = dvx_sq_poll_many(&sq, ids, 16, &wc)) > 0)
		sum ^= ids[0];
	return sum;
}

/* Packets, plain or in compressed sessions, by up to n at a time. */
NOINLINE uint64_t rx_many_all(uint32_t n)
{
	struct dvx_rx rx[BLOCKS];
	struct dvx_wc wc;
	uint64_t sum = 0;

	while (dvx_rq_poll_many(&rq, rx, n, &wc) > 0)
		sum ^= rx[0].byte_count;
	return sum;
}

/* A poll by its separate steps, for CQs that serve more than one queue. */
NOINLINE uint64_t peek_all(void)
{
	const void *cqe;
	uint64_t sum = 0;

	while ((cqe = dvx_cq_peek(&cq)) && !dvx_cqe_is_error(cqe)) {
		sum ^= dvx_sq_retire(&sq, dvx_cqe_wqe_index(cqe));
		dvx_cq_pop(&cq);
	}
	return sum;
}

/*
 * A ring full of packets: for each the cookie, its length and flow tag, its room posted again, the
 * CQE given back; one doorbell record for all of them.
 */
NOINLINE uint64_t receive_all(struct dvx_cq *c, struct dvx_rq *r)
{
	const void *cqe;
	uint64_t sum = 0;

	while ((cqe = dvx_cq_peek(c)) && !dvx_cqe_is_error(cqe)) {
		uint64_t room = dvx_rq_retire(r);
		struct dvx_sge sge = {room << 11, 2048, 7};

		sum += dvx_cqe_byte_count(cqe) ^ dvx_cqe_flow_tag(cqe);
		dvx_rq_post(r, &sge, 1, room);
		dvx_cq_pop(c);
	}
	dvx_rq_ring(r);
	return sum;
}

/* A receive whose room is posted again as it was. */
NOINLINE uint64_t repost_all(struct dvx_cq *c, struct dvx_rq *r)
{
	const void *cqe;
	uint64_t sum = 0;

	while ((cqe = dvx_cq_peek(c)) && !dvx_cqe_is_error(cqe)) {
		sum += dvx_rq_retire(r);
		sum += dvx_cqe_byte_count(cqe) ^ dvx_cqe_flow_tag(cqe);
		dvx_rq_repost(r);
		dvx_cq_pop(c);
	}
	dvx_rq_ring(r);
	return sum;
}

/* A receive of one piece. */
NOINLINE int recv_post(const struct dvx_sge *sge, uint64_t wr_id)
{
	return dvx_rq_post(&rq, sge, 1, wr_id);
}

/* A raw packet of 64 bytes: 18 in the WQE, the rest from memory; with its doorbell. */
NOINLINE int post_eth(const void *header, uint64_t addr, uint32_t lkey, uint64_t wr_id)
{
	struct dvx_sge sge = {addr, 46, lkey};
	int err = dvx_post_eth(&sq, header, DVX_ETH_HEADER, &sge, 1, wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* Sixteen packets by one request. */
NOINLINE int post_multi(const struct dvx_sge *packets, uint64_t wr_id)
{
	int err = dvx_post_eth_multi(&sq, packets, 16, wr_id, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(&sq);
	return err;
}

/* Is there anything? */
NOINLINE bool poll_empty(const struct dvx_cq *c)
{
	return dvx_cq_peek(c) != NULL;
}

/* The address of a rule's next flow. */
NOINLINE int match_ipv4(uint32_t addr)
{
	static struct dvx_flow_match match;

	return dvx_flow_match_ipv4(&match, DVX_FLOW_OUTER, DVX_FLOW_DST, addr, 32);
}

static void setup(void)
{
	struct dvx_rq_memory r = {.size = sizeof(r),
				  .entries = BLOCKS,
				  .buf = rq_buf,
				  .wr_ids = rooms,
				  .dbrec = rq_dbrec,
				  .stride = DVX_SEG,
				  .cq = &cq};
	struct dvx_sge room = {1 << 11, 2048, 7};
	uint64_t i;

	memset(cq_buf, 0, sizeof(cq_buf));
	rings_init();
	if (dvx_rq_init(&rq, &r))
		exit(99);
	for (i = 0; i < BLOCKS; i++)
		dvx_rq_post(&rq, &room, 1, i);
	sq.mmo_lkey = 1;
}

/* A lap of sessions of n packets. */
static void compress_all(uint32_t lap, uint32_t n)
{
	for (uint32_t i = 0; i < BLOCKS; i += n) {
		prm_cqe64_set_byte_cnt(cq_buf[i], n);
		cq_buf[i][63] =
			(uint8_t)(PRM_CQE_OPCODE_RESP_SEND << 4 | DVX_CQE_FORMAT | (lap & 1));
	}
}

static void post_loop(const char *what, long rounds, int many)
{
	bool template = !strcmp(what, "post_template8");
	struct dvx_sge sixteen[16];
	long i;
	int err;

	for (i = 0; i < 16; i++)
		sixteen[i] = many_sge[i % 4];
	if (template && dvx_template_write_inline(&sq, 2, 8, DVX_SIGNALED, &template8))
		exit(97);
	for (i = 0; i < rounds; i++) {
		if (!strcmp(what, "post_write8"))
			err = post_write8(1, 2, 3, (uint64_t)i);
		else if (template)
			err = post_template8(1, 3, (uint64_t)i);
		else if (!strcmp(what, "post_write8_bf"))
			err = post_write8_bf(1, 2, 3, (uint64_t)i);
		else if (!strcmp(what, "post_batch"))
			err = i % many ? 0 : post_batch(1, 2, 3, (uint64_t)i, many);
		else if (!strcmp(what, "post_multi"))
			err = i % 16 ? 0 : post_multi(sixteen, (uint64_t)i);
		else if (!strcmp(what, "post_write_sge4"))
			err = post_write_sge4(1, 2, many_sge, (uint64_t)i);
		else if (!strcmp(what, "post_write_sge"))
			err = post_write_sge(1, 2, 3, (uint64_t)i);
		else if (!strcmp(what, "post_eth"))
			err = post_eth(rq_buf, 2, 3, (uint64_t)i);
		else
			err = post_dma(1, 2, 3, (uint64_t)i);
		if (err)
			exit(98);
		sq.ci = template ? sq.pi ^ DVX_SQ_TAKEN : sq.pi;
	}
}

static int budget_row(const char *what, long rounds, uint32_t many, uint32_t session)
{
	long i;

	if (!strncmp(what, "post", 4))
		post_loop(what, rounds, (int)many);
	for (i = 0; i < rounds; i++) {
		if (!strcmp(what, "poll_empty") && poll_empty(&cq))
			return 97;
		if (!strcmp(what, "recv_post")) {
			rq.limit = rq.pi + BLOCKS;
			if (recv_post(many_sge, (uint64_t)i))
				return 95;
		}
		if (!strcmp(what, "match_ipv4") && match_ipv4((uint32_t)i))
			return 96;
		/* one CQE is one round */
		if (i % BLOCKS || what[strlen(what) - 1] != 'l')
			continue;
		if (session)
			compress_all((uint32_t)(i / BLOCKS), session);
		else
			complete_all((uint32_t)(i / BLOCKS));
		if (what[1] == 'x')
			sink = rx_many_all(many);
		else if (what[0] == 'r')
			sink = what[2] == 'c' ? receive_all(&cq, &rq) : repost_all(&cq, &rq);
		else
			sink = what[1] == 'e'	? peek_all()
			       : what[5] == 'm' ? poll_many_all()
						: poll_all();
		/* what was not polled was not counted */
		if (dvx_cq_index(&cq) != (i + BLOCKS) % 0x1000000)
			return 94;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;

	for (int i = 2, err; i < argc; i++) {
		const char *what = strtok(argv[i], ","), *many = strtok(NULL, ",");
		uint32_t n = many ? (uint32_t)atol(many) : 16;

		setup();
		err = budget_row(what, rounds, n, strtok(NULL, ",") ? n : 0);
		if (err)
			return err;
		row_counted();
	}
	return 0;
}
