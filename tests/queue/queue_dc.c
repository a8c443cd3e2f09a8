/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that one initiator reaches many targets, each request done once on a wire that loses and
 * doubles packets; that channels do not hold up or break each other; and that keys, drained targets
 * and remote errors end the right requests, and only these. */
#include "tests/test.h"
#include <endian.h>
#include <errno.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/qp.h>
#include "queue_rig.h"
#include "obj/dct.h"
#include "obj/q_counter.h"
#include "queue/queue.h"
#include "transport/bth.h"
#include "transport/sched.h"
#include "transport/transport.h"

#define SECOND	1000000000ull
#define KEY	0x1122334455667788ull
#define TARGETS 2u
#define WHERE	8192u /* size of a target's part of dst */
#define IMM	0x55aa1234u

/* One initiator and two targets; the memory is the pair's. */
struct dc {
	struct rig_pair *p;
	struct rig_cq ci;
	struct rig_qp i;
	struct target {
		struct rig_cq cq;
		struct rig_srq list;
		struct dct *dct;
		struct q_counter set;
		uint16_t posted;
	} t[TARGETS];
};

static void target_open(struct dc *d, struct target *t)
{
	struct rig *r = &d->p->rig;
	struct dct *dct = obj_new(&r->dev.vhca[BLUEFIELD2_HOST], OBJ_DCT, 0, sizeof(*dct));

	assert_non_null(dct);
	rig_cq_open(r, &t->cq, BLUEFIELD2_HOST, 6, false);
	rig_srq_open(r, &t->list, RIG_PD);
	t->dct = dct;
	dct->cq = t->cq.cq;
	dct->srq = t->list.srq;
	dct->pdn = RIG_PD;
	t->set.o.vhca = dct->o.vhca;
	dct->counter = &t->set;
	dct->user_index = 0xd00 + (uint32_t)(t - d->t);
	dct->key = KEY;
	dct->rre = dct->rwe = dct->rae = true;
	dct->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	dct->mtu = 3;
	dct->min_rnr_nak = 12;
	dct->gid_index = 1;
	dct->hop_limit = 64;
	assert_int_equal(dct_start(dct), 0);
}

static void target_close(struct target *t)
{
	dct_stop(t->dct);
	obj_free(&t->dct->o);
	rig_srq_close(&t->list);
	rig_cq_close(&t->cq);
}

/* How many channels the initiator has, and how many of them may fail. */
struct dc_kind {
	uint8_t log_channels, log_errored;
};
static const struct dc_kind dc_plain = {0, 0}, dc_channels = {2, 1};

static int dc_setup(void **state)
{
	const struct dc_kind *kind = *state;
	struct dc *d = calloc(1, sizeof(*d));
	struct rig *r;

	assert_non_null(d);
	d->p = rig_pair_open(&rig_rc);
	r = &d->p->rig;
	r->transport = &transport_dci;
	r->log_dci_channels = kind->log_channels;
	r->log_dci_errored = kind->log_errored;
	rig_cq_open(r, &d->ci, BLUEFIELD2_HOST, 8, false);
	rig_qp_open(r, &d->i, BLUEFIELD2_HOST, &d->ci, &d->ci, 9, 0);
	rig_connect_one(&d->i, &d->i);
	for (unsigned int i = 0; i < TARGETS; i++)
		target_open(d, &d->t[i]);
	*state = d;
	return 0;
}

static int dc_teardown(void **state)
{
	struct dc *d = *state;

	for (unsigned int i = 0; i < TARGETS; i++)
		target_close(&d->t[i]);
	rig_qp_close(&d->i);
	rig_cq_close(&d->ci);
	rig_pair_close(d->p);
	free(d);
	return 0;
}

#define FIXTURE_dc_kind(name, k) FIXTURE_WITH(name, struct dc *d, dc_setup, dc_teardown, k)
#define FIXTURE_dc(name)	 FIXTURE_dc_kind(name, &dc_plain)
#define FIXTURE_channels(name)	 FIXTURE_dc_kind(name, &dc_channels)

/* Begins a WQE for a target: its control segment and its address vector. */
static struct rig_wqe to(struct dc *d, unsigned int target, uint8_t opcode, uint16_t channel)
{
	struct rig_wqe w = rig_begin(&d->i, opcode, SIGNALED, htobe32(IMM));
	const struct vhca *v = d->t[target].dct->o.vhca;
	uint8_t *av = w.bytes + 16;

	prm_wqe_ctrl_seg_set_imm(w.bytes, IMM);
	prm_wqe_ctrl_seg_set_dci_stream_channel_id(w.bytes, channel);
	prm_av_set_dc_key(av, KEY);
	prm_av_set_ext(av, 1);
	prm_av_set_dqp_dct(av, d->t[target].dct->o.id);
	prm_av_set_udp_sport(av, 0xc123);
	prm_av_set_rmac(av, (uint64_t)prm_load16(v->mac, 0) << 32 | prm_load32(v->mac, 2));
	prm_av_set_hop_limit(av, 7);
	prm_av_set_src_addr_index(av, 1);
	memcpy(prm_av_at_rgid(av), v->gids[1].gid, 16);
	w.ds += 3;
	return w;
}

static uint8_t *memory(struct dc *d, unsigned int target)
{
	return d->p->dst + target * WHERE;
}

static void rdma(struct dc *d, unsigned int target, uint8_t opcode, uint16_t channel, uint32_t rkey,
		 uint32_t lkey, uint32_t len)
{
	struct rig_wqe w = to(d, target, opcode, channel);

	rig_raddr(&w, memory(d, target), rkey);
	rig_data(&w, d->p->src, len, lkey);
	rig_end(&w);
}

static void write_to(struct dc *d, unsigned int target, uint16_t channel, uint32_t len)
{
	rdma(d, target, PRM_WQE_OPCODE_RDMA_WRITE, channel, rig_key(d->p->md), rig_key(d->p->ms),
	     len);
}

static void send_to(struct dc *d, unsigned int target, uint16_t channel, uint32_t len)
{
	struct rig_wqe w = to(d, target, PRM_WQE_OPCODE_SEND_IMM, channel);

	rig_data(&w, d->p->src, len, rig_key(d->p->ms));
	rig_end(&w);
}

static void receive_at(struct dc *d, unsigned int target, uint32_t len)
{
	struct target *t = &d->t[target];

	rig_srq_entry(&t->list, t->posted % RIG_SRQ_ENTRIES,
		      (uint16_t)((t->posted + 1) % RIG_SRQ_ENTRIES), memory(d, target), len,
		      rig_key(d->p->md));
	t->posted++;
	rig_srq_post(&t->list, 1);
}

static void arrives(struct dc *d, unsigned int target, uint32_t len)
{
	const uint8_t *cqe = rig_cqe(&d->t[target].cq);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND_IMM);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
	assert_int_equal(prm_cqe64_get_immediate(cqe), IMM);
	assert_int_equal(prm_cqe64_get_rqpn(cqe), d->i.queue->o.id);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0xd00 + target);
	assert_memory_equal(memory(d, target), d->p->src, len);
}

/* Alternating requests for both targets. */
TEST(dc, test_messages_reach_each_target)
{
	static const uint32_t lengths[] = {1, 1024, 5000};

	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int t = 0; t < TARGETS; t++) {
			receive_at(d, t, WHERE);
			send_to(d, t, 0, lengths[i]);
		}
		rig_run(&d->i);
		for (unsigned int t = 0; t < TARGETS; t++) {
			rig_sent(&d->ci, 0);
			arrives(d, t, lengths[i]);
		}
	}
}

TEST(dc, test_writes_and_reads)
{
	for (unsigned int t = 0; t < 2 * TARGETS; t++) {
		memset(d->p->src, (int)t + 1, 3000);
		write_to(d, t % TARGETS, 0, 3000);
		rig_run(&d->i);
		rig_sent(&d->ci, 0);
		assert_memory_equal(memory(d, t % TARGETS), d->p->src, 3000);
		memset(memory(d, t % TARGETS), 0x77, 3000);
		rdma(d, t % TARGETS, PRM_WQE_OPCODE_RDMA_READ, 0, rig_key(d->p->md),
		     rig_key(d->p->ms), 3000);
		rig_run(&d->i);
		rig_sent(&d->ci, 0);
		assert_memory_equal(memory(d, t % TARGETS), d->p->src, 3000);
	}
	/* each target counts in its own set: a connection each time that it is the next target */
	for (unsigned int t = 0; t < TARGETS; t++) {
		assert_int_equal(d->t[t].set.own.rx_dct_connect, 2);
		assert_int_equal(d->t[t].set.own.rx_write_requests, 2);
		assert_int_equal(d->t[t].set.own.rx_read_requests, 2);
	}
}

/* One acknowledgement ends several requests. */
TEST(dc, test_many_requests_under_way)
{
	for (unsigned int i = 0; i < 20; i++)
		write_to(d, i / 10, 0, 3000);
	rig_run(&d->i);
	for (unsigned int i = 0; i < 20; i++)
		rig_sent(&d->ci, 0);
	assert_null(rig_poll(&d->ci));
}

/* Every third frame is lost, every seventh comes twice, every eleventh comes late. */
struct lossy {
	unsigned int n;
	struct frame *late;
};

static void lossy_wire(void *ctx, struct port *port, struct frame *f)
{
	struct lossy *l = ctx;

	l->n++;
	if (l->n % 3 == 0) {
		frame_free(f);
		return;
	}
	if (l->n % 7 == 0)
		port_queue(port, frame_copy(f));
	if (l->n % 11 == 0) {
		if (l->late)
			port_queue(port, l->late);
		l->late = f;
		return;
	}
	port_queue(port, f);
}

static void add_one(struct dc *d, unsigned int target, uint16_t channel)
{
	struct rig_wqe w = to(d, target, PRM_WQE_OPCODE_ATOMIC_FA, channel);

	rig_raddr(&w, memory(d, target), rig_key(d->p->md));
	prm_wqe_atomic_seg_pack(w.bytes + 16 * w.ds, .swap_add = 1, .compare = 0);
	w.ds++;
	rig_data(&w, d->p->src, 8, rig_key(d->p->ms));
	rig_end(&w);
}

/* A reopened connection is a new one: nothing of the old one counts twice. */
TEST(channels, test_each_atomic_counts_once_on_a_bad_wire)
{
	struct lossy lossy = {0};

	memset(d->p->dst, 0, TARGETS * WHERE);
	port_set_hook(d->p->rig.dev.port, lossy_wire, &lossy);
	for (unsigned int i = 0; i < 60; i++) {
		for (unsigned int k = 0; k < 4; k++)
			add_one(d, (i + k) % TARGETS, (uint16_t)(k / 2));
		rig_ring(&d->i);
		rig_pass(&d->p->rig, 20 * SECOND);
		for (unsigned int k = 0; k < 4; k++)
			rig_sent(&d->ci, 0);
	}
	for (unsigned int t = 0; t < TARGETS; t++) {
		uint64_t sum;

		memcpy(&sum, memory(d, t), sizeof(sum));
		assert_int_equal(sum, 120);
	}
	port_set_hook(d->p->rig.dev.port, NULL, NULL);
	frame_free(lossy.late);
}

/* The second channel's request is done while the first channel's waits; its CQE waits, too. */
TEST(channels, test_channels_do_not_wait_for_each_other)
{
	memset(memory(d, 1), 0, 100);
	send_to(d, 0, 1, 10);
	write_to(d, 1, 2, 100);
	rig_run(&d->i);
	assert_memory_equal(memory(d, 1), d->p->src, 100);
	assert_null(rig_poll(&d->ci));
	receive_at(d, 0, WHERE);
	rig_pass(&d->p->rig, SECOND);
	rig_sent(&d->ci, 0);
	rig_sent(&d->ci, 0);
	arrives(d, 0, 10);
}

static void spoiled_write(struct dc *d, uint16_t channel)
{
	rdma(d, 0, PRM_WQE_OPCODE_RDMA_WRITE, channel, rig_key(d->p->md), 0xdead00, 8);
}

TEST(channels, test_a_failed_channel_stops_alone)
{
	memset(memory(d, 1), 0x77, 8);
	spoiled_write(d, 1);
	write_to(d, 0, 1, 8);
	write_to(d, 1, 1, 8);
	write_to(d, 0, 2, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_LOCAL_PROT_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	rig_sent(&d->ci, 0);
	assert_int_equal(memory(d, 1)[0],
			 0x77); /* the flushed one for the other target is not sent */
	write_to(d, 0, 1, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(d->i.queue->state, QP_RTS);
	assert_int_equal(dci_reset_channel(d->i.queue, 2), -EINVAL);
	assert_int_equal(dci_reset_channel(d->i.queue, 1), 0);
	write_to(d, 0, 1, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, 0);
	assert_int_equal(memory(d, 1)[0], 0x77);
	spoiled_write(d, 3);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_LOCAL_PROT_ERR);
}

/* A channel that fails by a timeout flushes all its requests, also those not yet fetched. */
TEST(channels, test_a_channel_without_an_answer_flushes_its_whole_ring)
{
	d->t[0].dct->key = KEY + 1;
	for (unsigned int i = 0; i < 200; i++)
		write_to(d, 0, 0, 8);
	rig_ring(&d->i);
	rig_pass(&d->p->rig, 20 * SECOND);
	rig_sent(&d->ci, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	for (unsigned int i = 1; i < 200; i++)
		rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(d->i.queue->state, QP_RTS);
}

/* qpc.log_num_dci_errored_streams is 1 here: the second failed channel ends the queue. */
TEST(channels, test_too_many_failed_channels_end_the_queue)
{
	send_to(d, 0, 3, 8); /* waits for a receive */
	rig_run(&d->i);
	spoiled_write(d, 1);
	spoiled_write(d, 2);
	write_to(d, 0, 3, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_LOCAL_PROT_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(d->i.queue->state, QP_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_null(rig_poll(&d->ci));
}

TEST(dc, test_a_wrong_key_is_counted_and_not_answered)
{
	d->t[0].dct->key = KEY + 1;
	d->t[0].dct->armed = true;
	write_to(d, 0, 0, 8);
	rig_ring(&d->i);
	rig_pass(&d->p->rig, 20 * SECOND);
	rig_sent(&d->ci, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(d->i.queue->state, QP_ERR);
	assert_int_equal(rig_count(&d->p->rig, PRM_EVENT_DCT_KEY_VIOLATION), 1);
	assert_int_equal(d->t[0].dct->violations, 8);
	assert_int_equal(d->t[0].dct->o.vhca->drops.n[DROP_DC_KEY], 8);
}

/* After a reset, the initiator reaches both targets again. */
static void works_again(struct dc *d)
{
	rig_restart(&d->i, &d->i);
	for (unsigned int t = 0; t < TARGETS; t++) {
		write_to(d, t, 0, 8);
		rig_run(&d->i);
		rig_sent(&d->ci, 0);
	}
}

TEST(dc, test_a_remote_error_ends_the_initiator_alone)
{
	rdma(d, 0, PRM_WQE_OPCODE_RDMA_WRITE, 0, 0xdead00, rig_key(d->p->ms), 8);
	write_to(d, 1, 0, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	rig_sent(&d->ci, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(d->p->rig.nevents, 0);
	assert_null(rig_poll(&d->t[0].cq));
	works_again(d);
}

TEST(dc, test_a_receive_that_is_too_small_fails_and_others_follow)
{
	const uint8_t *cqe;

	receive_at(d, 0, 10);
	receive_at(d, 0, WHERE);
	send_to(d, 0, 0, 11);
	rig_run(&d->i);
	rig_sent(&d->ci, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
	cqe = rig_recv_failed(&d->t[0].cq, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(prm_err_cqe_get_qpn(cqe), d->t[0].dct->o.id);
	works_again(d);
	send_to(d, 0, 0, 11);
	rig_run(&d->i);
	rig_sent(&d->ci, 0);
	arrives(d, 0, 11);
}

TEST(dc, test_a_drained_target_takes_nothing)
{
	write_to(d, 0, 0, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, 0);
	dct_drain(d->t[0].dct);
	assert_int_equal(d->t[0].dct->state, PRM_DCTC_STATE_DRAINED);
	assert_int_equal(rig_count(&d->p->rig, PRM_EVENT_DCT_DRAINED), 1);
	write_to(d, 0, 0, 8);
	rig_ring(&d->i);
	rig_pass(&d->p->rig, 20 * SECOND);
	rig_sent(&d->ci, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

TEST(dc, test_draining_flushes_a_message_that_has_begun)
{
	unsigned int n = 0;

	receive_at(d, 0, WHERE);
	port_set_hook(d->p->rig.dev.port, rig_first_frame, &n);
	send_to(d, 0, 0, 3000);
	rig_run(&d->i);
	assert_true(n > 1);
	port_set_hook(d->p->rig.dev.port, NULL, NULL);
	dct_drain(d->t[0].dct);
	rig_settle(&d->p->rig);
	rig_recv_failed(&d->t[0].cq, PRM_SYNDROME_WR_FLUSH_ERR);
}

/* --- many initiators -------------------------------------------------------------------------- */

#define MANY 4096u /* connections that a target keeps */

/* Sends the held WRITE as another initiator's. Its answer leaves from a port by the flow. */
static void write_as(struct dc *d, const struct frame *write, uint32_t sqpn, bool other_host)
{
	struct port *port = d->p->rig.dev.port;
	struct frame *f = frame_copy(write), *answer = NULL;
	uint32_t len;
	uint8_t *bth = rig_bth(f, &len);

	if (other_host)
		bth[-25] ^= 1; /* a byte of the source address */
	bth[21] = (uint8_t)(sqpn >> 16);
	bth[22] = (uint8_t)(sqpn >> 8);
	bth[23] = (uint8_t)sqpn;
	rig_reseal(f, len);
	port_set_hook(port, rig_hold_frame, &answer);
	port_receive(port, f->data, f->len, false);
	rig_settle(&d->p->rig);
	port_set_hook(port, NULL, NULL);
	assert_non_null(answer);
	bth = rig_bth(answer, NULL);
	assert_int_equal(bth[0], BTH_DC << 5 | BTH_ACKNOWLEDGE);
	assert_true(bth[-8] >= 0xc0);
	frame_free(answer);
	frame_free(f);
}

/*
 * A chip that was killed sends no DISCONNECT, and may begin with lower numbers: they are those of a
 * new connection once its last packet is old.
 */
TEST(dc, test_a_restarted_chip_reaches_its_old_target)
{
	struct frame *lost = NULL;

	write_to(d, 0, 0, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, 0);
	port_set_hook(d->p->rig.dev.port, rig_hold_frame, &lost);
	rig_restart(&d->i, &d->i);
	assert_non_null(lost);
	frame_free(lost);
	port_set_hook(d->p->rig.dev.port, NULL, NULL);
	d->p->rig.dev.sched->dc_connections -= 1000;
	write_to(d, 0, 0, 8);
	rig_run(&d->i);
	assert_null(rig_poll(&d->ci));
	assert_int_equal(d->t[0].dct->o.vhca->drops.n[DROP_DC_CONNECTION], 1);
	d->p->rig.now += 5 * SECOND;
	rig_pass(&d->p->rig, SECOND);
	rig_sent(&d->ci, 0);
}

/* The connection that was idle longest makes room for a new one. */
TEST(dc, test_a_target_distinguishes_its_initiators)
{
	const uint64_t *opened = &d->t[0].set.own.rx_dct_connect;
	const struct drops *drops = &d->t[0].dct->o.vhca->drops;
	struct frame *write = NULL;
	uint32_t len;

	port_set_hook(d->p->rig.dev.port, rig_hold_frame, &write);
	write_to(d, 0, 0, 8);
	rig_run(&d->i);
	assert_non_null(write);
	for (uint32_t i = 0; i < MANY; i++)
		write_as(d, write, 0x1000 + i, false);
	assert_int_equal(*opened, MANY);
	write_as(d, write, 0x1000, false);
	assert_int_equal(*opened, MANY);
	write_as(d, write, 0x1000, true); /* the same number on another host */
	assert_int_equal(*opened, MANY + 1);
	write_as(d, write, 0x1000, false);
	assert_int_equal(*opened, MANY + 1);
	write_as(d, write, 0x1001, false);
	assert_int_equal(*opened, MANY + 2);
	assert_int_equal(drops->n[DROP_DC_ROOM], 0);
	rig_bth(write, &len)[0] ^= BTH_WRITE_ONLY ^ BTH_ACKNOWLEDGE;
	rig_reseal(write, len);
	port_receive(d->p->rig.dev.port, write->data, write->len, false);
	rig_settle(&d->p->rig);
	assert_int_equal(drops->n[DROP_ROLE], 1);
	frame_free(write);
}

static void count_frame(void *ctx, struct port *port, struct frame *f)
{
	++*(unsigned int *)ctx;
	port_queue(port, f);
}

/* A bad vector is no target, and a NOP has none: no connection is opened, or ended. */
TEST(dc, test_without_a_vector_nothing_is_sent)
{
	struct rig_wqe w = to(d, 0, PRM_WQE_OPCODE_RDMA_WRITE, 0);
	unsigned int frames = 0;

	port_set_hook(d->p->rig.dev.port, count_frame, &frames);
	prm_av_set_ext(w.bytes + 16, 0);
	rig_raddr(&w, memory(d, 0), rig_key(d->p->md));
	rig_data(&w, d->p->src, 8, rig_key(d->p->ms));
	rig_go(&w);
	rig_sent(&d->ci, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(frames, 0);
	rig_restart(&d->i, &d->i);
	rig_nop(&d->i);
	write_to(d, 0, 0, 8);
	rig_run(&d->i);
	rig_sent(&d->ci, 0);
	rig_sent(&d->ci, 0);
	assert_int_equal(frames, 2); /* the WRITE and its acknowledgement */
}
