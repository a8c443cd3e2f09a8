/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings on plain memory: what a device would see of them. */
#ifndef TESTS_RING_H
#define TESTS_RING_H

#include <dvx/dvx.h>
#include "tests/test.h"

#define RING_BLOCKS 64u
#define RING_QPN    0x123456u

struct plain_sq {
	struct dvx_sq sq;
	struct dvx_sq_slot slots[RING_BLOCKS];
	_Alignas(64) uint8_t buf[RING_BLOCKS][DVX_BLOCK];
	_Alignas(512) uint64_t reg[2][32]; /* the two BlueFlame buffers */
	uint32_t dbrec[2];
};

static inline void plain_sq_init(struct plain_sq *p, uint32_t blocks, uint32_t bf_size)
{
	struct dvx_sq_memory init = {.size = sizeof(init),
				     .blocks = blocks,
				     .buf = p->buf,
				     .slots = p->slots,
				     .dbrec = &p->dbrec[1],
				     .reg = p->reg,
				     .bf_size = bf_size,
				     .qpn = RING_QPN};

	memset(p, 0, sizeof(*p));
	memset(p->buf, 0xee, sizeof(p->buf));
	assert_int_equal(dvx_sq_init(&p->sq, &init), 0);
}

struct plain_cq {
	struct dvx_cq cq;
	_Alignas(64) uint8_t buf[RING_BLOCKS][DVX_CQE_BYTES];
	uint64_t uar[512];
	uint32_t dbrec[2];
	uint32_t pi; /* the device's place */
};

static inline void plain_cq_init_slack(struct plain_cq *p, uint32_t entries, uint32_t slack)
{
	struct dvx_cq_memory init = {.size = sizeof(init),
				     .entries = entries,
				     .buf = p->buf,
				     .dbrec = p->dbrec,
				     .uar = p->uar,
				     .cqn = 0x77,
				     .slack = slack};

	memset(p, 0, sizeof(*p));
	assert_int_equal(dvx_cq_init(&p->cq, &init), 0);
}

static inline void plain_cq_init(struct plain_cq *p, uint32_t entries)
{
	plain_cq_init_slack(p, entries, 0);
}

/* Writes as the device does: the entry, then its owner bit. */
static inline void plain_cq_complete(struct plain_cq *p, uint8_t opcode, uint16_t wqe_index)
{
	uint8_t *cqe = p->buf[p->pi & (p->cq.entries - 1)];

	memset(cqe, 0, DVX_CQE_BYTES - 1);
	prm_cqe64_set_wqe_counter(cqe, wqe_index);
	prm_cqe64_set_user_index(cqe, 0x42);
	prm_cqe64_set_qpn(cqe, RING_QPN);
	cqe[DVX_CQE_BYTES - 1] = (uint8_t)(opcode << 4 | !!(p->pi & p->cq.entries));
	p->pi++;
}

#endif
