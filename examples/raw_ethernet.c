/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw Ethernet: sends frames of two types; a rule tags those of one type and receives them.
 *
 *	dvx-sim run -- ./raw_ethernet
 *	./raw_ethernet mlx5_0 mlx5_1	as root, with a cable between their ports
 *
 * The frames have types that IEEE 802 reserves for experiments.
 */
#include "example.h"

enum { FRAMES = 10, ROOM = 2048, PAYLOAD = 46, WANTED = 0x88b5, OTHER = 0x88b6, TAG = 0x7a9 };

static const uint8_t receiver[6] = {0x02, 'D', 'V', 'X', 0, 1};
static _Alignas(4096) uint8_t rooms[FRAMES * ROOM], frames[FRAMES * ROOM];

static struct dvx_txq *open_sender(struct example *x, struct dvx_cq *cq)
{
	struct dvx_txq_attr attr = {
		.size = sizeof(attr), .pd = x->pd, .cq = cq, .uar = x->uar, .sq_blocks = 64};
	struct dvx_txq *txq;

	must(dvx_txq_create(x->dev, &attr, &txq), "send queue");
	return txq;
}

static struct dvx_rxq *open_receiver(struct example *x, struct dvx_cq *cq)
{
	struct dvx_rxq_attr attr = {.size = sizeof(attr), .pd = x->pd, .cq = cq, .entries = FRAMES};
	uint32_t key = example_key(x, rooms, sizeof(rooms), DVX_LOCAL_WRITE);
	struct dvx_rxq *rxq;

	must(dvx_rxq_create(x->dev, &attr, &rxq), "receive queue");
	for (uint64_t i = 0; i < FRAMES; i++) {
		struct dvx_sge room = {(uintptr_t)rooms + i * ROOM, ROOM, key};

		must(dvx_rq_post(dvx_rxq_ring(rxq), &room, 1, i), "receive");
	}
	dvx_rq_ring(dvx_rxq_ring(rxq));
	return rxq;
}

/* Sends frames to this MAC and of this type to the queue. Other frames are not affected. */
static void steer_to(struct dvx_dev *dev, struct dvx_rxq *rxq)
{
	struct dvx_flow_domain_attr rx = {.size = sizeof(rx), .side = DVX_FLOW_RX};
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr fields = {.size = sizeof(fields), .match = &match};
	struct dvx_flow_action *actions[2];
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &match, .actions = actions, .action_count = 2};
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root;
	struct dvx_flow_rule *made;

	must(dvx_flow_domain_create(dev, &rx, &domain), "domain");
	must(dvx_flow_table_create(domain, 0, &root), "table");
	must(dvx_flow_action_create_tag(domain, TAG, &actions[0]), "tag");
	must(dvx_flow_action_create_queue(domain, rxq, &actions[1]), "queue");
	must(dvx_flow_match_set(&match, "outer_headers.ethertype", WANTED, 0xffff), "type");
	must(dvx_flow_match_set(&match, "outer_headers.dmac_47_16", 0x02445658, 0xffffffff), "MAC");
	must(dvx_flow_match_set(&match, "outer_headers.dmac_15_0", 0x0001, 0xffff), "MAC");
	must(dvx_flow_matcher_create(root, &fields, &rule.matcher), "matcher");
	must(dvx_flow_rule_create(&rule, &made), "rule");
}

/* Sends frame i: the header is inside the WQE, the rest is gathered from memory. */
static void send_frame(struct dvx_sq *sq, uint32_t key, uint64_t i)
{
	uint8_t header[14] = {0}, *payload = frames + i * ROOM;
	struct dvx_sge rest = {(uintptr_t)payload, PAYLOAD, key};
	uint16_t type = i % 2 ? OTHER : WANTED;

	memcpy(header, receiver, sizeof(receiver));
	header[6] = 0x02; /* from 02:00:00:00:00:00 */
	header[12] = (uint8_t)(type >> 8);
	header[13] = (uint8_t)type;
	snprintf((char *)payload, PAYLOAD, "frame %d", (int)i);
	must(dvx_post_eth(sq, header, sizeof(header), &rest, 1, i, DVX_SIGNALED), "post");
}

int main(int argc, char **argv)
{
	struct example tx, rx;
	struct dvx_wc wc;

	example_open(&tx, argc > 1 ? argv[1] : NULL);
	example_open(&rx, argc > 2 ? argv[2] : argc > 1 ? argv[1] : NULL);

	struct dvx_cq *tx_cq = example_cq(&tx), *rx_cq = example_cq(&rx);
	struct dvx_sq *sq = dvx_txq_ring(open_sender(&tx, tx_cq));
	struct dvx_rxq *rxq = open_receiver(&rx, rx_cq);
	uint32_t key = example_key(&tx, frames, sizeof(frames), 0);

	steer_to(rx.dev, rxq);
	for (uint64_t i = 0; i < FRAMES; i++)
		send_frame(sq, key, i);
	dvx_sq_ring(sq);
	for (int i = 0; i < FRAMES; i++)
		if (example_next(tx_cq, &wc) < 0)
			return 1;
	/* The wire keeps the order: when the last frame is here, the others were before it. */
	for (int i = 0; i < FRAMES / 2; i++) {
		const void *cqe;

		while (!(cqe = dvx_cq_peek(rx_cq)))
			;
		const uint8_t *frame = rooms + dvx_rq_retire(dvx_rxq_ring(rxq)) * ROOM;

		printf("%u bytes, tag 0x%x: %s\n", dvx_cqe_byte_count(cqe), dvx_cqe_flow_tag(cqe),
		       (const char *)frame + 14);
		dvx_cq_pop(rx_cq);
	}
	return 0; /* rules, queues and all other objects end with the process */
}
