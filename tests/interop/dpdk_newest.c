/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for a newer DPDK than Debian's, on two functions of a chip: dpdk_newest [EAL OPTION...] -- rules|send PEER_MAC.
 * `rules` writes rules of hardware steering (dv_flow_en=2) with ranges of ports, updates actions of rules, and resizes a
 * table; after each step it judges, for each destination port, in which queue its packet arrives. `send` sends the
 * packets of one step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>

#define QUEUES	   4u
#define QUEUE_SIZE 64u
#define LOST	   QUEUES /* no rule has the packet */
#define PACKET	   64u
#define PORT_AT	   36u /* of the destination port in a packet */
#define LAST_PORT  9u  /* of the packet behind all others of a step */

static struct rte_mempool *pool;
static struct rte_flow_error why;

static int fail(const char *what)
{
	fprintf(stderr, "dpdk_newest: %s: %s (%s)\n", what, why.message ? why.message : "?",
		rte_strerror(rte_errno));
	return 1;
}

/* --- the model: three tables, and what each step changes ---------------------------------------- */

#define RANGE_FIRST 1000u /* rule i: ten ports from here on, of which it has six */
#define RANGES	    64u
#define UPDATES	    64u
#define UPDATE_AT   20000u
#define SIZED_AT    30000u
#define SMALL	    64u /* rules of the table before it is resized, and behind it */
#define LARGE	    4096u

enum step { WRITTEN, CHANGED, RESIZED, STEPS };

/* Returns the queue of the packet to this port. */
static unsigned int model_queue(unsigned int port, enum step step)
{
	if (port == LAST_PORT)
		return 0;
	if (port >= RANGE_FIRST && port < RANGE_FIRST + 10 * RANGES) {
		unsigned int i = (port - RANGE_FIRST) / 10, at = (port - RANGE_FIRST) % 10;

		return at > 5 || (step >= CHANGED && i % 2) ? LOST : i % QUEUES;
	}
	if (port >= UPDATE_AT && port < UPDATE_AT + UPDATES)
		return step >= CHANGED && port % 2 ? 3 : 1;
	if (port >= SIZED_AT && port < SIZED_AT + LARGE)
		return port - SIZED_AT < SMALL || step >= RESIZED ? 2 : LOST;
	return LOST;
}

/* Calls fn for each port of which a packet is sent. */
static int each_port(int (*fn)(unsigned int port))
{
	for (unsigned int p = RANGE_FIRST - 5; p < RANGE_FIRST + 10 * RANGES + 5; p++)
		if (fn(p))
			return 1;
	for (unsigned int p = UPDATE_AT - 5; p < UPDATE_AT + UPDATES + 5; p++)
		if (fn(p))
			return 1;
	for (unsigned int p = SIZED_AT - 5; p < SIZED_AT + LARGE + 5; p += 3)
		if (fn(p))
			return 1;
	return fn(LAST_PORT);
}

/* --- the sender ---------------------------------------------------------------------------------- */

static struct rte_ether_addr peer, own;

static int send_to(unsigned int port)
{
	static const uint8_t udp[] =
		"\x08\x00\x45\x00\x00\x32\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x00\x01"
		"\x0a\x00\x00\x02\x30\x39\x00\x00\x00\x1e\x00\x00";
	struct rte_mbuf *m = NULL;
	uint8_t *bytes;

	while (!m) { /* those of packets that are sent come back by a burst */
		m = rte_pktmbuf_alloc(pool);
		if (!m)
			rte_eth_tx_done_cleanup(0, 0, 0);
	}
	bytes = rte_pktmbuf_mtod(m, uint8_t *);
	memset(bytes, 0, PACKET);
	memcpy(bytes, peer.addr_bytes, 6);
	memcpy(bytes + 6, own.addr_bytes, 6);
	memcpy(bytes + 12, udp, sizeof(udp) - 1);
	bytes[PORT_AT] = (uint8_t)(port >> 8);
	bytes[PORT_AT + 1] = (uint8_t)port;
	m->data_len = PACKET;
	m->pkt_len = PACKET;
	while (!rte_eth_tx_burst(0, 0, &m, 1))
		;
	return 0;
}

/* --- rules --------------------------------------------------------------------------------------- */

static unsigned int pending; /* requests that were posted, and not pulled */

static int finish(void)
{
	struct rte_flow_op_result done[QUEUE_SIZE];

	if (rte_flow_push(0, 0, &why))
		return fail("push");
	while (pending) {
		int n = rte_flow_pull(0, 0, done, QUEUE_SIZE, &why);

		for (int i = 0; i < n; i++)
			if (done[i].status != RTE_FLOW_OP_SUCCESS)
				return fail("a request failed");
		pending -= n > 0 ? (unsigned int)n : 0;
	}
	return 0;
}

static int posted(bool ok, const char *what)
{
	if (!ok)
		return fail(what);
	return ++pending == QUEUE_SIZE / 2 ? finish() : 0;
}

#define ITEM(t, s, l, m) \
	((struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_##t, .spec = s, .last = l, .mask = m})
#define ACT(t, c) ((struct rte_flow_action){.type = RTE_FLOW_ACTION_TYPE_##t, .conf = c})

static const struct rte_flow_op_attr at_once = {.postpone = 0};
static struct rte_flow_item_udp port_mask = {.hdr.dst_port = 0xffff};

struct table {
	const char *name;
	uint32_t group, priority, rules, specialize;
	bool range;
	struct rte_flow_template_table *t;
	struct rte_flow *rule[LARGE];
};
static struct table ranges = {"ranges", 1, 0, RANGES, 0, true, NULL, {0}},
		    updates = {"updates", 1, 1, UPDATES, 0, false, NULL, {0}},
		    sized = {"sized", 1,    2,	SMALL, RTE_FLOW_TABLE_SPECIALIZE_RESIZABLE,
			     false,   NULL, {0}},
		    last = {"last", 1, 3, 1, 0, false, NULL, {0}},
		    root = {"root", 0, 0, 1, 0, false, NULL, {0}};

static int table_create(struct table *t, const struct rte_flow_item *match,
			const struct rte_flow_action *act, const struct rte_flow_action *mask)
{
	struct rte_flow_pattern_template_attr in = {.relaxed_matching = !t->group, .ingress = 1};
	struct rte_flow_actions_template_attr to = {.ingress = 1};
	struct rte_flow_template_table_attr size = {
		.flow_attr = {.group = t->group, .priority = t->priority, .ingress = 1},
		.nb_flows = t->rules,
		.specialize = t->specialize};
	struct rte_flow_pattern_template *pattern =
		rte_flow_pattern_template_create(0, &in, match, &why);
	struct rte_flow_actions_template *actions =
		pattern ? rte_flow_actions_template_create(0, &to, act, mask, &why) : NULL;

	t->t = actions ? rte_flow_template_table_create(0, &size, &pattern, 1, &actions, 1, &why)
		       : NULL;
	return t->t ? 0 : fail(t->name);
}

/* A table of rules by destination port, or by a range of these, that lead to queues. */
static int ports_create(struct table *t)
{
	const struct rte_flow_item match[] = {
		ITEM(ETH, NULL, NULL, NULL), ITEM(IPV4, NULL, NULL, NULL),
		ITEM(UDP, NULL, t->range ? &port_mask : NULL, &port_mask),
		ITEM(END, NULL, NULL, NULL)};
	struct rte_flow_action_queue queue = {0};
	const struct rte_flow_action act[] = {ACT(QUEUE, &queue), ACT(END, NULL)};
	const struct rte_flow_action mask[] = {ACT(QUEUE, NULL), ACT(END, NULL)};

	return table_create(t, match, act, mask);
}

static int rule_create(struct table *t, unsigned int n, unsigned int from, unsigned int to,
		       unsigned int queue_of)
{
	struct rte_flow_item_udp least = {.hdr.dst_port = rte_cpu_to_be_16((uint16_t)from)},
				 most = {.hdr.dst_port = rte_cpu_to_be_16((uint16_t)to)};
	const struct rte_flow_item match[] = {
		ITEM(ETH, NULL, NULL, NULL), ITEM(IPV4, NULL, NULL, NULL),
		ITEM(UDP, &least, t->range ? &most : NULL, NULL), ITEM(END, NULL, NULL, NULL)};
	const struct rte_flow_action_queue queue = {.index = (uint16_t)queue_of};
	const struct rte_flow_action act[] = {ACT(QUEUE, &queue), ACT(END, NULL)};

	t->rule[n] = rte_flow_async_create(0, 0, &at_once, t->t, match, 0, act, 0, NULL, &why);
	return posted(t->rule[n], t->name);
}

static int rule_update(struct table *t, unsigned int n, unsigned int queue_of)
{
	const struct rte_flow_action_queue queue = {.index = (uint16_t)queue_of};
	const struct rte_flow_action act[] = {ACT(QUEUE, &queue), ACT(END, NULL)};

	return posted(
		!rte_flow_async_actions_update(0, 0, &at_once, t->rule[n], act, 0, NULL, &why),
		"update");
}

/* Group 0 is the firmware's; its only rule leads to group 1. */
static int root_create(void)
{
	static struct rte_flow_action_jump to = {.group = 1};
	const struct rte_flow_action jump[] = {ACT(JUMP, &to), ACT(END, NULL)};
	const struct rte_flow_item any[] = {ITEM(ETH, NULL, NULL, NULL),
					    ITEM(END, NULL, NULL, NULL)};

	if (table_create(&root, any, jump, jump))
		return 1;
	root.rule[0] = rte_flow_async_create(0, 0, &at_once, root.t, any, 0, jump, 0, NULL, &why);
	return posted(root.rule[0], "root");
}

static int rules_write(void)
{
	if (ports_create(&ranges) || ports_create(&updates) || ports_create(&sized) ||
	    ports_create(&last))
		return 1;
	for (unsigned int i = 0; i < RANGES; i++)
		if (rule_create(&ranges, i, RANGE_FIRST + 10 * i, RANGE_FIRST + 10 * i + 5,
				i % QUEUES))
			return 1;
	for (unsigned int i = 0; i < UPDATES; i++)
		if (rule_create(&updates, i, UPDATE_AT + i, 0, 1))
			return 1;
	for (unsigned int i = 0; i < SMALL; i++)
		if (rule_create(&sized, i, SIZED_AT + i, 0, 2))
			return 1;
	return rule_create(&last, 0, LAST_PORT, 0, 0) || root_create() || finish();
}

/* Removes every second range, and gives every second rule of `updates` another queue. */
static int rules_change(void)
{
	for (unsigned int i = 1; i < RANGES; i += 2)
		if (posted(!rte_flow_async_destroy(0, 0, &at_once, ranges.rule[i], NULL, &why),
			   "destroy"))
			return 1;
	for (unsigned int i = 1; i < UPDATES; i += 2)
		if (rule_update(&updates, i, 3))
			return 1;
	return finish();
}

/* Moves the rules of `sized` into a larger table, and adds more. */
static int rules_resize(void)
{
	if (rte_flow_template_table_resize(0, sized.t, LARGE, &why))
		return fail("resize");
	for (unsigned int i = 0; i < SMALL; i++)
		if (posted(!rte_flow_async_update_resized(0, 0, &at_once, sized.rule[i], NULL,
							  &why),
			   "update_resized"))
			return 1;
	if (finish() || rte_flow_template_table_resize_complete(0, sized.t, &why))
		return fail("resize_complete");
	for (unsigned int i = SMALL; i < LARGE; i++)
		if (rule_create(&sized, i, SIZED_AT + i, 0, 2))
			return 1;
	return finish();
}

/* --- judgement ------------------------------------------------------------------------------------ */

static uint8_t arrived[1 << 16][QUEUES];
static enum step step;
static unsigned int sent, wrong;

static int judge(unsigned int port)
{
	const unsigned int want = model_queue(port, step);

	sent++;
	for (unsigned int q = 0; q < QUEUES; q++)
		if (arrived[port][q] != (q == want) && wrong++ < 20)
			fprintf(stderr,
				"step %d, port %u: %u packets in queue %u, the model has queue "
				"%u\n",
				step, port, arrived[port][q], q, want);
	return 0;
}

/* Receives until the last packet has come, and all queues are empty behind it. */
static void receive(void)
{
	bool ended = false;

	memset(arrived, 0, sizeof(arrived));
	for (unsigned int empty = 0; !ended || empty < 2 * QUEUES;)
		for (uint16_t q = 0; q < QUEUES; q++) {
			struct rte_mbuf *m[32];
			unsigned int n = rte_eth_rx_burst(0, q, m, 32);

			empty = n ? 0 : empty + 1;
			for (unsigned int i = 0; i < n; i++) {
				const uint8_t *bytes = rte_pktmbuf_mtod(m[i], const uint8_t *);
				unsigned int port =
					(unsigned int)bytes[PORT_AT] << 8 | bytes[PORT_AT + 1];

				ended |= port == LAST_PORT;
				arrived[port][q]++;
			}
			rte_pktmbuf_free_bulk(m, n);
		}
}

static int judged(enum step which, const char *said)
{
	step = which;
	printf("%s\n", said);
	fflush(stdout);
	receive();
	sent = wrong = 0;
	each_port(judge);
	printf("%s: %u of %u packets\n", said, sent - wrong, sent);
	fflush(stdout);
	return wrong != 0;
}

static int rules(void)
{
	struct rte_flow_port_attr port = {0};
	struct rte_flow_queue_attr queue = {.size = QUEUE_SIZE};
	const struct rte_flow_queue_attr *one[] = {&queue};

	if (rte_eth_dev_stop(0) || rte_flow_configure(0, &port, 1, one, &why) ||
	    rte_eth_dev_start(0))
		return fail("configure");
	return rules_write() || judged(WRITTEN, "written") || rules_change() ||
	       judged(CHANGED, "changed") || rules_resize() || judged(RESIZED, "resized");
}

static int start(void)
{
	struct rte_eth_conf conf = {0};

	pool = rte_pktmbuf_pool_create("packets", 8191, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (!pool || rte_eth_dev_configure(0, QUEUES, 1, &conf))
		return fail("start");
	for (uint16_t q = 0; q < QUEUES; q++)
		if (rte_eth_rx_queue_setup(0, q, 2048, 0, NULL, pool))
			return fail("receive queue");
	return rte_eth_tx_queue_setup(0, 0, 256, 0, NULL) || rte_eth_dev_start(0) ? fail("start")
										  : 0;
}

int main(int argc, char **argv)
{
	int used = rte_eal_init(argc, argv), rc;

	if (used < 0 || argc - used != 3 || rte_ether_unformat_addr(argv[used + 2], &peer) ||
	    !rte_eth_dev_count_avail() || start())
		return fail("EAL, rules|send PEER_MAC, or no port");
	rte_eth_macaddr_get(0, &own);
	rc = strcmp(argv[used + 1], "rules") ? each_port(send_to) : rules();
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	return rc;
}
