/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "atomic.h"
#include "transport.h"
#include "obj/mkey.h"
#include "obj/qp.h"
#include "obj/vhca.h"
#include "queue/services.h"

/* AtomicETH (IBTA vol. 1, 9.3.4), followed by a masked atomic's own part. */
enum {
	AT_VA = 0,
	AT_RKEY = 8,
	AT_VALUE = 12,
	AT_COMPARE = 20,
	AT_MASK = 28,
	AT_COMPARE_MASK = 36,
	AT_SIZE = 44,
};

static void atomic_put64(uint8_t *p, uint64_t v)
{
	v = htobe64(v);
	memcpy(p, &v, sizeof(v));
}

static uint64_t atomic_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

uint8_t atomic_opcode(const struct send_wr *wr)
{
	switch (wr->opcode) {
	case PRM_WQE_OPCODE_ATOMIC_CS:
		return BTH_COMPARE_SWAP;
	case PRM_WQE_OPCODE_ATOMIC_FA:
		return BTH_FETCH_ADD;
	case PRM_WQE_OPCODE_ATOMIC_MASKED_CS:
		return BTH_MASKED_CS;
	default:
		return BTH_MASKED_FA;
	}
}

void atomic_request(struct bth_packet *p, const struct send_wr *wr, uint8_t hdr[MASKED_ETH_LEN])
{
	struct dma_atomic a;

	wr_atomic(wr, &a);
	atomic_put64(hdr + AT_VA, wr->raddr);
	bth_put32(hdr + AT_RKEY, wr->rkey);
	atomic_put64(hdr + AT_VALUE, a.value);
	atomic_put64(hdr + AT_COMPARE, a.compare);
	atomic_put64(hdr + AT_MASK, a.mask);
	atomic_put64(hdr + AT_COMPARE_MASK, a.compare_mask);
	bth_put32(hdr + AT_SIZE, a.size);
	p->opcode = p->last_opcode = atomic_opcode(wr);
	p->atomic = hdr;
}

void atomic_response(struct bth_packet *p, uint64_t old, uint8_t hdr[ATOMIC_ACK_LEN])
{
	atomic_put64(hdr, old);
	p->opcode = p->last_opcode = BTH_ATOMIC_ACK;
	p->atomic = hdr;
}

uint64_t atomic_answer(const struct bth_packet *p)
{
	return atomic_get64(p->atomic);
}

/* --- the responder --------------------------------------------------------------------------- */

static struct dma_atomic atomic_operands(const struct bth_packet *p)
{
	const uint8_t *hdr = p->atomic, op = p->opcode % BTH_OPS;
	const bool masked = op == BTH_MASKED_CS || op == BTH_MASKED_FA;
	struct dma_atomic a = {
		.add = op == BTH_FETCH_ADD || op == BTH_MASKED_FA,
		.size = 8,
		.value = atomic_get64(hdr + AT_VALUE),
		.compare = atomic_get64(hdr + AT_COMPARE),
	};

	if (masked) {
		a.size = hdr[AT_SIZE + 3];
		a.mask = atomic_get64(hdr + AT_MASK);
		a.compare_mask = atomic_get64(hdr + AT_COMPARE_MASK);
	} else if (!a.add) {
		a.mask = a.compare_mask = UINT64_MAX;
	}
	return a;
}

/* Checks qpc.atomic_mode. Modes for more than 8 bytes allow all sizes that the device has. */
static bool atomic_size_taken(const struct qp *qp, uint8_t size)
{
	if (size == 8)
		return qp->atomic_mode != PRM_QPC_ATOMIC_MODE_NONE;
	return size == 4 && qp->atomic_mode >= PRM_QPC_ATOMIC_MODE_UP_TO_8B;
}

bool atomic_allowed(const struct qp *qp, uint8_t size, uint64_t va)
{
	return qp->rae && atomic_size_taken(qp, size) && !(va % size);
}

struct atomic_result atomic_take(struct qp *qp, const struct bth_packet *p)
{
	const struct dma_atomic a = atomic_operands(p);
	const uint64_t va = atomic_get64(p->atomic + AT_VA);
	struct atomic_result r = {.end = ATOMIC_INVALID};
	bool aligned;

	if (!qp->rae)
		return (struct atomic_result){ATOMIC_FORBIDDEN, "an atomic, but qpc.rae is clear",
					      0};
	if (p->len)
		r.why = "an atomic with a payload";
	else if (!atomic_size_taken(qp, a.size))
		r.why = "an atomic of a size that qpc.atomic_mode does not allow";
	else if (va % a.size)
		r.why = "an atomic at an address that is not a multiple of its size";
	if (r.why)
		return r;
	(void)queue_page_fault(&qp->q);
	if (remote_atomic(&qp->q, bth_get32(p->atomic + AT_RKEY), va, &a, &r.old, &aligned))
		r.end = ATOMIC_OK;
	else if (queue_page_fault(&qp->q))
		return (struct atomic_result){.end = ATOMIC_NO_PAGE};
	qp->q.stats->rx_atomic_requests++;
	if (r.end == ATOMIC_OK)
		return (struct atomic_result){.old = r.old};
	r.end = aligned ? ATOMIC_FORBIDDEN : ATOMIC_INVALID;
	r.why = aligned ? "AtomicETH" : "an atomic whose memory is not aligned to its size";
	return r;
}
