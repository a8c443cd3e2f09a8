/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <sys/mman.h>
#include <unistd.h>
#include "queue_rig.h"
#include "base/log.h"
#include "chip/datapath.h"
#include "chip/trace.h"
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

static const struct front_ops rig_front = {.event = on_event};

void rig_open_as(struct rig *r, const struct profile *profile)
{
	int null = getenv("RIG_LOG") ? 2 : -1;

	memset(r, 0, sizeof(*r));
	sim_log_to(null);
	if (getenv("RIG_LOG"))
		sim_log_notes(1);
	if (getenv("RIG_TRACE"))
		trace_to(2);
	r->clock.now = rig_now;
	r->clock.utc = rig_utc;
	r->now = 1000;
	r->host = host_new();
	assert_non_null(r->host);
	r->mm = mm_open(r->host, getpid(), -1);
	assert_non_null(r->mm);
	assert_int_equal(device_init(&r->dev, r->host, &r->clock, profile), 0);
	r->dev.front = &rig_front;
	r->dev.front_ctx = r;
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

/* Allocates whole pages, which a test may share with the device. */
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
	qp->next_send_psn = qp->next_rcv_psn = RIG_PSN; /* an aborted connection left others */
	queue_set_state(&qp->q, QP_INIT);
	queue_set_state(&qp->q, QP_RTR);
	queue_set_state(&qp->q, QP_RTS);
}

void rig_connect(struct rig_qp *a, struct rig_qp *b)
{
	rig_connect_one(a, b);
	if (a != b)
		rig_connect_one(b, a);
}

void rig_restart(struct rig_qp *q, struct rig_qp *peer)
{
	struct rig_qp *both[] = {q, peer};

	for (unsigned int i = 0; i < 2; i++) {
		queue_set_state(both[i]->queue, QP_RST);
		both[i]->sq_pi = both[i]->rq_pi = 0;
		both[i]->dbrec[0] = both[i]->dbrec[1] = 0;
	}
	rig_connect(q, peer);
}

void *rig_unmapped(size_t len)
{
	void *m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(m != MAP_FAILED);
	munmap(m, len);
	return m;
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
	mkey_present_free(m);
	free(m->entries);
	obj_free(&m->o);
}

void rig_settle(struct rig *r)
{
	for (unsigned int i = 0; datapath_run(&r->dev); i++)
		assert_true(i < TURNS); /* everything must finish */
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

const uint8_t *rig_cqe(struct rig_cq *c)
{
	const uint8_t *cqe = rig_poll(c);

	assert_non_null(cqe);
	return cqe;
}

unsigned int rig_drain(struct rig_cq *c)
{
	unsigned int n = 0;

	while (rig_poll(c))
		n++;
	return n;
}

uint8_t rig_status(struct rig_cq *c)
{
	const uint8_t *cqe = rig_cqe(c);

	if (prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_REQ)
		return 0;
	assert_int_equal(prm_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_REQ_ERR);
	return (uint8_t)prm_err_cqe_get_syndrome(cqe);
}

const uint8_t *rig_sent(struct rig_cq *c, uint8_t syndrome)
{
	const uint8_t *cqe = rig_peek(c);

	assert_int_equal(rig_status(c), syndrome);
	return cqe;
}

const uint8_t *rig_recv_failed(struct rig_cq *c, uint8_t syndrome)
{
	const uint8_t *cqe = rig_cqe(c);

	assert_int_equal(prm_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_RESP_ERR);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), syndrome);
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
