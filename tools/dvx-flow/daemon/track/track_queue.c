/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of packets that begin connections, and the one by which SYN-ACKs go on. Their entry is
 * in the root of a domain of its own, before those of rules for incoming packets.
 */
#include <stdlib.h>
#include <string.h>
#include <dvx/channel.h>
#include <dvx/mkey.h>
#include <dvx/pd.h>
#include <dvx/poll.h>
#include <dvx/rxq.h>
#include <dvx/txq.h>
#include <dvx/uar.h>

#include "track_priv.h"

#define PACKETS	     512u   /* receives */
#define PACKET_BYTES 10240u /* a jumbo frame */
#define SENDS	     64u    /* SYN-ACKs at once */
#define SEND_BLOCKS  4u	    /* of a request, with room at the ring's end */
#define MACS	     12u

struct track_queue {
	struct base_tables *base;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_channel *channel;
	struct dvx_cq *cq, *sent;
	struct dvx_rxq *rxq;
	struct dvx_txq *txq;
	struct dvx_mem *mem; /* buffers of receives, then of sends */
	struct dvx_mkey *mkey;
	unsigned int held, open; /* SYN-ACKs that are to be sent, that are being sent */
	uint32_t held_bytes[SENDS];
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_action *to;
	struct dvx_flow_rule *rule;
};

static uint8_t *track_buffer(const struct track_queue *q, uint64_t i)
{
	return (uint8_t *)dvx_mem_addr(q->mem) + i * PACKET_BYTES;
}

static struct dvx_sge track_sge(const struct track_queue *q, uint64_t i, uint32_t bytes)
{
	return (struct dvx_sge){.addr = dvx_mkey_addr(q->mkey) + i * PACKET_BYTES,
				.length = bytes,
				.lkey = dvx_mkey_key(q->mkey)};
}

static void track_post(struct track_queue *q, uint64_t i)
{
	struct dvx_sge sge = track_sge(q, i, PACKET_BYTES);

	dvx_rq_post(dvx_rxq_ring(q->rxq), &sge, 1, i);
}

static void track_post_all(struct track_queue *q)
{
	for (uint64_t i = 0; i < PACKETS; i++)
		track_post(q, i);
	dvx_rq_ring(dvx_rxq_ring(q->rxq));
}

/* --- beginning and end --------------------------------------------------------------------------- */

static int track_queue_memory(struct track_queue *q)
{
	struct dvx_mkey_attr key = {.size = sizeof(key),
				    .access = DVX_LOCAL_WRITE,
				    .pd = q->pd,
				    .len = (size_t)(PACKETS + SENDS) * PACKET_BYTES};
	int ret = dvx_mem_alloc(key.len, NULL, &q->mem);

	if (ret)
		return ret;
	key.addr = dvx_mem_addr(q->mem);
	return dvx_mkey_create(q->base->dev, &key, &q->mkey);
}

static int track_queue_cqs(struct track_queue *q)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = PACKETS, .uar = q->uar};
	int ret = dvx_cq_create(q->base->dev, &cq, &q->cq);

	if (!ret)
		ret = dvx_channel_subscribe(q->channel, q->cq, q);
	cq.entries = SENDS * SEND_BLOCKS;
	return ret ? ret : dvx_cq_create(q->base->dev, &cq, &q->sent);
}

static int track_queue_make(struct track_queue *q)
{
	struct dvx_rxq_attr rx = {.size = sizeof(rx), .entries = PACKETS};
	struct dvx_txq_attr tx = {.size = sizeof(tx), .sq_blocks = SENDS * SEND_BLOCKS};
	int ret = dvx_pd_alloc(q->base->dev, &q->pd);

	if (!ret)
		ret = dvx_uar_alloc(q->base->dev, DVX_UAR_ANY, &q->uar);
	if (!ret)
		ret = dvx_channel_open(q->base->dev, &q->channel);
	if (!ret)
		ret = track_queue_cqs(q);
	if (!ret)
		ret = track_queue_memory(q);
	rx.pd = tx.pd = q->pd;
	rx.cq = q->cq;
	tx.cq = q->sent;
	tx.uar = q->uar;
	if (!ret)
		ret = dvx_rxq_create(q->base->dev, &rx, &q->rxq);
	return ret ? ret : dvx_txq_create(q->base->dev, &tx, &q->txq);
}

/* Leads marked packets to the queue. */
static int track_queue_attach(struct track_queue *q)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_RX};
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher_attr matcher = {.size = sizeof(matcher), .match = &m};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &m, .actions = &q->to, .action_count = 1};
	int ret = dvx_flow_domain_create(q->base->dev, &attr, &q->domain);

	if (!ret)
		ret = dvx_flow_table_create(q->domain, 0, &q->root);
	if (!ret)
		ret = dvx_flow_match_set(&m, "outer_headers.svlan_tag", 1, 1);
	if (!ret)
		ret = dvx_flow_match_set(&m, "outer_headers.first_vid", TRACK_VID, TRACK_VID);
	if (!ret)
		ret = dvx_flow_matcher_create(q->root, &matcher, &q->matcher);
	if (!ret)
		ret = dvx_flow_action_create_queue(q->domain, q->rxq, &q->to);
	rule.matcher = q->matcher;
	return ret ? ret : dvx_flow_rule_create(&rule, &q->rule);
}

int track_queue_new(struct base_tables *base, struct track_queue **out)
{
	struct track_queue *q = *out = calloc(1, sizeof(*q));
	int ret;

	if (!q)
		return -ENOMEM;
	q->base = base;
	ret = track_queue_make(q);
	if (!ret)
		ret = track_queue_attach(q);
	if (ret)
		return ret;
	track_post_all(q);
	dvx_cq_arm(q->cq, false);
	return 0;
}

void track_queue_free(struct track_queue *q)
{
	if (!q)
		return;
	dvx_flow_rule_destroy(q->rule);
	dvx_flow_action_destroy(q->to);
	dvx_flow_matcher_destroy(q->matcher);
	dvx_flow_table_destroy(q->root);
	dvx_flow_domain_destroy(q->domain);
	dvx_txq_destroy(q->txq);
	dvx_rxq_destroy(q->rxq);
	dvx_mkey_destroy(q->mkey);
	dvx_mem_free(q->mem);
	dvx_cq_destroy(q->sent);
	dvx_cq_destroy(q->cq);
	dvx_channel_close(q->channel);
	dvx_uar_free(q->uar);
	dvx_pd_free(q->pd);
	free(q);
}

int track_queue_fd(const struct track_queue *q)
{
	return dvx_channel_fd(q->channel);
}

/* --- packets ----------------------------------------------------------------------------------- */

/* Keeps a SYN-ACK without its mark, to be sent when the connection's entries have taken effect. */
static void track_hold(struct track_queue *q, const uint8_t *frame, uint32_t len, size_t skip)
{
	uint8_t *to = track_buffer(q, PACKETS + q->held);

	memcpy(to, frame, MACS);
	memcpy(to + MACS, frame + MACS + skip, len - MACS - skip);
	q->held_bytes[q->held++] = len - (uint32_t)skip;
}

static void track_receive(struct track_queue *q, struct track_connections *c, const void *cqe,
			  uint64_t now)
{
	uint64_t i = dvx_rq_retire(dvx_rxq_ring(q->rxq));
	uint32_t len = dvx_cqe_byte_count(cqe);
	struct track_packet p;

	if (track_packet_read(track_buffer(q, i), len, &p) && track_connections_take(c, &p, now))
		track_hold(q, track_buffer(q, i), len, p.skip);
	track_post(q, i);
}

/* Takes packets, as many as can be sent. Returns whether there may be more. */
static bool track_receive_some(struct track_queue *q, struct track_connections *c, uint64_t now)
{
	unsigned int n = 0;
	bool empty = false;
	const void *cqe;

	for (; n < SENDS && (cqe = dvx_cq_peek(q->cq)); n++) {
		if (dvx_cqe_is_error(cqe)) {
			dvx_rq_retire(dvx_rxq_ring(q->rxq));
			empty = dvx_rq_free(dvx_rxq_ring(q->rxq)) == PACKETS;
		} else {
			track_receive(q, c, cqe, now);
		}
		dvx_cq_pop(q->cq);
	}
	if (empty && !dvx_rxq_reset(q->rxq))
		track_post_all(q);
	else if (n)
		dvx_rq_ring(dvx_rxq_ring(q->rxq));
	return n == SENDS;
}

/* Sends the SYN-ACKs whose connections are tracked now. */
static void track_send(struct track_queue *q)
{
	struct dvx_sq *sq = dvx_txq_ring(q->txq);

	if (!q->held)
		return;
	/* The connections' entries must have taken effect. */
	dvx_flow_domain_sync(q->base->side[RULE_SWITCH].domain);
	for (unsigned int i = 0; i < q->held; i++) {
		struct dvx_sge rest = track_sge(q, PACKETS + i, q->held_bytes[i]);

		rest.addr += DVX_ETH_HEADER;
		rest.length -= DVX_ETH_HEADER;
		q->open += !dvx_post_eth(sq, track_buffer(q, PACKETS + i), DVX_ETH_HEADER, &rest, 1,
					 i, DVX_SIGNALED);
	}
	dvx_sq_ring(sq);
	q->held = 0;
}

/* Returns whether the buffers of the last sends are free again. */
static bool track_reap(struct track_queue *q)
{
	struct dvx_wc wc;

	while (q->open && dvx_sq_poll(dvx_txq_ring(q->txq), &wc))
		q->open--;
	return !q->open;
}

static void track_arm(struct track_queue *q)
{
	while (!dvx_channel_wait(q->channel, 0, NULL, NULL))
		;
	dvx_cq_arm(q->cq, false);
}

int track_queue_run(struct track_queue *q, struct track_connections *c, uint64_t now)
{
	bool more;

	if (!track_reap(q))
		return 1;
	more = track_receive_some(q, c, now);
	track_send(q);
	if (more)
		return 0;
	track_arm(q);
	/* Packets from before the queue was armed cause no event. */
	return dvx_cq_peek(q->cq) ? 0 : q->open ? 1 : -1;
}
