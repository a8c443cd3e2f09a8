/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_HWS_RIG_H
#define LIB_HWS_RIG_H

/* A queue of rules, and a matcher whose rules lead to the stage's second inbox. */
#include <dvx/hws.h>
#include "lib/hws/hws.h"
#include "lib_flow_stage.h"

/* A queue of rules, a matcher, and an image of rules that lead to b. */
struct ring_of_rules {
	struct stage *s;
	struct dvx_cq *cq;
	struct dvx_txq *txq;
	struct dvx_sq *sq;
	struct dvx_flow_matcher *m;
	struct dvx_hws_image image;
};

static inline void rules_open(struct ring_of_rules *r, struct stage *s,
			      const struct dvx_flow_match *m, uint32_t expected)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64, .uar = s->f->r.uar};
	struct dvx_txq_attr tx = {
		.size = sizeof(tx), .flags = DVX_TXQ_RULES, .sq_blocks = 128, .uar = s->f->r.uar};
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = m, .expected_rules = expected};
	struct dvx_flow_rule_attr to_b;

	*r = (struct ring_of_rules){.s = s};
	OK(dvx_cq_create(s->f->r.dev, &cq, &r->cq));
	tx.cq = r->cq;
	tx.pd = dvx_flow_domain_pd(s->domain);
	assert_non_null(tx.pd);
	OK(dvx_txq_create(s->f->r.dev, &tx, &r->txq));
	r->sq = dvx_txq_ring(r->txq);
	OK(dvx_flow_matcher_create(s->table, &attr, &r->m));
	to_b = rule_attr(r->m, m, &s->to_b, 1);
	OK(dvx_hws_image_make(&to_b, 0, &r->image));
}

static inline void rules_close(struct ring_of_rules *r)
{
	OK(dvx_txq_destroy(r->txq));
	OK(dvx_cq_destroy(r->cq));
	OK(dvx_flow_matcher_destroy(r->m));
}

/* Rings, and returns whether the next completion, of this cookie, is a failure. */
static inline bool answer(struct ring_of_rules *r, uint64_t cookie)
{
	struct dvx_wc wc;

	dvx_sq_ring(r->sq);
	wait_cqe(r->cq);
	assert_int_equal(dvx_cq_poll(r->cq, &wc), 1);
	assert_int_equal(wc.wr_id, cookie);
	return dvx_rule_failed(&wc);
}

/* The tag of a UDP port, made by its place. */
static inline void port_tag(struct ring_of_rules *r, uint16_t port, uint8_t *tag)
{
	struct dvx_flow_match m = udp(4, 0);
	uint32_t bit;

	OK(dvx_hws_tag_make(r->m, &m, tag));
	OK(dvx_hws_tag_field(r->m, "outer_headers.udp_dport", &bit));
	prm_store16(tag, bit / 8, port);
}

/*
 * Has the domain delete a rule that the image's table does not have, and its queue seem full but for
 * `room` blocks: a call that needs more waits, and meets the refusal, which is the next sync's.
 */
static inline void domain_fills(struct hws_domain *d, const struct dvx_hws_image *image,
				uint32_t room)
{
	static const uint8_t tag[DVX_TAG_BYTES];
	struct dvx_sq *sq = dvx_txq_ring(d->queue.txq);

	OK(dvx_post_rule_del(sq, image, tag, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
	d->waiting++;
	sq->ci -= dvx_sq_free(sq) - room;
}

static inline void port_gets(struct ring_of_rules *r, struct inbox *in, uint16_t port)
{
	struct frame_spec spec = {.dport = port};

	spec_send(r->s->f, spec);
	inbox_gets(in, spec, 0);
}

#endif
