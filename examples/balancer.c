/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection table of a load balancer, in the NIC: each TCP connection to an address has a rule
 * that leads to its server's queue. The table is filled; then old connections go and new ones come.
 *
 *	dvx-sim run --set chip=bf3 -- ./balancer 1000000	no NIC needed
 *	./balancer 1000000 mlx5_0				as root
 *
 * doc/tutorial/21-hardware-steering.md explains it.
 */
#include "example.h"

enum { SERVERS = 4, BATCH = 16, BLOCKS = 128, VIP_PORT = 443 };
#define SRC   "outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4"
#define VIP   0xc0000201u  /* 192.0.2.1 */
#define GOING (1ull << 63) /* in the cookie of a deletion */

static struct example x;
static struct dvx_flow_domain *domain;
static struct dvx_cq *cq; /* of rules */
static struct dvx_sq *sq;
static struct dvx_hws_image image[SERVERS][2]; /* for the table, and for its spill table */
static uint8_t base[DVX_TAG_BYTES];	       /* the tag of all connections, but for ... */
static uint32_t src, sport;		       /* ... the bits of the client's address and port */
static uint8_t *spilled;		       /* whether a rule is in the spill table */
static uint32_t size, full;

/* Makes a server's queue, and images of the rules that lead there. */
static void add_server(struct dvx_flow_rule_attr rule, struct dvx_cq *packets, uint32_t i)
{
	struct dvx_rxq_attr attr = {
		.size = sizeof(attr), .pd = x.pd, .cq = packets, .entries = 16, .user_index = i};
	struct dvx_flow_action *to;
	struct dvx_rxq *rxq;

	must(dvx_rxq_create(x.dev, &attr, &rxq), "receive queue");
	must(dvx_flow_action_create_queue(domain, rxq, &to), "queue");
	rule.actions = &to;
	must(dvx_hws_image_make(&rule, 0, &image[i][0]), "image");
	must(dvx_hws_image_make(&rule, DVX_HWS_SPILL, &image[i][1]), "spill image");
}

static void match_end(struct dvx_flow_match *m, enum dvx_flow_end end, uint32_t ip, uint16_t port)
{
	must(dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, end, ip, 32), "match");
	must(dvx_flow_match_port(m, DVX_FLOW_OUTER, end, DVX_FLOW_TCP, port, 0xffff), "match");
}

/* The root's rule leads packets to the address to a table, whose rules are connections. */
static void steer(struct dvx_cq *packets)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher_attr fields = {.size = sizeof(fields), .match = &m};
	struct dvx_flow_action *to;
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &m, .actions = &to, .action_count = 1};
	struct dvx_flow_table *root, *table;
	struct dvx_flow_rule *made;

	must(dvx_flow_table_create(domain, 0, &root), "root");
	must(dvx_flow_table_create(domain, 1, &table), "table");
	must(dvx_flow_action_create_table(domain, table, &to), "action");
	match_end(&m, DVX_FLOW_DST, VIP, VIP_PORT);
	must(dvx_flow_matcher_create(root, &fields, &rule.matcher), "matcher");
	must(dvx_flow_rule_create(&rule, &made), "rule");
	match_end(&m, DVX_FLOW_SRC, 0, 0);
	fields.expected_rules = size;
	must(dvx_flow_matcher_create(table, &fields, &rule.matcher), "matcher");
	must(dvx_hws_tag_make(rule.matcher, &m, base), "tag");
	must(dvx_hws_tag_field(rule.matcher, SRC, &src), "tag");
	must(dvx_hws_tag_field(rule.matcher, "outer_headers.tcp_sport", &sport), "tag");
	for (uint32_t i = 0; i < SERVERS; i++)
		add_server(rule, packets, i);
}

/* Posts the rule of a connection, or its deletion. */
static void post(uint64_t cookie, uint32_t flags)
{
	uint32_t i = (uint32_t)cookie;
	const struct dvx_hws_image *from = &image[i % SERVERS][spilled[i % size]];
	uint8_t tag[DVX_TAG_BYTES];

	memcpy(tag, base, sizeof(tag));
	prm_store32(tag, src / 8, 0x0a000000 | (i * 0x9e3779b1u & 0xffffff)); /* 10.0.0.0/8 */
	prm_store16(tag, sport / 8, (uint16_t)(1024 + i % 50000));
	must((cookie & GOING ? dvx_post_rule_del : dvx_post_rule)(sq, from, tag, cookie, flags),
	     "post");
}

/* Takes completions. A rule whose row was full goes to the spill table. */
static void take(void)
{
	struct dvx_wc wc;
	int got;

	while ((got = dvx_cq_poll(cq, &wc)) == 1) {
		uint32_t at = (uint32_t)wc.wr_id % size;

		if (!dvx_rule_failed(&wc))
			continue;
		must(wc.wr_id & GOING ? -ENOENT : spilled[at] ? -ENOSPC : 0, "connection table");
		spilled[at] = 1;
		full++;
		post(wc.wr_id, DVX_SIGNALED);
		dvx_sq_ring(sq);
	}
	must(got, "poll");
}

/* Adds n connections from `first` on, batch by batch; `replace`: each for the oldest one. */
static void change(uint32_t first, uint32_t n, bool replace)
{
	for (uint32_t i = first; i < first + n; i++) {
		if (replace)
			post(GOING | (i - size), 0);
		spilled[i % size] = 0;
		post(i, i % BATCH && i + 1 < first + n ? 0 : DVX_SIGNALED);
		if (i % BATCH && i + 1 < first + n)
			continue;
		dvx_sq_ring(sq);
		while (dvx_sq_free(sq) < dvx_sq_blocks(sq))
			take();
	}
}

int main(int argc, char **argv)
{
	struct dvx_flow_domain_attr rx = {
		.size = sizeof(rx), .flags = DVX_FLOW_HARDWARE, .side = DVX_FLOW_RX};
	struct dvx_txq_attr tx = {.size = sizeof(tx), .flags = DVX_TXQ_RULES, .sq_blocks = BLOCKS};
	struct dvx_txq *txq;

	size = argc > 1 ? (uint32_t)atol(argv[1]) : 100000;
	size = size < BLOCKS ? BLOCKS : size;
	spilled = calloc(size, 1);
	example_open(&x, argc > 2 ? argv[2] : NULL);
	must(dvx_flow_domain_create(x.dev, &rx, &domain), "hardware steering");
	steer(example_cq(&x));
	tx.pd = dvx_flow_domain_pd(domain);
	tx.uar = x.uar;
	tx.cq = cq = example_cq(&x);
	must(dvx_txq_create(x.dev, &tx, &txq), "queue of rules");
	sq = dvx_txq_ring(txq);
	change(0, size, false);
	printf("%u connections, %s in the spill table\n", size, full ? "some" : "none");
	change(size, size / 2, true);
	printf("%u went, and as many came\n", size / 2);
	return 0; /* rules, queues and all other objects end with the process */
}
