/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules by requests (hws.h). The last request of a batch is signaled. A rule whose row was full goes
 * to the spill table; `spilled` keeps in which table each rule is, for its update and deletion.
 */
#include <errno.h>
#include <stdlib.h>
#include "rules.h"
#include "stop.h"

#define POSTS_AGAIN (1ull << 63) /* in the cookie of a rule's second request */
#define POSTS_IDLE  (1u << 27)	 /* empty polls after which the device has failed */

struct rules_posts {
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_txq *txq;
	struct dvx_sq *sq;
	struct dvx_hws_image image[RULES_ACTIONS][2]; /* of the table, and of the spill table */
	uint32_t tag_bytes;
	uint8_t *tags;
	uint8_t *spilled;
	uint32_t done;	/* rules up to this one are completed, but for ... */
	uint32_t again; /* ... so many second requests */
};

static int posts_queue(struct rules_bench *b, struct rules_posts *p)
{
	uint32_t blocks = RULES_BLOCKS * b->args->window;
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = blocks};
	struct dvx_txq_attr tx = {.size = sizeof(tx), .flags = DVX_TXQ_RULES, .sq_blocks = blocks};
	int err = dvx_uar_alloc(b->dev, DVX_UAR_NC, &p->uar);

	cq.uar = tx.uar = p->uar;
	if (!err)
		err = dvx_cq_create(b->dev, &cq, &p->cq);
	tx.cq = p->cq;
	tx.pd = dvx_flow_domain_pd(b->domain);
	if (!err)
		err = dvx_txq_create(b->dev, &tx, &p->txq);
	if (!err)
		p->sq = dvx_txq_ring(p->txq);
	return err;
}

static int posts_images(struct rules_bench *b, struct rules_posts *p)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .matcher = b->matcher, .match = &match, .action_count = 1};
	int err = b->key->set(&match, 0);

	for (uint32_t i = 0; i < 2 * RULES_ACTIONS && !err; i++) {
		rule.actions = &b->action[i / 2];
		err = dvx_hws_image_make(&rule, i % 2 ? DVX_HWS_SPILL : 0, &p->image[i / 2][i % 2]);
	}
	return err;
}

static int posts_tags(struct rules_bench *b, struct rules_posts *p)
{
	int err = 0;

	p->tag_bytes = dvx_hws_tag_bytes(b->matcher);
	p->tags = malloc((size_t)b->args->count * p->tag_bytes);
	p->spilled = calloc(b->args->count, 1);
	if (!p->tags || !p->spilled)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->args->count && !err; i++) {
		struct dvx_flow_match match = {0};

		err = b->key->set(&match, i);
		if (!err)
			err = dvx_hws_tag_make(b->matcher, &match,
					       p->tags + (size_t)i * p->tag_bytes);
	}
	return err;
}

static int posts_open(struct rules_bench *b)
{
	int err;

	b->posts = calloc(1, sizeof(*b->posts));
	if (!b->posts)
		return -ENOMEM;
	err = posts_queue(b, b->posts);
	if (!err)
		err = posts_images(b, b->posts);
	return err ? err : posts_tags(b, b->posts);
}

/* Returns the image of a rule's request. */
static const struct dvx_hws_image *posts_image(const struct rules_posts *p, enum rules_op op,
					       uint32_t i)
{
	return &p->image[op == RULES_UPDATE][p->spilled[i]];
}

static int posts_post(struct rules_bench *b, struct dvx_sq *sq, enum rules_op op, uint32_t i,
		      uint64_t again, uint32_t flags)
{
	struct rules_posts *p = b->posts;
	const struct dvx_hws_image *image = posts_image(p, op, i);
	const uint8_t *tag = p->tags + (size_t)i * p->tag_bytes;

	if (p->tag_bytes == DVX_TAG_BYTES)
		return op == RULES_DELETE ? dvx_post_rule_del(sq, image, tag, again | i, flags)
					  : dvx_post_rule(sq, image, tag, again | i, flags);
	return op == RULES_DELETE ? dvx_post_rule_jumbo_del(sq, image, tag, again | i, flags)
				  : dvx_post_rule_jumbo(sq, image, tag, again | i, flags);
}

/* Posts a rule that failed again, in the spill table; nothing has a third place. */
static int posts_again(struct rules_bench *b, enum rules_op op, uint32_t i)
{
	struct rules_posts *p = b->posts;
	int err;

	if (op != RULES_INSERT || p->spilled[i])
		return -EIO;
	p->spilled[i] = 1;
	b->retried++;
	p->again++;
	err = posts_post(b, p->sq, op, i, POSTS_AGAIN, DVX_SIGNALED);
	dvx_sq_ring(p->sq);
	return err;
}

/* Waits for a completion. */
static int posts_wait(struct rules_bench *b, enum rules_op op)
{
	struct rules_posts *p = b->posts;
	struct dvx_wc wc;
	uint32_t idle = 0;
	int got;

	while (!(got = dvx_cq_poll(p->cq, &wc)))
		if (++idle == POSTS_IDLE)
			return -ETIMEDOUT;
	if (got < 0)
		return got;
	if (wc.wr_id & POSTS_AGAIN)
		p->again--;
	else
		p->done = (uint32_t)wc.wr_id + 1;
	return dvx_rule_failed(&wc) ? posts_again(b, op, (uint32_t)wc.wr_id) : 0;
}

static int posts_each(struct rules_bench *b, enum rules_op op, uint32_t first, uint32_t n,
		      uint32_t flags)
{
	struct dvx_sq batch = dvx_sq_begin(b->posts->sq);
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++)
		err = posts_post(b, &batch, op, first + i, 0, i + 1 == n ? flags : 0);
	dvx_sq_end(b->posts->sq, &batch);
	return err;
}

/* Posts rules of one table by one call. */
static int posts_many(struct rules_bench *b, enum rules_op op, uint32_t first, uint32_t n,
		      uint32_t flags)
{
	const struct rules_posts *p = b->posts;
	const struct dvx_hws_image *image = posts_image(p, op, first);
	const uint8_t *tags = p->tags + (size_t)first * DVX_TAG_BYTES;

	return op == RULES_DELETE ? dvx_post_rules_del(p->sq, image, tags, n, first, flags)
				  : dvx_post_rules(p->sq, image, tags, n, first, flags);
}

/* Returns how many of n rules in a row lie in the table of the first. */
static uint32_t posts_alike(const struct rules_posts *p, uint32_t first, uint32_t n)
{
	uint32_t i = 1;

	while (i < n && p->spilled[first + i] == p->spilled[first])
		i++;
	return i;
}

/* Posts a batch with one doorbell. Long tags are posted one by one. */
static int posts_batch(struct rules_bench *b, enum rules_op op, uint32_t first, uint32_t n)
{
	const bool wide = b->posts->tag_bytes != DVX_TAG_BYTES;
	uint32_t some;
	int err = 0;

	for (; n && !err; first += some, n -= some) {
		some = posts_alike(b->posts, first, n);
		err = (wide || some == 1 ? posts_each : posts_many)(b, op, first, some,
								    n == some ? DVX_SIGNALED : 0);
	}
	dvx_sq_ring(b->posts->sq);
	return err;
}

static int posts_apply(struct rules_bench *b, enum rules_op op, uint32_t first, uint32_t n)
{
	const uint32_t batch = b->args->batch, window = b->args->window, end = first + n;
	struct rules_posts *p = b->posts;
	uint32_t next = first;
	int err = 0;

	p->done = first;
	while (!err && next < end && !stop_asked()) {
		uint32_t some = end - next < batch ? end - next : batch;

		err = posts_batch(b, op, next, some);
		next += some;
		while (!err && next - p->done + p->again > window - batch)
			err = posts_wait(b, op);
	}
	while (!err && (p->done < next || p->again))
		err = posts_wait(b, op);
	for (uint32_t i = first; op == RULES_DELETE && i < next; i++)
		p->spilled[i] = 0;
	return err;
}

static int posts_close(struct rules_bench *b)
{
	struct rules_posts *p = b->posts;
	int err = 0;

	if (!p)
		return 0;
	if (p->txq)
		err = dvx_txq_destroy(p->txq);
	if (!err && p->cq)
		err = dvx_cq_destroy(p->cq);
	if (!err && p->uar)
		err = dvx_uar_free(p->uar);
	free(p->tags);
	free(p->spilled);
	free(p);
	return err;
}

const struct rules_engine rules_requests = {"posts",	"hardware, hws.h", DVX_FLOW_HARDWARE,
					    posts_open, posts_apply,	   posts_close};
