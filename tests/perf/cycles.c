/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cycles of the hot path on plain memory, beside loops written by hand for one request each: what
 * no library can go below, and libmlx5's. Instruction counts (budget.c) do not see stalls; these do. Each figure
 * is the least of many runs.
 */
#include <stdio.h>
#include <x86intrin.h>
#include "cycles.h"
#include "plain_rings.h"

#define RUNS 20000

static volatile uint64_t sink;

/* ---- WRITE of 8 inline bytes and its doorbell ---- */

/* By hand: the constants of the queue in registers, no cookies, no check for room. */
static inline __attribute__((always_inline)) void by_hand(const struct request *r, bool blueflame)
{
	uint64_t head = prm_swap64((uint64_t)PRM_WQE_OPCODE_RDMA_WRITE << 32 | 0x1234 << 8 | 3);
	volatile uint64_t *reg = uar + 256;

	for (uint64_t pi = 0; pi < BLOCKS; pi++) {
		uint64_t *wqe = (uint64_t *)sq_buf[pi], h = head | prm_swap64(pi << 40);
		uint32_t header = prm_swap32(1u << 31 | 8);

		wqe[0] = h;
		wqe[1] = prm_swap64(8ull << 32);
		wqe[2] = prm_swap64(r->raddr);
		wqe[3] = prm_swap64((uint64_t)r->rkey << 32);
		memcpy(wqe + 4, &header, 4);
		memcpy((uint8_t *)(wqe + 4) + 4, &r->value, 8);
		DVX_ORDER_STORES();
		*(volatile uint32_t *)sq_dbrec = prm_swap32((uint32_t)pi + 1);
		DVX_ORDER_WC();
		if (blueflame)
			dvx_register_block(reg, wqe);
		else
			*reg = h;
		DVX_ORDER_WC();
	}
}

NOINLINE static void floor_post(const struct request *r)
{
	by_hand(r, false);
}

NOINLINE static void dvx_post(const struct request *r)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		dvx_post_write_inline(&sq, r->raddr, r->rkey, &r->value, 8, i, DVX_SIGNALED);
		dvx_sq_ring(&sq);
	}
}

NOINLINE static void local_post(const struct request *r)
{
	struct dvx_sq batch = dvx_sq_begin(&sq);

	for (uint32_t i = 0; i < BLOCKS; i++) {
		dvx_post_write_inline(&batch, r->raddr, r->rkey, &r->value, 8, i, DVX_SIGNALED);
		dvx_sq_ring(&batch);
	}
	dvx_sq_end(&sq, &batch);
}

/* Posts as a loop does: ring and template in registers. */
static struct dvx_template template8;

NOINLINE static void template_post(const struct request *r)
{
	struct dvx_sq batch = dvx_sq_begin(&sq);
	struct dvx_template t = template8;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		dvx_template_post_inline(&batch, &t, r->raddr, &r->value, 8, i);
		dvx_sq_ring(&batch);
	}
	dvx_sq_end(&sq, &batch);
}

NOINLINE static void template_batch(const struct request *r)
{
	struct dvx_sq batch = dvx_sq_begin(&sq);
	struct dvx_template t = template8;

	for (uint32_t i = 0; i < BLOCKS; i++)
		dvx_template_post_inline(&batch, &t, r->raddr, &r->value, 8, i);
	dvx_sq_end(&sq, &batch);
	dvx_sq_ring(&sq);
}

NOINLINE static void bf_hand(const struct request *r)
{
	by_hand(r, true);
}

NOINLINE static void bf_post(const struct request *r)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		dvx_post_write_inline(&sq, r->raddr, r->rkey, &r->value, 8, i, DVX_SIGNALED);
		dvx_sq_ring_bf(&sq);
	}
}

NOINLINE static void batch_post(const struct request *r)
{
	struct dvx_sq batch = dvx_sq_begin(&sq);

	for (uint32_t i = 0; i < BLOCKS; i++)
		dvx_post_write_inline(&batch, r->raddr, r->rkey, &r->value, 8, i, DVX_SIGNALED);
	dvx_sq_end(&sq, &batch);
	dvx_sq_ring(&sq);
}

NOINLINE static void floor_batch(const struct request *r)
{
	uint64_t head = prm_swap64((uint64_t)PRM_WQE_OPCODE_RDMA_WRITE << 32 | 0x1234 << 8 | 3);
	volatile uint64_t *reg = uar + 256;

	for (uint64_t pi = 0; pi < BLOCKS; pi++) {
		uint64_t *wqe = (uint64_t *)sq_buf[pi];
		uint32_t header = prm_swap32(1u << 31 | 8);

		wqe[0] = head | prm_swap64(pi << 40);
		wqe[1] = prm_swap64(8ull << 32);
		wqe[2] = prm_swap64(r->raddr);
		wqe[3] = prm_swap64((uint64_t)r->rkey << 32);
		memcpy(wqe + 4, &header, 4);
		memcpy((uint8_t *)(wqe + 4) + 4, &r->value, 8);
		DVX_ORDER_STORES();
	}
	*(volatile uint32_t *)sq_dbrec = prm_swap32(BLOCKS);
	DVX_ORDER_WC();
	*reg = head;
	DVX_ORDER_WC();
}

/* ---- polls of a ring full of CQEs ---- */

NOINLINE static void floor_poll(const struct request *r)
{
	uint64_t sum = 0;
	uint32_t ci = 0;

	for (; ci < BLOCKS; ci++) {
		const uint8_t *cqe = cq_buf[ci];

		if ((cqe[63] & 1) != (r->len & 1) || cqe[63] >> 4)
			return;
		DVX_ORDER_LOADS();
		sum ^= slots[prm_load16(cqe, 60) & (BLOCKS - 1)].wr_id;
		*(volatile uint32_t *)cq_dbrec = prm_swap32(ci + 1);
	}
	sink = sum;
}

NOINLINE static void dvx_poll(const struct request *r)
{
	struct dvx_wc wc;
	uint64_t sum = r->value;

	while (dvx_sq_poll(&sq, &wc) > 0)
		sum ^= wc.wr_id;
	sink = sum;
}

NOINLINE static void many_poll(const struct request *r)
{
	uint64_t ids[16], sum = r->value;
	struct dvx_wc wc;
	int n;

	while ((n = dvx_sq_poll_many(&sq, ids, 16, &wc)) > 0)
		for (int i = 0; i < n; i++)
			sum ^= ids[i];
	sink = sum;
}

static void prepare_posts(void)
{
	sq.ci = sq.pi = 0;
}

static void prepare_template(void)
{
	prepare_posts();
	if (dvx_template_write_inline(&sq, 3, 8, DVX_SIGNALED, &template8))
		exit(99);
}

static void prepare_polls(void)
{
	prepare_posts();
	complete_all(dvx_cq_index(&cq) / BLOCKS);
}

/* floor_poll() has one lap only. */
static void prepare_floor_poll(void)
{
	complete_all(0);
}

static double least(void (*f)(const struct request *), void (*prepare)(void))
{
	struct request r = {0x1000, 2, 3, 4, 0};
	uint64_t best = UINT64_MAX, t;
	unsigned int aux;

	for (int i = 0; i < RUNS; i++) {
		prepare();
		__asm__ volatile("" : "+m"(r));
		_mm_lfence();
		t = __rdtsc();
		_mm_lfence();
		f(&r);
		t = __rdtscp(&aux) - t;
		if (t < best)
			best = t;
	}
	return (double)best / BLOCKS;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*f)(const struct request *);
		void (*prepare)(void);
	} rows[] = {
		{"post by hand", floor_post, prepare_posts},
		{"post", dvx_post, prepare_posts},
		{"post on a batch's copy", local_post, prepare_posts},
		{"post from a template", template_post, prepare_template},
		{"BlueFlame by hand", bf_hand, prepare_posts},
		{"post by BlueFlame", bf_post, prepare_posts},
		{"ibv_wr_*", verbs_wr, verbs_empty},
		{"ibv_post_send", verbs_post_send, verbs_empty},
		{"one of 64 by hand", floor_batch, prepare_posts},
		{"one of a batch of 64", batch_post, prepare_posts},
		{"one of a template's batch", template_batch, prepare_template},
		{"one of a batch of ibv_wr_*", verbs_wr_batch, verbs_empty},
		{"poll by hand", floor_poll, prepare_floor_poll},
		{"poll", dvx_poll, prepare_polls},
		{"poll of up to 16", many_poll, prepare_polls},
		{"ibv_poll_cq", verbs_poll, verbs_full},
	};

	double floor = 1;

	rings_init();
	if (!verbs_setup()) {
		fprintf(stderr, "cycles: libmlx5 has no device\n");
		return 1;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double cycles = least(rows[i].f, rows[i].prepare);

		if (strstr(rows[i].name, "by hand"))
			floor = cycles;
		printf("%-28s %6.2f cycles, %.2f of by hand\n", rows[i].name, cycles,
		       cycles / floor);
	}
	return 0;
}
