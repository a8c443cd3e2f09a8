/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <unistd.h>
#include "queue_rig.h"
#include "base/log.h"
#include "chip/datapath.h"
#include "queue/queue.h"
#include "transport/transport.h"
#include "host/uar.h"

#define WHOLE_SPACE 47u /* one "page" for all of this process */
#define TURNS 100000u

static uint64_t rig_now(struct clock *c)
{
	return ((struct rig *)c)->now;
}

static uint64_t rig_utc(struct clock *c)
{
	return RIG_UTC + rig_now(c);
}

static void on_event(void *ctx, struct vhca *v, uint32_t eqn, const void *eqe)
{
	struct rig *r = ctx;
	unsigned int i = r->nevents++ % RIG_EVENTS;

	(void)v;
	r->event[i].type = (uint8_t)prm_eqe_get_type(eqe);
	r->event[i].number = r->event[i].type == PRM_EVENT_CQ_ERROR ?
				     prm_eqe_get_cq_err_cqn(eqe) : prm_eqe_get_cqn(eqe);
	r->event[i].eqn = eqn;
	r->blind += r->watched && !rig_peek(r->watched);
}

void rig_open_as(struct rig *r, const struct profile *profile)
{
	int null = getenv("RIG_LOG") ? 2 : -1;

	memset(r, 0, sizeof(*r));
	sim_log_to(null);
	if (getenv("RIG_LOG"))
		sim_log_notes(1);
	if (getenv("RIG_TRACE"))
		sim_trace_to(2);
	r->clock.now = rig_now;
	r->clock.utc = rig_utc;
	r->now = 1000;
	r->host = host_new();
	assert_non_null(r->host);
	r->mm = mm_open(r->host, getpid(), -1);
	assert_non_null(r->mm);
	assert_int_equal(device_init(&r->dev, r->host, &r->clock, profile), 0);
	r->dev.on_event = on_event;
	r->dev.event_ctx = r;
	assert_int_equal(datapath_open(&r->dev), 0);
}

void rig_open(struct rig *r)
{
	rig_open_as(r, &profile_bluefield2);
}

void rig_close(struct rig *r)
{
	datapath_close(&r->dev);
	device_fini(&r->dev);
	mm_close(r->mm);
	host_free(r->host);
}

/* Whole pages, which a test may share with the device. */
static uint8_t *ring_new(size_t len, int fill)
{
	size_t size = (len + 4095) & ~(size_t)4095;
	uint8_t *ring = aligned_alloc(4096, size);

	assert_non_null(ring);
	memset(ring, fill, size);
	return ring;
}

static void ring_at(struct rig *r, struct ring *ring, const void *buf, size_t len)
{
	ring->pages = malloc(sizeof(*ring->pages));
	assert_non_null(ring->pages);
	ring->pages[0] = mm_bus(r->mm, 0);
	ring->npages = 1;
	ring->log_page = WHOLE_SPACE;
	ring->offset = (uintptr_t)buf;
	ring->len = len;
}

static bus_t bus_of(struct rig *r, const void *p)
{
	return mm_bus(r->mm, (uintptr_t)p);
}

void rig_cq_open(struct rig *r, struct rig_cq *c, unsigned int function, unsigned int log_size,
		 bool cqe128)
{
	size_t len = (size_t)(cqe128 ? 128 : 64) << log_size;

	memset(c, 0, sizeof(*c));
	c->rig = r;
	c->ring = ring_new(len, 0xf1); /* opcode INVALID, owner 1 */
	c->cq = obj_new(&r->dev.vhca[function], OBJ_CQ, 0, sizeof(*c->cq));
	assert_non_null(c->cq);
	c->cq->log_size = (uint8_t)log_size;
	c->cq->cqe_log = cqe128 ? 7 : 6;
	c->cq->dbrec = bus_of(r, c->dbrec);
	c->cq->uar = RIG_UAR;
	c->cq->eqn = 5;
	ring_at(r, &c->cq->ring, c->ring, len);
	assert_int_equal(cq_start(c->cq), 0);
}

void rig_cq_close(struct rig_cq *c)
{
	cq_stop(c->cq);
	ring_release(&c->cq->ring);
	obj_free(&c->cq->o);
	free(c->ring);
}

void rig_qp_open(struct rig *r, struct rig_qp *q, unsigned int function, struct rig_cq *scq,
		 struct rig_cq *rcq, unsigned int log_sq, unsigned int log_rq)
{
	size_t rq = (size_t)64 << log_rq, sq = (size_t)64 << log_sq;
	struct qp *qp;

	memset(q, 0, sizeof(*q));
	q->rig = r;
	q->scq = scq;
	q->rcq = rcq;
	q->ring = ring_new(rq + sq, 0);
	q->sq = q->ring + rq;
	qp = q->qp = obj_new(&r->dev.vhca[function], OBJ_QP, 0, sizeof(*qp));
	assert_non_null(qp);
	q->queue = qp->sq.q = qp->rq.q = &qp->q;
	qp->q.sq = &qp->sq;
	qp->q.rq = &qp->rq;
	qp->q.transport = r->transport ? r->transport : &transport_rc;
	qp->log_dci_channels = r->log_dci_channels;
	qp->log_dci_errored = r->log_dci_errored;
	qp->q.pdn = RIG_PD;
	qp->q.stats = &r->dev.vhca[function].stats->queues;
	qp->sq.cq = scq->cq;
	qp->rq.cq = rcq->cq;
	qp->q.uar = RIG_UAR;
	qp->q.user_index = 0x1234;
	qp->q.dbrec = bus_of(r, q->dbrec);
	qp->rq.log_stride = 2;
	qp->rq.log_size = (uint8_t)log_rq;
	qp->sq.log_size = (uint8_t)log_sq;
	qp->sq.offset = rq;
	qp->rre = qp->rwe = true;
	qp->mtu = 3;
	qp->log_msg_max = 30;
	qp->min_rnr_nak = 12;
	qp->retry_count = 7;
	qp->rnr_retry = 7;
	qp->ack_timeout = 14;
	qp->log_rra_max = qp->log_sra_max = 4;
	qp->gid_index = 1;
	qp->qkey = RIG_QKEY;
	qp->next_send_psn = qp->next_rcv_psn = RIG_PSN;
	ring_at(r, &qp->q.ring, q->ring, rq + sq);
	assert_int_equal(queue_start(&qp->q), 0);
}

void rig_qp_close(struct rig_qp *q)
{
	queue_stop(q->queue);
	ring_release(&q->queue->ring);
	obj_free(&q->queue->o);
	free(q->ring);
}

void rig_srq_open(struct rig *r, struct rig_srq *s, uint32_t pdn)
{
	struct srq *srq = obj_new(&r->dev.vhca[BLUEFIELD2_HOST], OBJ_SRQ, 0, sizeof(*srq));

	assert_non_null(srq);
	memset(s, 0, sizeof(*s));
	s->srq = srq;
	srq->pdn = pdn;
	srq->log_size = 3;
	srq->log_stride = 6;
	srq->linked = true;
	srq->head = PRM_WQE_SRQ_NEXT_SEG_BYTES;
	srq->dbrec = bus_of(r, s->dbrec);
	ring_at(r, &srq->ring, s->ring, sizeof(s->ring));
	assert_int_equal(srq_start(srq), 0);
}

void rig_srq_close(struct rig_srq *s)
{
	srq_stop(s->srq);
	ring_release(&s->srq->ring);
	obj_free(&s->srq->o);
}

void rig_srq_entry(struct rig_srq *s, unsigned int index, uint16_t next, const void *va, uint32_t len,
		   uint32_t lkey)
{
	uint8_t *e = s->ring + index * RIG_SRQ_STRIDE;

	prm_wqe_srq_next_seg_set_next_wqe_index(e, next);
	e += s->srq->head;
	prm_wqe_data_seg_pack(e, .byte_count = len, .lkey = lkey, .addr = (uintptr_t)va);
	prm_wqe_data_seg_pack(e + 16, .byte_count = 0, .lkey = 0x100, .addr = 0);
}

void rig_srq_post(struct rig_srq *s, uint16_t n)
{
	s->pi = (uint16_t)(s->pi + n);
	s->dbrec[0] = htobe32(s->pi);
}

void rig_connect_one(struct rig_qp *q, const struct rig_qp *peer)
{
	struct qp *qp = q->qp;

	qp->remote_qpn = peer->qp->q.o.id;
	memcpy(qp->rgid, peer->qp->q.o.vhca->gids[peer->qp->gid_index].gid, 16);
	memcpy(qp->rmac, peer->qp->q.o.vhca->mac, sizeof(qp->rmac));
	queue_set_state(&qp->q, QP_INIT);
	queue_set_state(&qp->q, QP_RTR);
	queue_set_state(&qp->q, QP_RTS);
}

uint8_t *rig_bth(struct frame *f, uint32_t *len)
{
	struct roce_bytes r;

	assert_true(roce_decode(f->data, f->len, &r));
	if (len)
		*len = r.len;
	return f->data + (r.bth - f->data);
}

static void put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void rig_reseal(struct frame *f, uint32_t len)
{
	struct roce_bytes r;
	uint32_t icrc, sum = 0;
	uint8_t *net, *bth;

	assert_true(roce_decode(f->data, f->len, &r));
	net = f->data + (r.net - f->data);
	bth = f->data + (r.bth - f->data);
	f->len = (uint32_t)(bth - f->data) + len + (uint32_t)sizeof(icrc);
	if (!roce_is_v1(&r))
		put16(bth - 4, 8 + len + sizeof(icrc));
	if (net[0] >> 4 == 6) {
		put16(net + 4, (size_t)(bth - net) - 40 + len + sizeof(icrc));
	} else {
		put16(net + 2, (size_t)(bth - net) + len + sizeof(icrc));
		put16(net + 10, 0);
		for (unsigned int i = 0; i < 20; i += 2)
			sum += (uint32_t)net[i] << 8 | net[i + 1];
		put16(net + 10, ~((sum & 0xffff) + (sum >> 16)));
	}
	r.len = len;
	icrc = htole32(roce_icrc(&r));
	memcpy(bth + len, &icrc, sizeof(icrc));
}

void rig_connect(struct rig_qp *a, struct rig_qp *b)
{
	rig_connect_one(a, b);
	if (a != b)
		rig_connect_one(b, a);
}

struct mkey *rig_mkey(struct rig *r, unsigned int function, const void *buf, size_t len,
		      unsigned int rights)
{
	struct mkey *m = obj_new(&r->dev.vhca[function], OBJ_MKEY, 0, sizeof(*m));

	assert_non_null(m);
	m->low = 0x5a;
	m->qpn = MKEY_ANY_QP;
	m->mode = 1;
	m->rights = (uint8_t)rights;
	m->pdn = RIG_PD;
	m->start = (uintptr_t)buf;
	m->len = len;
	m->log_entity = WHOLE_SPACE;
	m->nentries = 1;
	m->entries = malloc(sizeof(*m->entries));
	assert_non_null(m->entries);
	m->entries[0] = mm_bus(r->mm, 0);
	mkey_place(m);
	return m;
}

uint32_t rig_key(const struct mkey *m)
{
	return m->o.id << 8 | m->low;
}

void rig_mkey_close(struct mkey *m)
{
	free(m->entries);
	obj_free(&m->o);
}

struct rig_wqe rig_begin(struct rig_qp *q, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm)
{
	struct rig_wqe w = { .q = q, .ds = 1 };

	prm_wqe_ctrl_seg_pack(w.bytes, .opcode = opcode, .qpn = q->queue->o.id, .fm_ce_se = fm_ce_se,
			      .imm = imm);
	return w;
}

void rig_av(struct rig_wqe *w, const struct rig_qp *to)
{
	const struct vhca *v = to->queue->o.vhca;
	unsigned int gid = w->q->qp->gid_index;
	uint8_t *av = w->bytes + 16 * w->ds;

	prm_av_set_qkey(av, RIG_QKEY);
	prm_av_set_ext(av, 1);
	prm_av_set_dqp_dct(av, to->queue->o.id);
	prm_av_set_udp_sport(av, 0xc123);
	prm_av_set_rmac(av, (uint64_t)prm_load16(v->mac, 0) << 32 | prm_load32(v->mac, 2));
	prm_av_set_tclass(av, 0x58);
	prm_av_set_hop_limit(av, 7);
	prm_av_set_src_addr_index(av, gid);
	prm_av_set_flow_label(av, 0xabcde);
	memcpy(prm_av_at_rgid(av), v->gids[gid].gid, 16);
	w->ds += 3;
}

const uint8_t rig_mgid[16] = {[10] = 0xff, 0xff, 239, 1, 2, 3};

void rig_av_group(struct rig_wqe *w)
{
	uint8_t *av = w->bytes + 16 * (w->ds - 3);

	prm_av_set_rmac(av, 0x01005e010203);
	prm_av_set_dqp_dct(av, 0xffffff);
	memcpy(prm_av_at_rgid(av), rig_mgid, sizeof(rig_mgid));
}

void rig_raddr(struct rig_wqe *w, const void *va, uint32_t rkey)
{
	prm_wqe_raddr_seg_pack(w->bytes + 16 * w->ds, .raddr = (uintptr_t)va, .rkey = rkey);
	w->ds++;
}

void rig_data(struct rig_wqe *w, const void *va, uint32_t len, uint32_t lkey)
{
	prm_wqe_data_seg_pack(w->bytes + 16 * w->ds, .byte_count = len, .lkey = lkey,
			      .addr = (uintptr_t)va);
	w->ds++;
}

void rig_inline(struct rig_wqe *w, const void *bytes, uint32_t len)
{
	uint8_t *p = w->bytes + 16 * w->ds;

	prm_wqe_inline_seg_pack(p, .is_inline = 1, .byte_count = len);
	memcpy(p + 4, bytes, len);
	w->ds += (4 + len + 15) / 16;
}

void rig_put(struct rig_wqe *w)
{
	struct rig_qp *q = w->q;
	unsigned int blocks = (w->ds + 3) / 4, n = 1u << q->queue->sq->log_size;

	for (unsigned int i = 0; i < blocks; i++)
		memcpy(q->sq + 64u * ((q->sq_pi + i) & (n - 1)), w->bytes + 64 * i, 64);
	q->sq_pi = (uint16_t)(q->sq_pi + blocks);
}

void rig_end(struct rig_wqe *w)
{
	prm_wqe_ctrl_seg_set_wqe_index(w->bytes, w->q->sq_pi);
	prm_wqe_ctrl_seg_set_ds(w->bytes, w->ds & 0x3f);
	rig_put(w);
}

void rig_ring(struct rig_qp *q)
{
	uint8_t db[8] = { 0 };
	uint64_t value;

	q->dbrec[1] = htobe32(q->sq_pi);
	prm_wqe_ctrl_seg_set_qpn(db, q->queue->o.id);
	memcpy(&value, db, sizeof(value));
	queue_doorbell(&q->rig->dev, RIG_UAR, UAR_BF, value);
}

void rig_run(struct rig_qp *q)
{
	rig_ring(q);
	rig_settle(q->rig);
}

void rig_go(struct rig_wqe *w)
{
	rig_end(w);
	rig_run(w->q);
}

void rig_rdma(struct rig_qp *q, uint8_t opcode, uint8_t fm_ce_se, const void *remote,
	      const struct mkey *rkey, const void *local, uint32_t len, const struct mkey *lkey)
{
	struct rig_wqe w = rig_begin(q, opcode, fm_ce_se, 0);

	rig_raddr(&w, remote, rig_key(rkey));
	rig_data(&w, local, len, rig_key(lkey));
	rig_end(&w);
}

void rig_message(struct rig_qp *q, uint8_t fm_ce_se, const char *text)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_SEND, fm_ce_se, 0);

	rig_inline(&w, text, (uint32_t)strlen(text));
	rig_end(&w);
}

void rig_nop(struct rig_qp *q)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_NOP, SIGNALED, 0);

	rig_end(&w);
}

void rig_recv(struct rig_qp *q, const void *va, uint32_t len, uint32_t lkey)
{
	uint8_t *e = q->ring + 64u * (q->rq_pi & ((1u << q->queue->rq->log_size) - 1));

	prm_wqe_data_seg_pack(e, .byte_count = len, .lkey = lkey, .addr = (uintptr_t)va);
	prm_wqe_data_seg_pack(e + 16, .byte_count = 0, .lkey = 0x100, .addr = 0);
	q->rq_pi++;
	q->dbrec[0] = htobe32(q->rq_pi);
}

void rig_settle(struct rig *r)
{
	for (unsigned int i = 0; datapath_run(&r->dev); i++)
		assert_true(i < TURNS); /* it must come to rest */
}

void rig_pass(struct rig *r, uint64_t ns)
{
	uint64_t end = r->now + ns;

	rig_settle(r);
	for (unsigned int i = 0; timers_next(&r->dev.timers) <= end; i++) {
		assert_true(i < TURNS);
		if (timers_next(&r->dev.timers) > r->now)
			r->now = timers_next(&r->dev.timers);
		timers_run(&r->dev.timers, r->now);
		rig_settle(r);
	}
	r->now = end;
}

const uint8_t *rig_peek(const struct rig_cq *c)
{
	size_t size = (size_t)1 << c->cq->cqe_log;
	uint32_t n = 1u << c->cq->log_size;
	const uint8_t *cqe = c->ring + (c->ci & (n - 1)) * size + size - 64;

	return prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_INVALID ||
			       prm_cqe64_get_owner(cqe) != !!(c->ci & n) ? NULL : cqe;
}

const uint8_t *rig_poll(struct rig_cq *c)
{
	const uint8_t *cqe = rig_peek(c);

	if (!cqe)
		return NULL;
	c->ci++;
	c->dbrec[0] = htobe32(c->ci & 0xffffff);
	return cqe;
}

unsigned int rig_count(struct rig *r, uint8_t event_type)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->nevents && i < RIG_EVENTS; i++)
		n += r->event[i].type == event_type;
	return n;
}

void rig_arm(struct rig_cq *c, unsigned int sn, bool solicited)
{
	uint32_t word = (sn & 3) << 28 | (solicited ? 1u << 24 : 0) | (c->ci & 0xffffff);
	uint32_t reg[2] = { htobe32(word), htobe32(c->cq->o.id) };
	uint64_t value;

	c->dbrec[1] = htobe32(word);
	memcpy(&value, reg, sizeof(value));
	queue_doorbell(&c->rig->dev, RIG_UAR, UAR_CQ_ARM, value);
}

static int setup_on(void **state, unsigned int peer, const struct transport *t)
{
	struct rig_pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	rig_open(&p->rig);
	p->rig.transport = t;
	p->src = malloc(RIG_BUF);
	p->dst = calloc(1, RIG_BUF);
	assert_true(p->src && p->dst);
	for (unsigned int i = 0; i < RIG_BUF; i++)
		p->src[i] = (uint8_t)(i * 7 + (i >> 8));
	rig_cq_open(&p->rig, &p->ca, BLUEFIELD2_HOST, 6, false);
	rig_cq_open(&p->rig, &p->cb, peer, 6, true);
	rig_qp_open(&p->rig, &p->a, BLUEFIELD2_HOST, &p->ca, &p->ca, 4, 3);
	rig_qp_open(&p->rig, &p->b, peer, &p->cb, &p->cb, 4, 3);
	rig_connect(&p->a, &p->b);
	p->ms = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF, MKEY_LR | MKEY_LW);
	p->md = rig_mkey(&p->rig, peer, p->dst, RIG_BUF,
			 MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW | MKEY_ATOMIC);
	*state = p;
	return 0;
}

int rig_setup(void **state)
{
	return setup_on(state, BLUEFIELD2_HOST, NULL);
}

int rig_setup_uc(void **state)
{
	return setup_on(state, BLUEFIELD2_HOST, &transport_uc);
}

int rig_setup_xrc(void **state)
{
	return setup_on(state, BLUEFIELD2_HOST, &transport_xrc);
}

int rig_setup_ud(void **state)
{
	return setup_on(state, BLUEFIELD2_HOST, &transport_ud);
}

int rig_setup_ud_dpu(void **state)
{
	return setup_on(state, BLUEFIELD2_DPU, &transport_ud);
}

int rig_setup_dpu(void **state)
{
	return setup_on(state, BLUEFIELD2_DPU, NULL);
}

int rig_teardown(void **state)
{
	struct rig_pair *p = *state;

	rig_qp_close(&p->a);
	rig_qp_close(&p->b);
	rig_cq_close(&p->ca);
	rig_cq_close(&p->cb);
	rig_mkey_close(p->ms);
	rig_mkey_close(p->md);
	rig_close(&p->rig);
	free(p->src);
	free(p->dst);
	free(p);
	return 0;
}

void rig_post(struct rig_pair *p, uint8_t opcode, uint32_t off, uint32_t len)
{
	struct rig_wqe w = rig_begin(&p->a, opcode, SIGNALED, 0);

	if (p->a.queue->transport->datagrams)
		rig_av(&w, &p->b);
	if (opcode == PRM_WQE_OPCODE_RDMA_WRITE || opcode == PRM_WQE_OPCODE_RDMA_READ)
		rig_raddr(&w, p->dst + off, rig_key(p->md));
	if (len)
		rig_data(&w, p->src + off, len, rig_key(p->ms));
	rig_end(&w);
}

void rig_do(struct rig_pair *p, uint8_t opcode, uint32_t off, uint32_t len)
{
	rig_post(p, opcode, off, len);
	rig_run(&p->a);
}

struct rig_pair *rig_pair_open(int (*setup)(void **state))
{
	void *p;

	assert_int_equal(setup(&p), 0);
	return p;
}

void rig_pair_close(struct rig_pair *p)
{
	rig_teardown((void *[]){p});
}

void rig_self_open(struct rig_self *s, struct rig_pair *p)
{
	s->p = p;
	rig_cq_open(&p->rig, &s->cq, BLUEFIELD2_HOST, 8, false);
	rig_qp_open(&p->rig, &s->q, BLUEFIELD2_HOST, &s->cq, &s->cq, 8, 4);
	s->q.qp->fl = true;
	rig_connect(&s->q, &s->q);
	s->key = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF,
			  MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW);
}

void rig_self_close(struct rig_self *s)
{
	rig_qp_close(&s->q);
	rig_cq_close(&s->cq);
	rig_mkey_close(s->key);
}
