/* SPDX-License-Identifier: BSD-2-Clause */
/* A send queue and its CQ in plain memory, whose device is the program. */
#ifndef TESTS_PERF_PLAIN_RINGS_H
#define TESTS_PERF_PLAIN_RINGS_H

#include <stdlib.h>
#include <dvx/dvx.h>

#ifndef BLOCKS
#define BLOCKS 64u
#endif

static struct dvx_sq sq;
static struct dvx_cq cq;
static struct dvx_sq_slot slots[BLOCKS];
static _Alignas(4096) uint8_t sq_buf[BLOCKS][DVX_BLOCK], cq_buf[BLOCKS][DVX_CQE_BYTES];
static _Alignas(4096) uint64_t uar[512];
static _Alignas(64) uint32_t sq_dbrec[16], cq_dbrec[16];

static void rings_init(void)
{
	struct dvx_sq_memory s = {.size = sizeof(s),
				  .blocks = BLOCKS,
				  .buf = sq_buf,
				  .slots = slots,
				  .dbrec = sq_dbrec,
				  .reg = uar + 256,
				  .bf_size = 256,
				  .qpn = 0x1234,
				  .cq = &cq};
	struct dvx_cq_memory c = {.size = sizeof(c),
				  .entries = BLOCKS,
				  .buf = cq_buf,
				  .dbrec = cq_dbrec,
				  .uar = uar,
				  .slack = BLOCKS / 4};

	if (dvx_sq_init(&sq, &s) || dvx_cq_init(&cq, &c))
		exit(99);
}

/* Ends the part of the counts that is of one row of budget.sh. */
__attribute__((noipa)) void row_counted(void)
{
}

/* Writes a lap of CQEs: every entry completes the WQE of its number. */
static void complete_all(uint32_t lap)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		prm_cqe64_set_wqe_counter(cq_buf[i], i);
		cq_buf[i][63] = (uint8_t)(PRM_CQE_OPCODE_REQ << 4 | (lap & 1));
	}
}

#endif
