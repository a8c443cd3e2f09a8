/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the CQ's rules: when an armed CQ makes an event and when it must not, overflow, owner bits
 * over many turns, and that an unmapped ring affects no other queue. */
#include "tests/test.h"
#include <endian.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "queue_rig.h"
#include "queue/queue.h"

/*
 * Set to watch a CQ. Writes to client memory are then made here, byte by byte: segments in order,
 * each from its end, as a copy within one segment may be. After each byte the watcher checks the
 * next entries: none may be valid before an older one.
 */
static struct rig_cq *watched;
static unsigned int looks;

static bool is_valid(const struct rig_cq *c, uint32_t index)
{
	size_t size = (size_t)1 << c->cq->cqe_log;
	uint32_t n = 1u << c->cq->log_size;
	const uint8_t *cqe = c->ring + (index & (n - 1)) * size + size - 64;

	return prm_cqe64_get_opcode(cqe) != PRM_CQE_OPCODE_INVALID &&
	       prm_cqe64_get_owner(cqe) == !!(index & n);
}

static void look_ahead(const struct rig_cq *c)
{
	bool gap = false;

	for (uint32_t i = 0; i < 16; i++) {
		assert_false(gap && is_valid(c, c->ci + i));
		gap |= !is_valid(c, c->ci + i);
	}
	looks++;
}

static ssize_t write_slowly(const struct iovec *local, const struct iovec *remote, unsigned long n)
{
	const uint8_t *from = local->iov_base;
	ssize_t done = 0;

	for (unsigned long i = 0; i < n; done += (ssize_t)remote[i].iov_len, i++)
		for (size_t at = remote[i].iov_len; at--;) {
			((uint8_t *)remote[i].iov_base)[at] = from[(size_t)done + at];
			look_ahead(watched);
		}
	return done;
}

long __real_syscall(long, ...);
long __wrap_syscall(long, long, void *, unsigned long, void *, unsigned long, unsigned long);
long __wrap_syscall(long number, long pid, void *local, unsigned long nlocal, void *remote,
		    unsigned long nremote, unsigned long flags)
{
	if (watched && number == SYS_process_vm_writev)
		return write_slowly(local, remote, nremote);
	return __real_syscall(number, pid, local, nlocal, remote, nremote, flags);
}

/* The record is parked until the first arm, which may legally write 0. */
TEST(pair, test_first_arm_is_zero)
{
	assert_int_equal(p->ca.dbrec[1], 0xffffffff);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 0);
	assert_int_equal(rig_drain(&p->ca), 1);
	rig_nops(p, 1);
	p->ca.ci = 0; /* arm word 0: sn 0, any, ci 0 */
	rig_arm(&p->ca, 0, false);
	assert_int_equal(rig_events(p), 1);
	assert_int_equal(p->rig.event[0].number, p->ca.cq->o.id);
	assert_int_equal(p->rig.event[0].eqn, 5);
}

/* Every CQE of a collapsed CQ goes to the first entry, with the owner bit of its own lap. */
TEST(pair, test_collapsed)
{
	struct cq *cq = p->ca.cq;

	cq->collapsed = cq->overrun_ignore = true;
	for (uint16_t i = 0; i < 100; i++) {
		rig_nops(p, 1 + i % 3);
		assert_int_equal(prm_cqe64_get_opcode(p->ca.ring), PRM_CQE_OPCODE_REQ);
		assert_int_equal(prm_cqe64_get_wqe_counter(p->ca.ring), (uint16_t)(p->a.sq_pi - 1));
		assert_int_equal(prm_cqe64_get_owner(p->ca.ring), (cq->pi - 1) >> cq->log_size & 1);
		assert_int_equal(prm_cqe64_get_opcode(p->ca.ring + 64), PRM_CQE_OPCODE_INVALID);
	}
}

/* Each arm makes one event; a reported CQE makes no second one. */
TEST(pair, test_one_event)
{
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	/* armed again at the old index: both CQEs are reported already */
	rig_arm(&p->ca, 1, false);
	assert_int_equal(rig_events(p), 2); /* the second NOP is newer than the event */
	rig_arm(&p->ca, 2, false);
	assert_int_equal(rig_events(p), 2);
	rig_drain(&p->ca);
	rig_arm(&p->ca, 3, false);
	assert_int_equal(rig_events(p), 2);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 3);
}

/* A word that is in register and record is one request. */
TEST(pair, test_same_word)
{
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 1);
}

/* A record without its register write is ignored; with a lost register value it counts. */
TEST(pair, test_arm_needs_register)
{
	p->ca.dbrec[1] = htobe32(1u << 28);
	rig_nops(p, 1);
	assert_int_equal(rig_events(p), 0);
	rig_arm(&p->cb, 0, false);
	rig_settle(&p->rig);
	assert_int_equal(rig_events(p), 1);
}

static void send(struct rig_pair *p, bool solicited)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND,
				     solicited ? PRM_WQE_CTRL_FLAG_SOLICITED : 0, 0);

	rig_recv(&p->b, p->dst, 64, rig_key(p->md));
	rig_data(&w, p->src, 8, rig_key(p->ms));
	rig_go(&w);
}

TEST(pair, test_solicited)
{
	rig_arm(&p->cb, 0, true);
	send(p, false);
	assert_int_equal(rig_events(p), 0);
	send(p, true);
	assert_int_equal(rig_events(p), 1);
	rig_drain(&p->cb);
	rig_arm(&p->cb, 1, true);
	send(p, false);
	assert_int_equal(rig_events(p), 1);
	queue_set_state(&p->b.qp->q, QP_ERR); /* a flush is an error: it counts as solicited */
	rig_recv(&p->b, p->dst, 64, rig_key(p->md));
	rig_pass(&p->rig, 1000000000);
	assert_int_equal(rig_events(p), 2);
}

/* When the ring is full, the CQ fails, and the QP with it; old CQEs stay readable. */
TEST(pair, test_overflow)
{
	for (unsigned int i = 0; i < 8; i++)
		rig_nops(p, 8);
	assert_int_equal(p->ca.cq->status, CQ_OK);
	rig_nops(p, 1);
	assert_int_equal(p->ca.cq->status, CQ_OVERFLOW);
	assert_int_equal(p->a.queue->stats->cq_overflow, 1);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_CQ_ERROR), 1);
	assert_int_equal(p->a.qp->q.state, QP_ERR);
	assert_int_equal(rig_drain(&p->ca), 64);
	rig_nops(p, 3);
	assert_int_equal(rig_drain(&p->ca), 0);
}

TEST(pair, test_overrun_ignore)
{
	p->ca.cq->overrun_ignore = true;
	for (unsigned int i = 0; i < 20; i++)
		rig_nops(p, 8);
	assert_int_equal(p->ca.cq->status, CQ_OK);
	assert_int_equal(p->a.qp->q.state, QP_RTS);
}

/* 24-bit indices and owner bits over several turns of the ring, both entry sizes. */
TEST(pair, test_turns)
{
	for (unsigned int i = 0; i < 300; i++) {
		rig_nops(p, 7);
		assert_int_equal(rig_drain(&p->ca), 7);
		send(p, false);
		assert_int_equal(rig_drain(&p->cb), 1);
	}
	assert_true(p->ca.cq->pi > 2000);
}

/* Both entry sizes, over the ring's end, with posted writes before them. */
TEST(pair, test_in_order)
{
	for (unsigned int i = 0; i < 30; i++) {
		watched = &p->ca;
		rig_nops(p, 7);
		assert_int_equal(rig_drain(&p->ca), 7);
		watched = &p->cb;
		for (unsigned int k = 0; k < 5; k++) {
			struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE_IMM, 0, k);

			rig_recv(&p->b, p->dst, 64, rig_key(p->md));
			rig_raddr(&w, p->dst, rig_key(p->md));
			rig_data(&w, p->src, 8, rig_key(p->ms));
			rig_end(&w);
		}
		rig_run(&p->a);
		assert_int_equal(rig_drain(&p->cb), 5);
	}
	watched = NULL;
	assert_true(looks > 30 * (7 * 64 + 5 * 128));
}

/* Pages of a CQ's ring, of an SQ's ring, and of a message are unmapped: errors, nothing worse. */
TEST(pair, test_vanished_cq)
{
	p->ca.cq->ring.offset = (uintptr_t)rig_unmapped(4096);
	rig_nops(p, 1);
	assert_int_equal(p->ca.cq->status, CQ_ERROR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_CQ_ERROR), 1);
	rig_nops(p, 1);
	assert_int_equal(p->a.qp->q.state, QP_ERR);
}

TEST(pair, test_vanished_sq)
{
	p->a.qp->q.ring.offset = (uintptr_t)rig_unmapped(4096);
	rig_nops(p, 1);
	assert_int_equal(p->a.qp->q.state, QP_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_CATAS_ERROR), 1);
}

/* The record is read for its own doorbell, and for one of another queue of the same register. */
TEST(none, test_vanished_record)
{
	for (unsigned int swept = 0; swept < 2; swept++) {
		struct rig_pair *p = rig_pair_open(&rig_rc);

		p->a.qp->q.dbrec = mm_bus(p->rig.mm, (uintptr_t)rig_unmapped(4096));
		if (swept)
			rig_run(&p->b);
		else
			rig_nops(p, 1);
		assert_int_equal(rig_drain(&p->ca), 0);
		assert_int_equal(p->a.qp->q.state, QP_ERR);
		assert_int_equal(p->b.qp->q.state, QP_RTS);
		assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_CATAS_ERROR), 1);
		rig_pair_close(p);
	}
}

/* Receives' record is unmapped when a message comes: the answer is that of a queue in ERR. */
TEST(pair, test_vanished_record_of_receives)
{
	p->b.qp->q.dbrec = mm_bus(p->rig.mm, (uintptr_t)rig_unmapped(4096));
	rig_message(&p->a, SIGNALED, "lost");
	rig_run(&p->a);
	assert_int_equal(p->b.qp->q.state, QP_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_CATAS_ERROR), 1);
}

TEST(pair, test_vanished_data)
{
	uint8_t *m = rig_unmapped(4096);
	struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, m, 4096, MKEY_LR | MKEY_RW);

	rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, 0, m, k, p->src, 4096, p->ms);
	rig_run(&p->a);
	rig_sent(&p->ca, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 1);
	rig_restart(&p->a, &p->b);
	rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, 0, p->dst, p->md, m, 100, k);
	rig_run(&p->a);
	rig_sent(&p->ca, PRM_SYNDROME_LOCAL_PROT_ERR);
	for (uint8_t event = 1; event < PRM_EVENT_WQ_CATAS_ERROR; event++)
		assert_int_equal(rig_count(&p->rig, event), 0);
	rig_mkey_close(k);
}

/* A small WRITE is posted: when it fails it is acknowledged, and only the receiver has an error. */
TEST(pair, test_vanished_posted)
{
	uint8_t *m = rig_unmapped(4096);
	struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, m, 4096, MKEY_RW);

	rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, m, k, p->src, 100, p->ms);
	rig_ring(&p->a);
	rig_pass(&p->rig, 3000000000ull);
	rig_sent(&p->ca, 0);
	assert_int_equal(p->b.qp->q.state, QP_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 1);
	rig_mkey_close(k);
}
