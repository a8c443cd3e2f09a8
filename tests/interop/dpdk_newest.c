/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for a newer DPDK than Debian's, on two functions of a chip: dpdk_newest [EAL OPTION...] -- rules|send PEER_MAC.
 * `rules` writes rules of hardware steering (dv_flow_en=2) with ranges of ports, of unequal masks in one table, and by
 * index; it updates actions of rules, and resizes a table. After each step it judges, for each destination port, in which
 * queue its packet arrives. `send` sends the packets of one step.
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
#define TTL_AT	   22u /* in a packet */
#define SOURCE_AT  29u /* of the source address's last byte */
#define PORT_AT	   36u /* of the destination port, behind the source port */
#define LAST_PORT  9u  /* of the packet behind all others of a step */

static struct rte_mempool *pool;
static struct rte_flow_error why;

static int fail(const char *what)
{
	fprintf(stderr, "dpdk_newest: %s: %s (%s)\n", what, why.message ? why.message : "?",
		rte_strerror(rte_errno));
	return 1;
}

/* --- the model: five tables, and what each step changes ----------------------------------------- */

#define RANGE_FIRST 1000u /* rule i: ten ports from here on, of which it has six */
#define RANGES	    64u
#define ROW	    8u /* ranges of one source port share a row of the table: it has room for 16 */
#define UPDATES	    64u
#define UPDATE_AT   20000u
#define MASKS_AT    22000u /* every second rule compares the source port, too; every fourth in vain */
#define MASKS	    64u
#define SIZED_AT    30000u
#define SMALL	    64u /* rules of the table before it is resized, and behind it */
#define LARGE	    4096u
#define SPLIT_AT    0x9c40u /* the low bits are the places that a hash chooses among */
#define SPLIT	    64u

enum step { WRITTEN, CHANGED, RESIZED, EMPTIED };

static unsigned int model_range(unsigned int port)
{
	return (port - RANGE_FIRST) / 10;
}

static bool model_in_ranges(unsigned int port)
{
	return port >= RANGE_FIRST && port < RANGE_FIRST + 10 * RANGES;
}

/* Returns the source port of the packet to this port. */
static unsigned int model_source(unsigned int port)
{
	return model_in_ranges(port) ? model_range(port) / ROW : RANGES;
}

static unsigned int split_place(unsigned int port);

/* Returns the queue of the packet to this port. */
static unsigned int model_queue(unsigned int port, enum step step)
{
	if (port == LAST_PORT)
		return 0;
	if (step == EMPTIED)
		return LOST;
	if (model_in_ranges(port)) {
		unsigned int i = model_range(port), at = (port - RANGE_FIRST) % 10;

		return at > 5 || (step >= CHANGED && i % 2) ? LOST : i % QUEUES;
	}
	if (port >= UPDATE_AT && port < UPDATE_AT + UPDATES)
		return step >= CHANGED && port % 2 ? 3 : 1;
	if (port >= MASKS_AT && port < MASKS_AT + MASKS)
		return (port - MASKS_AT) % 4 == 3 ? LOST : port % QUEUES;
	if (port >= SPLIT_AT && port < SPLIT_AT + SPLIT)
		return split_place(port) % QUEUES;
	if (port >= SIZED_AT && port < SIZED_AT + LARGE)
		return port - SIZED_AT < SMALL || step >= RESIZED ? 2 : LOST;
	return LOST;
}

/* Two fields that rules of `updates` and `sized` rewrite; returns what a packet that arrives in this queue has there. */
static unsigned int model_rewritten(unsigned int port, unsigned int queue, unsigned int without)
{
	return (port >= UPDATE_AT && port < UPDATE_AT + UPDATES) ||
			       (port >= SIZED_AT && port < SIZED_AT + LARGE)
		       ? 100 + queue
		       : without;
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
	for (unsigned int p = MASKS_AT - 5; p < MASKS_AT + MASKS + 5; p++)
		if (fn(p))
			return 1;
	for (unsigned int p = SPLIT_AT - 5; p < SPLIT_AT + SPLIT + 5; p++)
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
		"\x0a\x00\x00\x02\x00\x00\x00\x00\x00\x1e\x00\x00";
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
	bytes[PORT_AT - 1] = (uint8_t)model_source(port);
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
static const struct rte_flow_item_udp port_mask = {.hdr.dst_port = 0xffff};
static const struct rte_flow_item_udp ports_mask = {
	.hdr = {.src_port = 0xffff, .dst_port = 0xffff}};
static const struct rte_flow_item_udp split_mask = {.hdr.dst_port =
							    RTE_BE16((uint16_t) ~(SPLIT - 1))};

struct table {
	const char *name;
	struct rte_flow_template_table_attr attr;
	const struct rte_flow_item_udp *mask, *last;
	const struct rte_flow_item_udp *also; /* mask of a second pattern */
	const struct rte_flow_action *act;    /* queues if it is NULL */
	bool rewrites;
	struct rte_flow_template_table *t;
	struct rte_flow *rule[LARGE];
};
#define GROUP(g, p)                                         \
	{                                                   \
		.group = (g), .priority = (p), .ingress = 1 \
	}
static const struct rte_flow_action to_group[] = {
	{RTE_FLOW_ACTION_TYPE_JUMP, &(const struct rte_flow_action_jump){.group = 1}},
	{RTE_FLOW_ACTION_TYPE_END, NULL}};
static const struct rte_flow_action to_split[] = {
	{RTE_FLOW_ACTION_TYPE_JUMP, &(const struct rte_flow_action_jump){.group = 2}},
	{RTE_FLOW_ACTION_TYPE_END, NULL}};
/*
 * `updates` has room for two rules each: DPDK takes new arguments for the rewrites of an update, and if all of a table's
 * are taken, it writes those of another table (26.11.0-rc0; mlx5_hw_table_rule has more numbers than there are arguments).
 */
static struct table ranges = {.name = "ranges",
			      .attr = {.flow_attr = GROUP(1, 0), .nb_flows = RANGES},
			      .mask = &ports_mask,
			      .last = &port_mask},
		    updates = {.name = "updates",
			       .attr = {.flow_attr = GROUP(1, 1), .nb_flows = 2 * UPDATES},
			       .mask = &port_mask,
			       .rewrites = true},
		    masks = {.name = "masks",
			     .attr = {.flow_attr = GROUP(1, 2), .nb_flows = MASKS},
			     .mask = &port_mask,
			     .also = &ports_mask},
		    sized = {.name = "sized",
			     .attr = {.flow_attr = GROUP(1, 3),
				      .nb_flows = SMALL,
				      .specialize = RTE_FLOW_TABLE_SPECIALIZE_RESIZABLE},
			     .mask = &port_mask,
			     .rewrites = true},
		    last = {.name = "last",
			    .attr = {.flow_attr = GROUP(1, 4), .nb_flows = 1},
			    .mask = &port_mask},
		    splits = {.name = "splits",
			      .attr = {.flow_attr = GROUP(1, 5), .nb_flows = 1},
			      .mask = &split_mask,
			      .act = to_split},
		    split = {.name = "split",
			     .attr = {.flow_attr = GROUP(2, 0),
				      .nb_flows = SPLIT,
				      .insertion_type = RTE_FLOW_TABLE_INSERTION_TYPE_INDEX},
			     .mask = &port_mask},
		    root = {.name = "root",
			    .attr = {.flow_attr = GROUP(0, 0), .nb_flows = 1},
			    .act = to_group};

static struct table *const tables[] = {&ranges, &updates, &masks, &sized,
				       &splits, &split,	  &last,  &root};
#define TABLES	(sizeof(tables) / sizeof(tables[0]))
#define EMPTIES (TABLES - 2) /* the last ones lead to the packet that ends a step */

/* Actions of a rule. Masks of values are 0 if each rule has its own. */
struct actions {
	struct rte_flow_action_queue queue;
	struct rte_flow_action_modify_field ttl, source;
	struct rte_flow_action list[4];
};

static void rewrite_fill(struct rte_flow_action_modify_field *f, enum rte_flow_field_id to,
			 uint32_t width, bool mask, unsigned int value)
{
	memset(f, mask ? 0xff : 0, sizeof(*f));
	memset(f->src.value, 0, sizeof(f->src.value));
	f->operation = RTE_FLOW_MODIFY_SET;
	f->dst.field = to;
	f->src.field = RTE_FLOW_FIELD_VALUE;
	if (mask)
		return;
	f->width = width;
	f->src.value[width / 8 - 1] = (uint8_t)value;
}

static const struct rte_flow_action *actions_fill(struct actions *a, const struct table *t,
						  bool mask, unsigned int queue)
{
	struct rte_flow_action *to = a->list;

	if (t->act)
		return t->act;
	a->queue.index = mask ? 0 : (uint16_t)queue;
	rewrite_fill(&a->ttl, RTE_FLOW_FIELD_IPV4_TTL, 8, mask, 100 + queue);
	rewrite_fill(&a->source, RTE_FLOW_FIELD_IPV4_SRC, 32, mask, 100 + queue);
	if (t->rewrites) {
		*to++ = ACT(MODIFY_FIELD, &a->ttl);
		*to++ = ACT(MODIFY_FIELD, &a->source);
	}
	*to++ = ACT(QUEUE, &a->queue);
	*to = ACT(END, NULL);
	return a->list;
}

/* A pattern of UDP packets to ports, or of any packets if there is no mask. */
struct pattern {
	struct rte_flow_item item[4];
};

static struct pattern pattern_make(const struct rte_flow_item_udp *spec,
				   const struct rte_flow_item_udp *most,
				   const struct rte_flow_item_udp *mask)
{
	if (!spec && !mask)
		return (struct pattern){{ITEM(ETH, NULL, NULL, NULL), ITEM(END, NULL, NULL, NULL)}};
	return (struct pattern){{ITEM(ETH, NULL, NULL, NULL), ITEM(IPV4, NULL, NULL, NULL),
				 ITEM(UDP, spec, most, mask), ITEM(END, NULL, NULL, NULL)}};
}

static struct rte_flow_pattern_template *pattern_create(const struct table *t,
							const struct rte_flow_item_udp *mask)
{
	struct rte_flow_pattern_template_attr in = {.relaxed_matching = !mask, .ingress = 1};
	struct pattern p = pattern_make(NULL, t->last, mask);

	return rte_flow_pattern_template_create(0, &in, p.item, &why);
}

static int table_create(struct table *t)
{
	struct actions act, mask;
	struct rte_flow_actions_template_attr to = {.ingress = 1};
	struct rte_flow_pattern_template *pattern[2] = {
		pattern_create(t, t->mask), t->also ? pattern_create(t, t->also) : NULL};
	struct rte_flow_actions_template *actions = rte_flow_actions_template_create(
		0, &to, actions_fill(&act, t, false, 0), actions_fill(&mask, t, true, 0), &why);

	if (actions && pattern[0] && !pattern[1] == !t->also)
		t->t = rte_flow_template_table_create(0, &t->attr, pattern, t->also ? 2 : 1,
						      &actions, 1, &why);
	return t->t ? 0 : fail(t->name);
}

static struct rte_flow_item_udp ports(unsigned int source, unsigned int port)
{
	return (struct rte_flow_item_udp){.hdr = {.src_port = rte_cpu_to_be_16((uint16_t)source),
						  .dst_port = rte_cpu_to_be_16((uint16_t)port)}};
}

/* Writes the n-th rule of a table by one of its patterns. */
static int rule_create(struct table *t, unsigned int n, uint8_t by, struct rte_flow_item_udp least,
		       struct rte_flow_item_udp most, unsigned int queue_of)
{
	const struct pattern p =
		pattern_make(t->mask ? &least : NULL, t->last ? &most : NULL, NULL);
	struct actions act;
	const struct rte_flow_action *actions = actions_fill(&act, t, false, queue_of);

	t->rule[n] = t->attr.insertion_type == RTE_FLOW_TABLE_INSERTION_TYPE_INDEX
			     ? rte_flow_async_create_by_index(0, 0, &at_once, t->t, n, actions, 0,
							      NULL, &why)
			     : rte_flow_async_create(0, 0, &at_once, t->t, p.item, by, actions, 0,
						     NULL, &why);
	return posted(t->rule[n], t->name);
}

static int port_rule(struct table *t, unsigned int n, unsigned int port, unsigned int queue_of)
{
	return rule_create(t, n, 0, ports(model_source(port), port), ports(0, 0), queue_of);
}

static int rule_update(struct table *t, unsigned int n, unsigned int queue_of)
{
	struct actions act;

	return posted(!rte_flow_async_actions_update(0, 0, &at_once, t->rule[n],
						     actions_fill(&act, t, false, queue_of), 0,
						     NULL, &why),
		      "update");
}

/* Returns the index of the rule that the packet to this port hits, as DPDK calculates it. */
static unsigned int split_place(unsigned int port)
{
	const struct rte_flow_item_udp to = ports(model_source(port), port);
	const struct pattern p = pattern_make(&to, NULL, NULL);
	uint32_t hash;

	if (rte_flow_calc_table_hash(0, split.t, p.item, 0, &hash, &why))
		return LOST + (unsigned int)fail("hash");
	return hash % SPLIT;
}

static int ranges_write(void)
{
	for (unsigned int i = 0; i < RANGES; i++) {
		const unsigned int from = RANGE_FIRST + 10 * i;

		if (rule_create(&ranges, i, 0, ports(model_source(from), from), ports(0, from + 5),
				i % QUEUES))
			return 1;
	}
	return 0;
}

static int masks_write(void)
{
	for (unsigned int i = 0; i < MASKS; i++)
		if (rule_create(&masks, i, i % 2, ports(i % 4 == 3 ? 1 : RANGES, MASKS_AT + i),
				ports(0, 0), i % QUEUES))
			return 1;
	return 0;
}

static int splits_write(void)
{
	for (unsigned int i = 0; i < SPLIT; i++)
		if (port_rule(&split, i, 0, i % QUEUES))
			return 1;
	return port_rule(&splits, 0, SPLIT_AT, 0);
}

/* Group 0 is the firmware's; its only rule leads to group 1. */
static int rules_write(void)
{
	for (unsigned int i = 0; i < TABLES; i++)
		if (table_create(tables[i]))
			return 1;
	for (unsigned int i = 0; i < UPDATES; i++)
		if (port_rule(&updates, i, UPDATE_AT + i, 1))
			return 1;
	for (unsigned int i = 0; i < SMALL; i++)
		if (port_rule(&sized, i, SIZED_AT + i, 2))
			return 1;
	return ranges_write() || masks_write() || splits_write() ||
	       port_rule(&last, 0, LAST_PORT, 0) || port_rule(&root, 0, 0, 0) || finish();
}

static int rule_remove(struct rte_flow **rule)
{
	struct rte_flow *r = *rule;

	*rule = NULL;
	return r && posted(!rte_flow_async_destroy(0, 0, &at_once, r, NULL, &why), "destroy");
}

/* Removes every second range, and gives every second rule of `updates` another queue. */
static int rules_change(void)
{
	for (unsigned int i = 1; i < RANGES; i += 2)
		if (rule_remove(&ranges.rule[i]))
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
		if (port_rule(&sized, i, SIZED_AT + i, 2))
			return 1;
	return finish();
}

static int rules_remove(size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		for (unsigned int i = 0; i < LARGE; i++)
			if (rule_remove(&tables[t]->rule[i]))
				return 1;
	return finish();
}

/* --- judgement ------------------------------------------------------------------------------------ */

static uint8_t arrived[1 << 16][QUEUES], ttl_of[1 << 16], source_of[1 << 16];
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
	if (want != LOST &&
	    (ttl_of[port] != model_rewritten(port, want, 64) ||
	     source_of[port] != model_rewritten(port, want, 1)) &&
	    wrong++ < 20)
		fprintf(stderr, "step %d, port %u: TTL %u, source %u\n", step, port, ttl_of[port],
			source_of[port]);
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
				ttl_of[port] = bytes[TTL_AT];
				source_of[port] = bytes[SOURCE_AT];
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

/*
 * Removes all rules at the end: the driver, when it stops, waits 60 microseconds for completions of rules that it removes,
 * and crashes behind rules that are left.
 */
static int rules(void)
{
	struct rte_flow_port_attr port = {0};
	struct rte_flow_queue_attr queue = {.size = QUEUE_SIZE};
	const struct rte_flow_queue_attr *one[] = {&queue};

	if (rte_eth_dev_stop(0) || rte_flow_configure(0, &port, 1, one, &why) ||
	    rte_eth_dev_start(0))
		return fail("configure");
	return rules_write() || judged(WRITTEN, "written") || rules_change() ||
	       judged(CHANGED, "changed") || rules_resize() || judged(RESIZED, "resized") ||
	       rules_remove(0, EMPTIES) || judged(EMPTIED, "emptied") ||
	       rules_remove(EMPTIES, TABLES);
}

static int start(void)
{
	struct rte_eth_conf conf = {0};

	pool = rte_pktmbuf_pool_create("packets", 16383, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
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
