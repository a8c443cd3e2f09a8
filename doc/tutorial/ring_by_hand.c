/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One RDMA WRITE without any call: its WQE's bytes, the doorbell record, the doorbell register, and
 * the CQE's owner bit, all by plain loads and stores. Then the same by libdvx's inline calls, whose
 * WQE must have the same bytes. The objects are libdvx's.
 *
 *	cc -o ring_by_hand ring_by_hand.c -ldvx -lmlx5 -libverbs	(in the tutorial's shell)
 *	dvx-sim run -- ./ring_by_hand
 */
#include <endian.h>
#include "example.h"

enum { BLOCK = 64, RDMA_WRITE = 8, SIGNALED = 2 << 2, TEXT = 6 };

static _Alignas(4096) char memory[4096] = "hello";

static struct dvx_qp *self_connected(struct example *x, struct dvx_cq *cq)
{
	struct dvx_qp_attr attr = {
		.size = sizeof(attr), .pd = x->pd, .uar = x->uar, .send_cq = cq, .sq_blocks = 64};
	struct dvx_qp *qp;

	must(dvx_qp_create(x->dev, &attr, &qp), "qp");
	must(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE), "connect");
	return qp;
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void put64(uint8_t *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

/* Three segments of 16 bytes: what, where to, where from. */
static void write_wqe(uint8_t *wqe, uint32_t index, uint32_t qpn, uint32_t key)
{
	put32(wqe + 0, (index & 0xffff) << 8 | RDMA_WRITE);
	put32(wqe + 4, qpn << 8 | 3); /* ds: length in segments */
	put32(wqe + 8, SIGNALED);
	put32(wqe + 12, 0);
	put64(wqe + 16, (uintptr_t)memory + 2048);
	put32(wqe + 24, key);
	put32(wqe + 28, 0);
	put32(wqe + 32, TEXT);
	put32(wqe + 36, key);
	put64(wqe + 40, (uintptr_t)memory);
}

/* The record says how far the ring is filled; the register makes the NIC look. */
static void ring(uint32_t *record, volatile uint64_t *reg, uint32_t filled, const uint8_t *wqe)
{
	uint64_t head;

	memcpy(&head, wqe, sizeof(head));
	dvx_barrier_wqe_to_record();
	*(volatile uint32_t *)record = htobe32(filled & 0xffff);
	dvx_barrier_record_to_register();
	*reg = head;
	dvx_barrier_register_flush();
}

/* The last byte: opcode in the upper half, owner bit at the bottom, which is 0 in the first lap. */
static uint8_t wait_cqe(const uint8_t *cqe)
{
	const volatile uint8_t *last = cqe + 63;

	while (*last >> 4 == 0xf || *last & 1)
		;
	dvx_barrier_owner_to_cqe();
	return *last >> 4;
}

static void by_hand(struct dvx_sq *sq, struct dvx_cq *cq, uint32_t key)
{
	write_wqe(sq->buf, 0, sq->qpn, key);
	ring(sq->dbrec, (volatile uint64_t *)sq->reg, 1, sq->buf);
	printf("by hand: CQE of opcode %u for WQE %u, \"%s\"\n", wait_cqe(cq->first),
	       dvx_cqe_wqe_index(cq->first), memory + 2048);
}

static void by_calls(struct dvx_sq *sq, struct dvx_cq *cq, uint32_t key)
{
	struct dvx_sge piece = {(uintptr_t)memory, TEXT, key};
	struct dvx_wc wc = {0};

	must(dvx_post_write(sq, (uintptr_t)memory + 2048, key, &piece, 1, 42, DVX_SIGNALED),
	     "post");
	dvx_sq_ring(sq);
	if (example_next(cq, &wc) != 1)
		exit(1);
	printf("by calls: request %llu, \"%s\"\n", (unsigned long long)wc.wr_id, memory + 2048);
}

int main(int argc, char **argv)
{
	uint8_t mine[48];
	struct dvx_qp *hand, *calls;
	struct dvx_cq *cq[2];
	struct example x;
	uint32_t key;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	key = example_key(&x, memory, sizeof(memory), DVX_LOCAL_WRITE | DVX_REMOTE_WRITE);
	cq[0] = example_cq(&x);
	cq[1] = example_cq(&x);
	hand = self_connected(&x, cq[0]);
	calls = self_connected(&x, cq[1]);

	by_hand(dvx_qp_sq(hand), cq[0], key);
	memset(memory + 2048, 0, TEXT);
	by_calls(dvx_qp_sq(calls), cq[1], key);

	write_wqe(mine, 0, dvx_qp_sq(calls)->qpn, key);
	printf("the bytes are %s\n",
	       memcmp(mine, dvx_qp_sq(calls)->buf, sizeof(mine)) ? "different" : "the same");
	return 0; /* all objects end with the process */
}
