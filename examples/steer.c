/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest program that steers: it receives the packets to one UDP port, each with a tag. Other
 * packets are not affected.
 *
 *	dvx-sim up nic; dvx-sim exec nic -- ./steer 53 10 &	no NIC needed
 *	dvx-sim replay nic traffic.pcap
 *	./steer 53 10 mlx5_0					on a NIC (as root)
 *
 * Read it from top to bottom, then include/dvx/flow.h and rxq.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <dvx/dvx.h>

enum { ROOMS = 64, ROOM = 2048, TAG = 0x1234 };

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "steer: %s: %s\n", what, dvx_strerror(err));
	exit(1);
}

/* Makes a receive queue, and memory for its packets. */
static struct dvx_rxq *open_queue(struct dvx_dev *dev, struct dvx_cq **cq, uint8_t *memory,
				  uint32_t *key)
{
	struct dvx_cq_attr cq_attr = {.size = sizeof(cq_attr), .entries = ROOMS};
	struct dvx_rxq_attr rxq_attr = {.size = sizeof(rxq_attr), .entries = ROOMS};
	struct dvx_mkey_attr mkey_attr = {.size = sizeof(mkey_attr),
					  .access = DVX_LOCAL_WRITE,
					  .addr = memory,
					  .len = ROOMS * ROOM};
	struct dvx_mkey *mkey;
	struct dvx_rxq *rxq;

	must(dvx_uar_alloc(dev, DVX_UAR_ANY, &cq_attr.uar), "uar");
	must(dvx_cq_create(dev, &cq_attr, cq), "cq");
	must(dvx_pd_alloc(dev, &rxq_attr.pd), "pd");
	rxq_attr.cq = *cq;
	must(dvx_rxq_create(dev, &rxq_attr, &rxq), "rxq");
	mkey_attr.pd = rxq_attr.pd;
	must(dvx_mkey_create(dev, &mkey_attr, &mkey), "mkey");
	*key = dvx_mkey_key(mkey);
	return rxq;
}

/* Adds rules to the root table: UDP to this port, IPv4 or IPv6, is tagged and goes to the queue. */
static void steer(struct dvx_dev *dev, struct dvx_rxq *rxq, uint16_t port)
{
	struct dvx_flow_domain_attr rx = {.size = sizeof(rx), .side = DVX_FLOW_RX};
	struct dvx_flow_match match[2] = {0};
	struct dvx_flow_matcher_attr fields = {.size = sizeof(fields), .match = match};
	struct dvx_flow_action *actions[2];
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .actions = actions, .action_count = 2};
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root;
	struct dvx_flow_rule *made;

	must(dvx_flow_domain_create(dev, &rx, &domain), "domain");
	must(dvx_flow_table_create(domain, 0, &root), "table");
	must(dvx_flow_action_create_tag(domain, TAG, &actions[0]), "tag");
	must(dvx_flow_action_create_queue(domain, rxq, &actions[1]), "queue");
	for (uint8_t i = 0; i < 2; i++) {
		must(dvx_flow_match_ip_version(&match[i], DVX_FLOW_OUTER, i ? 6 : 4), "match");
		must(dvx_flow_match_port(&match[i], DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP,
					 port, 0xffff),
		     "match");
	}
	/* A matcher has the fields that are compared, a rule their values. */
	must(dvx_flow_matcher_create(root, &fields, &rule.matcher), "matcher");
	for (int i = 0; i < 2; i++) {
		rule.match = &match[i];
		must(dvx_flow_rule_create(&rule, &made), "rule");
	}
}

int main(int argc, char **argv)
{
	static _Alignas(4096) uint8_t memory[ROOMS * ROOM];
	uint16_t port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 53);
	int left = argc > 2 ? atoi(argv[2]) : 10; /* packets */
	struct dvx_dev *dev;
	struct dvx_cq *cq;
	uint32_t key;

	must(dvx_dev_open(argc > 3 ? argv[3] : NULL, &dev), "open");

	struct dvx_rxq *rxq = open_queue(dev, &cq, memory, &key);
	struct dvx_rq *rq = dvx_rxq_ring(rxq);

	for (uint64_t i = 0; i < ROOMS; i++) {
		struct dvx_sge room = {(uintptr_t)memory + i * ROOM, ROOM, key};

		must(dvx_rq_post(rq, &room, 1, i), "post");
	}
	dvx_rq_ring(rq);
	steer(dev, rxq, port);
	printf("receiving packets to UDP port %u\n", port);
	fflush(stdout);
	for (const void *cqe; left; left--) {
		while (!(cqe = dvx_cq_peek(cq)))
			;
		/* The packet is at memory + ROOM * dvx_rq_retire(). Its buffer is posted again. */
		dvx_rq_retire(rq);
		printf("%u bytes, tag 0x%x\n", dvx_cqe_byte_count(cqe), dvx_cqe_flow_tag(cqe));
		dvx_cq_pop(cq);
		dvx_rq_repost(rq);
		dvx_rq_ring(rq);
	}
	return 0; /* rules, queues and all other objects end with the process */
}
