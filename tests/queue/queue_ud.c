/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that datagrams reach the queue pair, or the rig_mgid, that their address vector names,
 * with the headers that a receiver reads before the message; and that any error in one is the
 * sender's error or a silent, counted drop.
 */
#include "tests/test.h"
#include <errno.h>
#include "queue_rig.h"
#include "chip/datapath.h"
#include "obj/mcg.h"
#include "queue/queue.h"
#include "transport/transport.h"

#define GRH 40u

static struct rig_wqe datagram(struct rig_pair *p, uint8_t opcode, uint32_t imm)
{
	struct rig_wqe w = rig_begin(&p->a, opcode, SIGNALED | PRM_WQE_CTRL_FLAG_SOLICITED, imm);

	rig_av(&w, &p->b);
	return w;
}

static void post(struct rig_pair *p, struct rig_wqe *w, uint32_t len)
{
	if (len)
		rig_data(w, p->src, len, rig_key(p->ms));
	rig_go(w);
}

static void give(struct rig_pair *p, uint32_t len)
{
	memset(p->dst, 0xee, GRH + 4096);
	rig_recv(&p->b, p->dst, len, rig_key(p->md));
}

/* Posts a datagram that its sender completes well. */
static void deliver(struct rig_pair *p, struct rig_wqe *w, uint32_t len)
{
	post(p, w, len);
	rig_sent(&p->ca, 0);
}

/* Sends a good message; returns its receive's CQE. */
static const uint8_t *arrives(struct rig_pair *p, uint32_t len)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	const uint8_t *cqe;

	deliver(p, &w, len);
	cqe = rig_cqe(&p->cb);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), GRH + len);
	assert_memory_equal(p->dst + GRH, p->src, len);
	return cqe;
}

static uint64_t drops(const struct rig_pair *p)
{
	return p->b.queue->o.vhca->stats->queues.out_of_buffer;
}

/* --- what arrives ---------------------------------------------------------------------------- */

/* At every length: bytes and CQE, with and without immediate data. */
TEST(pair_ud_dpu, messages)
{
	static const uint32_t lengths[] = {0, 1, 3, 4, 255, 1000, 1023, 1024};

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		bool imm = i % 2;
		struct rig_wqe w = datagram(p, imm ? PRM_WQE_OPCODE_SEND_IMM : PRM_WQE_OPCODE_SEND,
					    0x11223344);
		const uint8_t *cqe;

		give(p, GRH + lengths[i]);
		deliver(p, &w, lengths[i]);
		cqe = rig_cqe(&p->cb);
		assert_int_equal(prm_cqe64_get_opcode(cqe),
				 imm ? PRM_CQE_OPCODE_RESP_SEND_IMM : PRM_CQE_OPCODE_RESP_SEND);
		assert_int_equal(prm_cqe64_get_immediate(cqe), imm ? 0x11223344 : 0);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), GRH + lengths[i]);
		assert_int_equal(prm_cqe64_get_rqpn(cqe), p->a.queue->o.id);
		assert_int_equal(prm_cqe64_get_g(cqe), 1);
		assert_int_equal(prm_cqe64_get_slid(cqe), 0);
		assert_int_equal(prm_cqe64_get_se(cqe), 1);
		assert_memory_equal(p->dst + GRH, p->src, lengths[i]);
		assert_int_equal(p->dst[GRH + lengths[i]], 0xee);
	}
}

struct seen {
	unsigned int frames;
	uint32_t len;
	uint8_t bytes[2048];
};

static void see(void *ctx, struct port *port, struct frame *f)
{
	struct seen *s = ctx;

	s->frames++;
	s->len = f->len;
	memcpy(s->bytes, f->data, f->len);
	port_queue(port, f);
}

/*
 * RoCE v1, v2 over IPv6 and IPv4: the receiver finds the header of the wire, whether or not the
 * wire was observed. DETH has Q_Key and source.
 */
TEST(pair_ud_dpu, headers)
{
	static const struct {
		uint8_t gid, network;
		uint32_t bytes;
	} kinds[] = {{0, 0, 40}, {1, 1, 40}, {3, 2, 20}};

	for (unsigned int i = 0; i < 3; i++) {
		const uint32_t n = kinds[i].bytes, udp = kinds[i].network ? 8 : 0;
		static const uint8_t none[20];
		struct seen s = {0};
		const uint8_t *deth = s.bytes + 14 + n + udp + 12;

		p->a.qp->gid_index = kinds[i].gid;
		for (unsigned int look = 2; look--;) {
			port_set_hook(p->rig.dev.port, look ? see : NULL, &s);
			give(p, GRH + 100);
			assert_int_equal(prm_cqe64_get_sl(arrives(p, 100)), kinds[i].network);
			assert_memory_equal(p->dst + GRH - n, s.bytes + 14, n);
			assert_memory_equal(p->dst, none, GRH - n);
		}
		assert_int_equal(s.frames, 1);
		assert_int_equal(deth[-12], 0x64);
		assert_int_equal(prm_load32(deth, 0), RIG_QKEY);
		assert_int_equal(prm_load32(deth, 4), p->a.queue->o.id);
	}
	assert_int_equal(p->dst[GRH - 20 + 8], 7);
	assert_int_equal(p->dst[GRH - 20 + 1], 0x58);
}

/* From a GID of a VLAN: the packet has tag and priority, and the receiver finds them in its CQE. */
TEST(pair_ud_dpu, vlan)
{
	uint8_t gid[16] = {0xfd, [15] = 1};
	struct seen s = {0};

	for (unsigned int i = 0; i < 2; i++, gid[15]++)
		assert_int_equal(vhca_gid_add_vlan(i ? p->b.queue->o.vhca : p->a.queue->o.vhca, gid,
						   64, 10, "x.10"),
				 0);
	p->a.qp->gid_index = VHCA_OWN_GIDS + 1;
	for (unsigned int looked = 0; looked < 2; looked++) {
		struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
		const uint8_t *cqe;

		prm_av_set_sl(w.bytes + 16, 3 << 1);
		port_set_hook(p->rig.dev.port, looked ? see : NULL, &s);
		give(p, GRH + 8);
		deliver(p, &w, 8);
		cqe = rig_cqe(&p->cb);
		assert_int_equal(prm_cqe64_get_vlan(cqe), 1);
		assert_int_equal(prm_cqe64_get_vlan_info(cqe), 3 << 13 | 10);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), GRH + 8);
	}
	port_set_hook(p->rig.dev.port, NULL, NULL);
	assert_memory_equal(s.bytes + 12, ((uint8_t[]){0x81, 0, 0x60, 10}), 4);
	p->a.qp->gid_index = 1;
	give(p, GRH + 8);
	assert_int_equal(prm_cqe64_get_vlan(arrives(p, 8)), 0);
}

/* Inline and gathered pieces, in one WQE that wraps around the ring's end. */
TEST(pair_ud_dpu, lists)
{
	for (unsigned int i = 0; i < 20; i++) {
		struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);

		give(p, 1024);
		rig_inline(&w, "behind ", 7);
		rig_data(&w, p->src + 5, 60, rig_key(p->ms));
		rig_inline(&w, p->src + 500, 90);
		deliver(p, &w, 0);
		assert_int_equal(prm_cqe64_get_byte_cnt(rig_poll(&p->cb)), GRH + 157);
		assert_memory_equal(p->dst + GRH, "behind ", 7);
		assert_memory_equal(p->dst + GRH + 7, p->src + 5, 60);
		assert_memory_equal(p->dst + GRH + 67, p->src + 500, 90);
	}
}

/* Datagrams also reach the sender itself, and another queue of its function. */
TEST(pair_ud, loopback)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	give(p, GRH + 8);
	arrives(p, 8);
	rig_recv(&p->a, p->dst, GRH + 8, rig_key(p->md));
	rig_av(&w, &p->a);
	deliver(p, &w, 8);
	assert_int_equal(prm_cqe64_get_rqpn(rig_poll(&p->ca)), p->a.queue->o.id);
}

/* --- Q_Keys ---------------------------------------------------------------------------------- */

/* A wrong key drops the message and counts; bit 31 sends the queue pair's own. */
TEST(pair_ud_dpu, qkeys)
{
	static const struct {
		uint32_t sent, own, receiver;
		bool good;
	} keys[] = {{5, 6, 5, true},
		    {5, 6, 6, false},
		    {0x80000000, 9, 9, true},
		    {0x80000009, 8, 9, false},
		    {0, 1, 0, true}};
	const struct vhca *v = p->b.queue->o.vhca;

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
		uint32_t before = v->qkey_violations;

		give(p, 100);
		p->a.qp->qkey = keys[i].own;
		p->b.qp->qkey = keys[i].receiver;
		prm_av_set_qkey(w.bytes + 16, keys[i].sent);
		deliver(p, &w, 8);
		assert_int_equal(!!rig_poll(&p->cb), keys[i].good);
		assert_int_equal(v->qkey_violations, before + !keys[i].good);
	}
}

/* --- errors ---------------------------------------------------------------------------------- */

/* A failed send stops only the send queue: SQER, from which it goes on. */
TEST(pair_ud_dpu, send_errors)
{
	static const uint8_t syndrome[] = {
		PRM_SYNDROME_LOCAL_LENGTH_ERR, PRM_SYNDROME_LOCAL_PROT_ERR,
		PRM_SYNDROME_LOCAL_QP_OP_ERR, PRM_SYNDROME_LOCAL_QP_OP_ERR};

	for (unsigned int i = 0; i < sizeof(syndrome); i++) {
		struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0), next;

		if (i == 2)
			prm_av_set_ext(w.bytes + 16, 0);
		if (i == 3)
			prm_av_set_src_addr_index(w.bytes + 16, 77);
		rig_data(&w, p->src, i ? 1024 : 1025, i == 1 ? 0xbad00 : rig_key(p->ms));
		rig_end(&w);
		next = datagram(p, PRM_WQE_OPCODE_SEND, 0);
		post(p, &next, 8);
		rig_sent(&p->ca, syndrome[i]);
		rig_sent(&p->ca, PRM_SYNDROME_WR_FLUSH_ERR);
		assert_int_equal(p->a.queue->state, QP_SQER);
		assert_null(rig_poll(&p->cb));
		queue_set_state(p->a.queue, QP_RTS);
		give(p, GRH + 8);
		arrives(p, 8);
	}
}

/* QUERY_QP returns the next PSN. */
TEST(pair_ud_dpu, next_psn)
{
	const uint32_t first = p->a.qp->next_send_psn;

	for (unsigned int i = 0; i < 3; i++) {
		struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);

		deliver(p, &w, 8);
	}
	queue_psns(p->a.queue);
	assert_int_equal(p->a.qp->next_send_psn, first + 3);
}

static void post_from(struct rig_pair *p, struct rig_qp *q, uint32_t len)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_av(&w, &p->b);
	rig_data(&w, p->src, len, rig_key(p->ms));
	rig_end(&w);
}

/* All that was posted behind a failed send is flushed, though a command brings RTS back before. */
TEST(pair_ud, back_to_rts_before_the_flush_ends)
{
	struct rig_cq cq;
	struct rig_qp q;

	rig_cq_open(&p->rig, &cq, BLUEFIELD2_HOST, 8, false);
	rig_qp_open(&p->rig, &q, BLUEFIELD2_HOST, &cq, &cq, 8, 0);
	rig_connect_one(&q, &q);
	for (unsigned int i = 0; i < 120; i++)
		post_from(p, &q, i ? 8 : 1025);
	rig_ring(&q);
	while (!rig_peek(&cq))
		assert_true(datapath_run(&p->rig.dev));
	queue_set_state(q.queue, QP_RTS);
	rig_settle(&p->rig);
	rig_sent(&cq, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	for (unsigned int i = 1; i < 120; i++)
		rig_sent(&cq, PRM_SYNDROME_WR_FLUSH_ERR);
	post_from(p, &q, 8);
	rig_run(&q);
	rig_sent(&cq, 0);
	rig_qp_close(&q);
	rig_cq_close(&cq);
}

/* A queue in SQER still receives. */
TEST(pair_ud, receives_in_sqer)
{
	struct rig_wqe w = rig_begin(&p->b, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_av(&w, &p->a);
	rig_data(&w, p->dst, 2000, rig_key(p->md));
	rig_go(&w);
	rig_sent(&p->cb, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	give(p, GRH + 8);
	arrives(p, 8);
}

/* A message without receive, over the receive, or before RTR is dropped; the next arrives. */
TEST(pair_ud_dpu, silent_drops)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	uint64_t before = drops(p);

	deliver(p, &w, 8);
	assert_int_equal(drops(p), before + 1);
	give(p, GRH + 8);
	w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	deliver(p, &w, 9);
	assert_null(rig_poll(&p->cb));
	assert_int_equal(prm_cqe64_get_wqe_counter(arrives(p, 8)), 0);
	queue_set_state(p->b.queue, QP_RST);
	p->b.rq_pi = 0;
	queue_set_state(p->b.queue, QP_INIT);
	give(p, GRH + 8);
	w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	deliver(p, &w, 8);
	queue_set_state(p->b.queue, QP_RTR);
	assert_null(rig_poll(&p->cb));
	arrives(p, 8);
}

/* An SRQ's receive that is too small ends with an error, and the queue goes on. */
TEST(pair_ud, srq)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	struct rig_srq list;

	rig_srq_open(&p->rig, &list, RIG_PD);
	p->b.qp->rq.srq = list.srq;
	rig_srq_entry(&list, 0, 1, p->dst, GRH + 8, rig_key(p->md));
	rig_srq_entry(&list, 1, 2, p->dst, GRH + 9, rig_key(p->md));
	rig_srq_post(&list, 2);
	deliver(p, &w, 9);
	rig_recv_failed(&p->cb, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(prm_cqe64_get_wqe_counter(arrives(p, 9)), 1);
	queue_set_state(p->b.queue, QP_RST);
	p->b.qp->rq.srq = NULL;
	rig_srq_close(&list);
}

/* A receive without write access is an error of its owner. */
TEST(pair_ud_dpu, bad_receive)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);

	rig_recv(&p->b, p->dst, 1000, 0xbad00);
	rig_recv(&p->b, p->dst, 1000, rig_key(p->md));
	deliver(p, &w, 8);
	rig_recv_failed(&p->cb, PRM_SYNDROME_LOCAL_PROT_ERR);
	rig_recv_failed(&p->cb, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(p->b.queue->state, QP_ERR);
}

/* Messages for an unknown number, and for another transport's, are dropped. */
TEST(pair_ud_dpu, not_for_it)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);

	give(p, 1000);
	prm_av_set_dqp_dct(w.bytes + 16, 0x123456);
	deliver(p, &w, 8);
	p->b.queue->transport = &transport_uc;
	w = datagram(p, PRM_WQE_OPCODE_SEND, 0);
	post(p, &w, 8);
	p->b.queue->transport = &transport_ud;
	rig_sent(&p->ca, 0);
	assert_null(rig_poll(&p->cb));
	arrives(p, 8);
}

/* --- groups ---------------------------------------------------------------------------------- */

static void cast(struct rig_pair *p)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND, 0, 0);

	p->a.qp->gid_index = 3;
	rig_av(&w, &p->b);
	rig_av_group(&w);
	post(p, &w, 8);
}

/* Each member gets a copy, also the sender unless it blocks that; others get none. */
TEST(pair_ud_dpu, multicast)
{
	struct vhca *host = p->a.queue->o.vhca, *dpu = p->b.queue->o.vhca;

	for (unsigned int i = 0; i < 3; i++)
		give(p, 100);
	rig_recv(&p->a, p->src + 4096, 100, rig_key(p->ms));
	cast(p);
	assert_null(rig_poll(&p->cb));
	assert_int_equal(mcg_attach(dpu, rig_mgid, p->b.qp), 0);
	assert_int_equal(mcg_attach(dpu, rig_mgid, p->b.qp), -EEXIST);
	cast(p);
	assert_int_equal(prm_cqe64_get_byte_cnt(rig_poll(&p->cb)), GRH + 8);
	assert_memory_equal(p->dst + GRH - 4, rig_mgid + 12, 4);
	assert_null(rig_poll(&p->ca));
	p->a.qp->block_lb_mc = true;
	assert_int_equal(mcg_attach(host, rig_mgid, p->a.qp), 0);
	cast(p);
	assert_null(rig_poll(&p->ca));
	p->a.qp->block_lb_mc = false;
	p->b.qp->qkey ^= 1;
	cast(p);
	assert_int_equal(prm_cqe64_get_rqpn(rig_poll(&p->ca)), p->a.queue->o.id);
	assert_non_null(rig_poll(&p->cb));
	assert_null(rig_poll(&p->cb));
	assert_int_equal(host->stats->multicast_xmit_packets, 4);
	assert_int_equal(host->stats->multicast_rcv_packets, 2);
	assert_int_equal(dpu->stats->multicast_rcv_packets, 3);
	assert_int_equal(mcg_detach(host, rig_mgid, p->a.qp), 0);
	assert_int_equal(mcg_detach(host, rig_mgid, p->a.qp), -ENOENT);
	mcg_leave(dpu, p->b.qp);
	assert_null(mcg_find(dpu, rig_mgid));
	assert_int_equal(p->b.queue->o.refs, 0);
}

static void another_mac(void *ctx, struct port *w, struct frame *f)
{
	(void)ctx;
	f->data[3] ^= 1;
	port_queue(w, f);
}

/* A group's packet has the MAC that its GID gives. */
TEST(pair_ud_dpu, multicast_mac)
{
	struct vhca *dpu = p->b.queue->o.vhca;

	give(p, 100);
	assert_int_equal(mcg_attach(dpu, rig_mgid, p->b.qp), 0);
	port_set_hook(p->rig.dev.port, another_mac, NULL);
	cast(p);
	assert_null(rig_poll(&p->cb));
	port_set_hook(p->rig.dev.port, NULL, NULL);
	cast(p);
	assert_non_null(rig_poll(&p->cb));
	mcg_leave(dpu, p->b.qp);
}

/* A group's packet that names one queue pair reaches none. */
TEST(pair_ud_dpu, multicast_to_one)
{
	struct rig_wqe w = datagram(p, PRM_WQE_OPCODE_SEND, 0);

	give(p, 100);
	assert_int_equal(mcg_attach(p->b.queue->o.vhca, rig_mgid, p->b.qp), 0);
	rig_av_group(&w);
	prm_av_set_dqp_dct(w.bytes + 16, p->b.queue->o.id);
	deliver(p, &w, 8);
	assert_null(rig_poll(&p->cb));
	mcg_leave(p->b.queue->o.vhca, p->b.qp);
}

/* --- QP1 ------------------------------------------------------------------------------------- */

#define MAD	 256u
#define GSI	 1u
#define GSI_QKEY 0x80010000u

static void qp1_open(struct rig_pair *p, struct rig_qp *q, unsigned int function, struct rig_cq *cq)
{
	p->rig.transport = &transport_qp1;
	rig_qp_open(&p->rig, q, function, cq, cq, 4, 3);
	q->qp->qkey = GSI_QKEY;
	rig_connect_one(q, q);
}

static void mad_to(struct rig_pair *p, struct rig_qp *from, const struct rig_qp *to, uint32_t qpn)
{
	struct rig_wqe w = rig_begin(from, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_av(&w, to);
	prm_av_set_dqp_dct(w.bytes + 16, qpn);
	prm_av_set_qkey(w.bytes + 16, GSI_QKEY);
	rig_data(&w, p->src, MAD, rig_key(p->ms));
	rig_go(&w);
	rig_sent(&p->ca, 0);
}

static unsigned int mads; /* those of the emulated kernel */

static void count_mad(void *ctx, struct vhca *v, const struct roce_packet *r, const uint8_t *mad)
{
	struct rig_pair *p = ctx;

	(void)r;
	assert_ptr_equal(v, p->b.queue->o.vhca);
	assert_memory_equal(mad, p->src, MAD);
	mads++;
}

static const struct front_ops mad_front = {.mad = count_mad};

/* Like in mlx5_ib's gsi.c: number 1 on the wire. Without it the emulated kernel gets MADs. */
TEST(pair_ud_dpu, qp1)
{
	struct rig_qp a, b;
	const uint8_t *cqe;

	mads = 0;
	p->rig.dev.front = &mad_front;
	p->rig.dev.front_ctx = p;
	qp1_open(p, &a, BLUEFIELD2_HOST, &p->ca);
	qp1_open(p, &b, BLUEFIELD2_DPU, &p->cb);
	memset(p->dst, 0, GRH + MAD);
	rig_recv(&b, p->dst, GRH + MAD, rig_key(p->md));
	mad_to(p, &a, &b, b.queue->o.id); /* nothing reaches that number */
	assert_null(rig_poll(&p->cb));
	mad_to(p, &p->a, &b, GSI); /* a program has another Q_Key */
	assert_null(rig_poll(&p->cb));
	assert_int_equal(b.queue->o.vhca->qkey_violations, 1);
	mad_to(p, &a, &b, GSI);
	cqe = rig_cqe(&p->cb);
	assert_int_equal(prm_cqe64_get_qpn(cqe), b.queue->o.id);
	assert_int_equal(prm_cqe64_get_rqpn(cqe), GSI);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), GRH + MAD);
	assert_memory_equal(p->dst + GRH, p->src, MAD);
	assert_int_equal(mads, 0);
	rig_qp_close(&b);
	mad_to(p, &a, &p->b, GSI);
	assert_int_equal(mads, 1);
	rig_qp_close(&a);
}
