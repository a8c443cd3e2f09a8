/* SPDX-License-Identifier: BSD-2-Clause */
/* The rig of lib_rig.h with raw queues: frames to send, and where they arrive. */
#ifndef TESTS_LIB_FLOW_RIG_H
#define TESTS_LIB_FLOW_RIG_H

#include "lib_rig.h"

#define ROOMS	  16u /* receive buffers of a queue */
#define ROOM	  2048u
#define FRAME_MAX 256u

struct flow_rig {
	struct rig r;
	struct dvx_cq *tx_cq;
	struct dvx_txq *tx;
	uint64_t sent;			   /* frames sent */
	struct dvx_flow_domain *domain[3]; /* of sides whose rules may not be in effect yet */
};

/* A receive queue with its CQ and its part of the rig's buffer. */
struct inbox {
	struct flow_rig *rig;
	struct dvx_cq *cq;
	struct dvx_rxq *rxq;
	struct dvx_rq *rq;
	uint8_t *buf;
};

/* A rule of the root table that sends all packets to one action. */
struct way {
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_action *to;
	struct dvx_flow_rule *rule;
};

struct frame {
	uint8_t bytes[FRAME_MAX];
	uint32_t len;
};

/* A frame's fields; 0 stands for the value in the comment. */
struct frame_spec {
	uint32_t src, dst;     /* IPv4; 10.0.0.1, 10.0.0.2 */
	uint16_t sport, dport; /* 1000, 2000 */
	uint8_t proto;	       /* 17 */
	uint8_t version;       /* 4 */
	uint16_t vlan;	       /* none */
	uint32_t payload;      /* bytes, 0: 40 (a shorter frame would be padded) */
};

static inline int flow_open(void **state)
{
	struct flow_rig *f = calloc(1, sizeof(*f));
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64};
	struct dvx_txq_attr tx = {.size = sizeof(tx), .sq_blocks = 64};
	void *r;

	rig_open(&r);
	f->r = *(struct rig *)r;
	free(r);
	cq.uar = f->r.uar;
	OK(dvx_cq_create(f->r.dev, &cq, &f->tx_cq));
	tx.pd = f->r.pd;
	tx.uar = f->r.uar;
	tx.cq = f->tx_cq;
	OK(dvx_txq_create(f->r.dev, &tx, &f->tx));
	*state = f;
	return 0;
}

static inline int flow_close(void **state)
{
	struct flow_rig *f = *state;
	struct rig *r = malloc(sizeof(*r));

	OK(dvx_txq_destroy(f->tx));
	OK(dvx_cq_destroy(f->tx_cq));
	*r = f->r;
	free(f);
	*state = r;
	return rig_close(state);
}

#define FIXTURE_flow(name) FIXTURE(name, struct flow_rig *f, NULL, NULL)

/*
 * An inbox of a CQ and a queue by these attributes, without receives: the rig's objects are filled
 * in. `place` is the inbox's number, which chooses its part of the buffer.
 */
static inline void inbox_open_as(struct flow_rig *f, struct inbox *in, uint32_t place,
				 struct dvx_cq_attr cq, struct dvx_rxq_attr rx)
{
	in->rig = f;
	in->buf = f->r.buf + (size_t)(place + 1) * ROOMS * ROOM;
	cq.uar = f->r.uar;
	OK(dvx_cq_create(f->r.dev, &cq, &in->cq));
	rx.pd = f->r.pd;
	rx.cq = in->cq;
	OK(dvx_rxq_create(f->r.dev, &rx, &in->rxq));
	in->rq = dvx_rxq_ring(in->rxq);
}

/* Posts the next n receives, each with its room. */
static inline void inbox_post(struct inbox *in, uint64_t first, uint32_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		struct dvx_sge sge = {(uintptr_t)in->buf + i % ROOMS * ROOM, ROOM, in->rig->r.key};

		OK(dvx_rq_post(in->rq, &sge, 1, i));
	}
	dvx_rq_ring(in->rq);
}

static inline void inbox_open(struct flow_rig *f, struct inbox *in, uint32_t place)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = ROOMS};
	struct dvx_rxq_attr rx = {
		.size = sizeof(rx), .entries = ROOMS, .user_index = 0x100 + place};

	inbox_open_as(f, in, place, cq, rx);
	inbox_post(in, 0, ROOMS);
}

static inline void inbox_close(struct inbox *in)
{
	OK(dvx_rxq_destroy(in->rxq));
	OK(dvx_cq_destroy(in->cq));
}

/* Begin and end a way; between the two calls the test makes w->to. */
static inline void way_begin(struct flow_rig *f, struct way *w)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_domain_attr da = {.size = sizeof(da)};
	struct dvx_flow_matcher_attr ma = {.size = sizeof(ma), .match = &all};

	OK(dvx_flow_domain_create(f->r.dev, &da, &w->domain));
	OK(dvx_flow_table_create(w->domain, 0, &w->root));
	OK(dvx_flow_matcher_create(w->root, &ma, &w->matcher));
}

static inline void way_lead(struct way *w)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_rule_attr ra = {.size = sizeof(ra), .match = &all, .action_count = 1};

	ra.matcher = w->matcher;
	ra.actions = &w->to;
	OK(dvx_flow_rule_create(&ra, &w->rule));
}

static inline void way_open(struct flow_rig *f, struct way *w, struct dvx_rxq *rxq)
{
	way_begin(f, w);
	OK(dvx_flow_action_create_queue(w->domain, rxq, &w->to));
	way_lead(w);
}

static inline void way_close(struct way *w)
{
	OK(dvx_flow_rule_destroy(w->rule));
	OK(dvx_flow_action_destroy(w->to));
	OK(dvx_flow_matcher_destroy(w->matcher));
	OK(dvx_flow_table_destroy(w->root));
	OK(dvx_flow_domain_destroy(w->domain));
}

static inline void put_ip(uint8_t *p, const struct frame_spec *s, uint32_t l4)
{
	uint32_t sum = 0, i;

	if (s->version == 6) {
		p[0] = 0x60;
		prm_store16(p, 4, (uint16_t)l4);
		p[6] = s->proto;
		p[7] = 64;
		prm_store32(p, 8, 0x20010db8);
		prm_store32(p, 20, s->src);
		prm_store32(p, 24, 0x20010db8);
		prm_store32(p, 36, s->dst);
		return;
	}
	p[0] = 0x45;
	prm_store16(p, 2, (uint16_t)(20 + l4));
	p[8] = 64;
	p[9] = s->proto;
	prm_store32(p, 12, s->src);
	prm_store32(p, 16, s->dst);
	for (i = 0; i < 20; i += 2)
		sum += prm_load16(p, i);
	prm_store16(p, 10, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
}

static inline void frame_build(struct frame *f, struct frame_spec s)
{
	uint32_t l4, at = 14;

	s.src = s.src ? s.src : 0x0a000001;
	s.dst = s.dst ? s.dst : 0x0a000002;
	s.sport = s.sport ? s.sport : 1000;
	s.dport = s.dport ? s.dport : 2000;
	s.proto = s.proto ? s.proto : 17;
	s.version = s.version ? s.version : 4;
	s.payload = s.payload ? s.payload : 40;
	memset(f, 0, sizeof(*f));
	memcpy(f->bytes, "\x02\0\0\0\0\x22\x02\0\0\0\0\x11", 12);
	if (s.vlan) {
		prm_store16(f->bytes, 12, 0x8100);
		prm_store16(f->bytes, 14, s.vlan);
		at = 18;
	}
	prm_store16(f->bytes, at - 2, s.version == 6 ? 0x86dd : 0x0800);
	l4 = (s.proto == 6 ? 20 : 8) + s.payload;
	put_ip(f->bytes + at, &s, l4);
	at += s.version == 6 ? 40 : 20;
	prm_store16(f->bytes, at, s.sport);
	prm_store16(f->bytes, at + 2, s.dport);
	if (s.proto == 6)
		f->bytes[at + 12] = 0x50;
	else
		prm_store16(f->bytes, at + 4, (uint16_t)l4);
	f->len = at + l4;
	memset(f->bytes + f->len - s.payload, 0x5a, s.payload);
}

/* Sends a frame after all rules, which take effect only at a sync, and waits for its completion. */
static inline void frame_send(struct flow_rig *f, const struct frame *frame)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);

	for (int side = DVX_FLOW_RX; side <= DVX_FLOW_FDB; side++)
		if (f->domain[side])
			OK(dvx_flow_domain_sync(f->domain[side]));
	OK(dvx_post_eth_inline(sq, frame->bytes, DVX_ETH_HEADER, frame->bytes + DVX_ETH_HEADER,
			       frame->len - DVX_ETH_HEADER, ++f->sent, DVX_SIGNALED));
	dvx_sq_ring(sq);
	done(f->tx_cq, sq, f->sent);
}

static inline void spec_send(struct flow_rig *f, struct frame_spec s)
{
	struct frame frame;

	frame_build(&frame, s);
	frame_send(f, &frame);
}

/* Asserts that the inbox's next frame is this one, with this tag, and posts its buffer again. */
static inline void inbox_gets_frame(struct inbox *in, const struct frame *want, uint32_t tag)
{
	const void *cqe = wait_cqe(in->cq);
	struct dvx_sge sge;
	uint64_t room;

	if (dvx_cqe_is_error(cqe)) {
		struct dvx_cqe_failure why;

		dvx_cqe_error(cqe, &why);
		fail_msg("receive: %s", dvx_cqe_strerror(why.syndrome));
	}
	room = dvx_rq_retire(in->rq);
	assert_int_equal(dvx_cqe_byte_count(cqe), want->len);
	assert_int_equal(dvx_cqe_flow_tag(cqe), tag);
	assert_memory_equal(in->buf + room * ROOM, want->bytes, want->len);
	dvx_cq_pop(in->cq);
	sge = (struct dvx_sge){(uintptr_t)in->buf + room * ROOM, ROOM, in->rig->r.key};
	OK(dvx_rq_post(in->rq, &sge, 1, room));
	dvx_rq_ring(in->rq);
}

static inline void inbox_gets(struct inbox *in, struct frame_spec s, uint32_t tag)
{
	struct frame want;

	frame_build(&want, s);
	inbox_gets_frame(in, &want, tag);
}

/*
 * Asserts that no frame arrived. Frames keep their order, so all frames sent before the last
 * received one are through.
 */
static inline void inbox_is_empty(struct inbox *in)
{
	assert_null(dvx_cq_peek(in->cq));
}

#endif
