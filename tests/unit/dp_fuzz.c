/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that garbage in rings, records, registers and on the wire never crashes the device, never
 * makes it spin, and never writes where no key allows it. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "dp_rig.h"
#include "queue/queue.h"

static uint64_t rng;

static uint32_t chance(uint32_t of)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 11) % of;
}

static void noise(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		p[i] = (uint8_t)chance(256);
}

static unsigned int rounds(unsigned int normal)
{
	const char *more = getenv("DP_FUZZ_ROUNDS");

	return more ? (unsigned int)strtoul(more, NULL, 10) : normal;
}

static void renew(struct rig_pair *p)
{
	struct rig_qp *both[2] = { &p->a, &p->b };

	for (unsigned int i = 0; i < 2; i++) {
		queue_set_state(&both[i]->qp->q, QP_RST);
		both[i]->sq_pi = both[i]->rq_pi = 0;
		both[i]->dbrec[0] = both[i]->dbrec[1] = 0;
	}
	p->ca.cq->overrun_ignore = p->cb.cq->overrun_ignore = true;
	p->ca.cq->status = p->cb.cq->status = CQ_OK;
	rig_connect(&p->a, &p->b);
}

/* Each WQE is noise, but often begins as a good one: opcode, index, number, ds. */
static void noisy_wqe(struct rig_pair *p)
{
	static const uint8_t ops[] = { 0x00, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x2f, 0x25, 0x01, 0x11 };
	struct rig_wqe w = { .q = &p->a, .ds = 1 + chance(8) };

	noise(w.bytes, sizeof(w.bytes));
	if (chance(8))
		prm_wqe_ctrl_seg_set_opcode(w.bytes, ops[chance(sizeof(ops))]);
	if (chance(16))
		prm_wqe_ctrl_seg_set_wqe_index(w.bytes, p->a.sq_pi);
	if (chance(16))
		prm_wqe_ctrl_seg_set_qpn(w.bytes, p->a.qp->q.o.id);
	if (chance(8))
		prm_wqe_ctrl_seg_set_ds(w.bytes, w.ds);
	for (unsigned int s = 1; s < w.ds; s++) {
		uint8_t *seg = w.bytes + 16 * s;

		if (!chance(3))
			prm_wqe_raddr_seg_pack(seg, .raddr = (uintptr_t)p->dst + chance(RIG_BUF),
					       .rkey = rig_key(p->md));
		else if (chance(3))
			prm_wqe_data_seg_pack(seg, .byte_count = chance(chance(2) ? 100 : RIG_BUF),
					      .lkey = rig_key(p->ms),
					      .addr = (uintptr_t)p->src + chance(RIG_BUF / 2));
	}
	rig_put(&w);
}

static void test_sq_noise(void **state)
{
	struct rig_pair *p = *state;

	rng = 4711;
	p->a.qp->mmo = true;
	for (unsigned int i = 0, n = rounds(400); i < n; i++) {
		renew(p);
		for (unsigned int k = chance(3); k; k--)
			rig_recv(&p->b, p->dst + chance(RIG_BUF), chance(RIG_BUF),
				 chance(4) ? rig_key(p->md) : chance(1u << 31));
		for (unsigned int k = 1 + chance(6); k; k--)
			noisy_wqe(p);
		rig_ring(&p->a);
		rig_pass(&p->rig, 2000000000ull);
	}
}

static void test_pure_noise(void **state)
{
	struct rig_pair *p = *state;

	rng = 815;
	for (unsigned int i = 0, n = rounds(400); i < n; i++) {
		renew(p);
		noise(p->a.ring, 64u * (8 + 16));
		noise(p->b.ring, 64u * (8 + 16));
		p->a.dbrec[0] = chance(1u << 31);
		p->b.dbrec[0] = chance(1u << 31);
		p->a.sq_pi = (uint16_t)chance(65536);
		rig_ring(&p->a);
		queue_doorbell(&p->rig.dev, chance(8), chance(4096),
			    (uint64_t)chance(1u << 31) << 33 | i);
		rig_pass(&p->rig, 1000000000ull);
	}
}

/* Noise in a posted receive. */
static void test_rq_noise(void **state)
{
	struct rig_pair *p = *state;

	rng = 99;
	for (unsigned int i = 0, n = rounds(400); i < n; i++) {
		renew(p);
		rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
		noise(p->b.ring + chance(64), chance(64));
		rig_post(p, PRM_WQE_OPCODE_SEND, 0, 1 + chance(9000));
		rig_ring(&p->a);
		rig_pass(&p->rig, 1000000000ull);
		assert_int_not_equal(p->ca.cq->pi, 0);
	}
}

/* Frames with headers of noise, beside good traffic. */
static void noisy_wire(void *ctx, struct port *port, struct frame *f)
{
	struct frame *bad = frame_copy(f);
	uint32_t len;
	uint8_t *bth = rig_bth(bad, &len);

	(void)ctx;
	noise(bth + chance(len < FRAME_HDR ? len : FRAME_HDR), 1);
	if (chance(2))
		bth[0] = (uint8_t)chance(0x14);
	if (chance(2))
		len = ROCE_BTH + chance(len - ROCE_BTH + 1);
	bth[1] = (uint8_t)((bth[1] & 0xcf) | (-len & 3) << 4);
	rig_reseal(bad, len); /* or nothing would look at it */
	if (!chance(3))
		port_queue(port, bad);
	else
		frame_free(bad);
	port_queue(port, f);
}

static void test_wire_noise(void **state)
{
	struct rig_pair *p = *state;
	static const uint8_t ops[] = { 0x08, 0x0a, 0x10 };

	rng = 1234;
	port_set_hook(p->rig.dev.port, noisy_wire, p);
	for (unsigned int i = 0, n = rounds(300); i < n; i++) {
		renew(p);
		rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
		for (unsigned int k = 0; k < 3; k++)
			rig_post(p, ops[chance(3)], chance(1000), 1 + chance(9000));
		rig_ring(&p->a);
		rig_pass(&p->rig, 1000000000ull);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sq_noise, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(test_pure_noise, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(test_rq_noise, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(test_wire_noise, rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
