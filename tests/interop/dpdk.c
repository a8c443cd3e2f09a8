/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DPDK program for two functions of a chip: dpdk [EAL OPTION...] -- echo|ask PEER_MAC.
 * `echo` drops what comes for UDP port 7 by a rule that counts, and sends back what comes for port 8,
 * in order; `ask` sends COUNT packets to each and checks the answers. Checksums are the NIC's work.
 * `rules` is `echo` by hardware steering (dv_flow_en=2): among RULES rules that WQEs write.
 */
#include <stdio.h>
#include <string.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

#define COUNT	   64
#define BURST	   16
#define DATA_BYTES 100

enum port { DISCARDED = 7, ECHOED = 8, ASKER = 9 };

struct frame {
	struct rte_ether_hdr eth;
	struct rte_ipv4_hdr ip;
	struct rte_udp_hdr udp;
	uint8_t data[DATA_BYTES];
} __attribute__((packed, aligned(2)));

static struct rte_mempool *pool;

static int fail(const char *what, int rc)
{
	fprintf(stderr, "dpdk: %s: %s\n", what, rte_strerror(rc < 0 ? -rc : rc));
	return 1;
}

static int start(void)
{
	struct rte_eth_conf conf = {
		.rxmode.offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM,
		.txmode.offloads = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM,
	};
	int rc;

	pool = rte_pktmbuf_pool_create("packets", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (!pool)
		return fail("memory", rte_errno);
	if ((rc = rte_eth_dev_configure(0, 1, 1, &conf)))
		return fail("configure", rc);
	if ((rc = rte_eth_rx_queue_setup(0, 0, 256, 0, NULL, pool)))
		return fail("receive queue", rc);
	if ((rc = rte_eth_tx_queue_setup(0, 0, 256, 0, NULL)))
		return fail("send queue", rc);
	if ((rc = rte_eth_dev_start(0)))
		return fail("start", rc);
	return 0;
}

static struct rte_mbuf *make(const struct rte_ether_addr *peer, enum port to, unsigned int n)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	struct frame *f = (void *)rte_pktmbuf_append(m, sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->eth.dst_addr = *peer;
	rte_eth_macaddr_get(0, &f->eth.src_addr);
	f->eth.ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	f->ip.version_ihl = 0x45;
	f->ip.time_to_live = 9;
	f->ip.next_proto_id = IPPROTO_UDP;
	f->ip.total_length = rte_cpu_to_be_16(sizeof(*f) - sizeof(f->eth));
	f->ip.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 1));
	f->ip.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 2));
	f->udp.src_port = rte_cpu_to_be_16(ASKER);
	f->udp.dst_port = rte_cpu_to_be_16(to);
	f->udp.dgram_len = rte_cpu_to_be_16(sizeof(f->udp) + DATA_BYTES);
	memset(f->data, (int)n, DATA_BYTES);
	return m;
}

static void transmit(struct rte_mbuf *m)
{
	struct frame *f = rte_pktmbuf_mtod(m, struct frame *);

	m->l2_len = sizeof(f->eth);
	m->l3_len = sizeof(f->ip);
	m->ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;
	f->ip.hdr_checksum = 0;
	f->udp.dgram_cksum = rte_ipv4_phdr_cksum(&f->ip, m->ol_flags);
	while (!rte_eth_tx_burst(0, 0, &m, 1))
		;
}

static bool rewritten; /* by the rules */
#define TTL    33
#define SOURCE RTE_IPV4(10, 9, 9, 9)

/* The n-th of the test's packets for this port; not what a kernel sends on its own. */
static bool is_good(struct rte_mbuf *m, enum port to, unsigned int n)
{
	const struct frame *f = rte_pktmbuf_mtod(m, const struct frame *);
	uint64_t sums = m->ol_flags & (RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK);

	return f->udp.dst_port == rte_cpu_to_be_16(to) && f->data[0] == n &&
	       (!rewritten ||
		(f->ip.time_to_live == TTL && f->ip.src_addr == rte_cpu_to_be_32(SOURCE))) &&
	       !memcmp(f->data, f->data + 1, DATA_BYTES - 1) &&
	       sums == (RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD);
}

static bool is_udp(struct rte_mbuf *m)
{
	const struct frame *f = rte_pktmbuf_mtod(m, const struct frame *);

	return m->data_len == sizeof(*f) &&
	       f->eth.ether_type == rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4) &&
	       f->ip.next_proto_id == IPPROTO_UDP;
}

static void send_back(struct rte_mbuf *m, const struct rte_ether_addr *peer)
{
	struct frame *f = rte_pktmbuf_mtod(m, struct frame *);

	f->eth.src_addr = f->eth.dst_addr;
	f->eth.dst_addr = *peer;
	f->udp.dst_port = rte_cpu_to_be_16(ASKER);
	transmit(m);
}

/* COUNT packets for a port, in order; each goes back if there is a peer for it. */
static int receive(enum port port, const struct rte_ether_addr *echo_to)
{
	unsigned int n = 0;

	while (n < COUNT) {
		struct rte_mbuf *m[BURST];
		unsigned int got = rte_eth_rx_burst(0, 0, m, BURST);

		for (unsigned int i = 0; i < got; i++) {
			bool ours = is_udp(m[i]);

			if (ours && !is_good(m[i], port, n++))
				return fail("a packet is not as it was sent", EBADMSG);
			if (ours && echo_to)
				send_back(m[i], echo_to);
			else
				rte_pktmbuf_free(m[i]);
		}
	}
	return 0;
}

static struct rte_flow *discard(struct rte_flow_error *why)
{
	struct rte_flow_attr in = {.ingress = 1};
	struct rte_flow_item_udp seven = {.hdr.dst_port = rte_cpu_to_be_16(DISCARDED)};
	struct rte_flow_item_udp mask = {.hdr.dst_port = 0xffff};
	struct rte_flow_item match[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &seven, .mask = &mask},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	struct rte_flow_action_count count = {0};
	struct rte_flow_action act[] = {
		{.type = RTE_FLOW_ACTION_TYPE_COUNT, .conf = &count},
		{.type = RTE_FLOW_ACTION_TYPE_DROP},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};

	return rte_flow_create(0, &in, match, act, why);
}

static int echo(const struct rte_ether_addr *peer)
{
	struct rte_flow_error why = {0};
	struct rte_flow *rule = discard(&why);
	struct rte_flow_query_count hits = {0};
	struct rte_flow_action act[] = {
		{.type = RTE_FLOW_ACTION_TYPE_COUNT},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};
	int rc;

	if (!rule)
		return fail(why.message ? why.message : "rule", rte_errno);
	printf("ready\n");
	fflush(stdout);
	if ((rc = receive(ECHOED, peer)))
		return rc;
	if ((rc = rte_flow_query(0, rule, act, &hits, &why)))
		return fail(why.message ? why.message : "query", rc);
	printf("the rule dropped %lu packets\n", hits.hits);
	return hits.hits != COUNT;
}

/* --- hardware steering ------------------------------------------------------------------------ */

#define RULES	   3000u /* of 4096, so that rows are full now and then */
#define QUEUE_SIZE 64u

static int why_not(const struct rte_flow_error *why)
{
	return fail(why->message ? why->message : "rules", rte_errno);
}

/* Waits for n rules; -1 if one failed. */
static int pull(unsigned int n)
{
	struct rte_flow_op_result done[QUEUE_SIZE];
	struct rte_flow_error why;
	int rc = 0;

	for (unsigned int got = 0; got < n;) {
		int more = rte_flow_pull(0, 0, done, QUEUE_SIZE, &why);

		for (int i = 0; i < more; i++)
			rc |= done[i].status == RTE_FLOW_OP_SUCCESS ? 0 : -1;
		got += more > 0 ? (unsigned int)more : 0;
	}
	return rc;
}

/* A table of this group for packets that this mask compares, and two lists of actions. */
static struct rte_flow_template_table *table_of(uint32_t group, const struct rte_flow_item *match,
						const struct rte_flow_action *first,
						const struct rte_flow_action *second,
						const struct rte_flow_action *second_mask,
						struct rte_flow_error *why)
{
	struct rte_flow_pattern_template_attr relaxed = {.relaxed_matching = 1, .ingress = 1};
	struct rte_flow_actions_template_attr in = {.ingress = 1};
	struct rte_flow_template_table_attr size = {
		.flow_attr = {.group = group, .ingress = 1},
		.nb_flows = group ? 4096 : 1,
	};
	struct rte_flow_pattern_template *pattern =
		rte_flow_pattern_template_create(0, &relaxed, match, why);
	struct rte_flow_actions_template *actions[2] = {
		rte_flow_actions_template_create(0, &in, first, first, why),
		second ? rte_flow_actions_template_create(0, &in, second, second_mask, why) : NULL};

	if (!pattern || !actions[0] || (second && !actions[1]))
		return NULL;
	return rte_flow_template_table_create(0, &size, &pattern, 1, actions, second ? 2 : 1, why);
}

static struct rte_flow_template_table *rules_table;
static struct rte_flow_action_count count;
static struct rte_flow_action drops[] = {{.type = RTE_FLOW_ACTION_TYPE_COUNT, .conf = &count},
					 {.type = RTE_FLOW_ACTION_TYPE_DROP},
					 {.type = RTE_FLOW_ACTION_TYPE_END}};
static struct rte_flow_action_queue first_queue;
/* Two rewrites are a pattern, and their values are arguments of the rule. */
static struct rte_flow_action_modify_field ttl = {
	.operation = RTE_FLOW_MODIFY_SET,
	.dst.field = RTE_FLOW_FIELD_IPV4_TTL,
	.src = {.field = RTE_FLOW_FIELD_VALUE, .value = {TTL}},
	.width = 8,
};
static struct rte_flow_action_modify_field source = {
	.operation = RTE_FLOW_MODIFY_SET,
	.dst.field = RTE_FLOW_FIELD_IPV4_SRC,
	.src = {.field = RTE_FLOW_FIELD_VALUE, .value = {10, 9, 9, 9}},
	.width = 32,
};
static struct rte_flow_action queues[] = {
	{.type = RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, .conf = &ttl},
	{.type = RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, .conf = &source},
	{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &first_queue},
	{.type = RTE_FLOW_ACTION_TYPE_END}};
static struct rte_flow_action_modify_field ttl_mask, source_mask;
static struct rte_flow_action queues_mask[] = {
	{.type = RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, .conf = &ttl_mask},
	{.type = RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, .conf = &source_mask},
	{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &first_queue},
	{.type = RTE_FLOW_ACTION_TYPE_END}};

/* Returns the mask of an action whose value comes with each rule. */
static struct rte_flow_action_modify_field
without_value(const struct rte_flow_action_modify_field *action)
{
	struct rte_flow_action_modify_field mask = *action;

	mask.dst.level = mask.dst.offset = mask.width = UINT32_MAX;
	memset(mask.src.value, 0, sizeof(mask.src.value));
	return mask;
}

/* Begins to write the rule of a port: it is dropped, or received by the queue. */
static struct rte_flow *rule_of(uint16_t port, bool receives, struct rte_flow_error *why)
{
	struct rte_flow_op_attr now = {.postpone = 0};
	struct rte_flow_item_udp udp = {.hdr.dst_port = rte_cpu_to_be_16(port)};
	struct rte_flow_item match[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &udp},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};

	return rte_flow_async_create(0, 0, &now, rules_table, match, 0, receives ? queues : drops,
				     receives, NULL, why);
}

/* Writes rules for RULES ports from the first one on; that of ECHOED receives. */
static int write_rules(struct rte_flow **rule, struct rte_flow_error *why)
{
	for (unsigned int i = 0; i < RULES; i++) {
		rule[i] = rule_of((uint16_t)(1 + i), 1 + i == ECHOED, why);
		if (!rule[i] || pull(1))
			return why_not(why);
	}
	return 0;
}

static int remove_rules(struct rte_flow **rule, struct rte_flow_error *why)
{
	struct rte_flow_op_attr now = {.postpone = 0};

	for (unsigned int i = 0; i < RULES; i++)
		if (rte_flow_async_destroy(0, 0, &now, rule[i], NULL, why) || pull(1))
			return why_not(why);
	return 0;
}

/* Group 0 is the firmware's; its only rule leads to group 1. */
static int lead_to_rules(struct rte_flow_error *why)
{
	static struct rte_flow_action_jump to = {.group = 1};
	static const struct rte_flow_action jump[] = {
		{.type = RTE_FLOW_ACTION_TYPE_JUMP, .conf = &to},
		{.type = RTE_FLOW_ACTION_TYPE_END}};
	static const struct rte_flow_item any[] = {{.type = RTE_FLOW_ITEM_TYPE_ETH},
						   {.type = RTE_FLOW_ITEM_TYPE_END}};
	struct rte_flow_op_attr now = {.postpone = 0};
	struct rte_flow_template_table *root = table_of(0, any, jump, NULL, NULL, why);

	if (!root || !rte_flow_async_create(0, 0, &now, root, any, 0, jump, 0, NULL, why) ||
	    pull(1))
		return why_not(why);
	return 0;
}

static int configure_rules(struct rte_flow_error *why)
{
	struct rte_flow_port_attr port = {.nb_counters = 2 * RULES};
	struct rte_flow_queue_attr queue = {.size = QUEUE_SIZE};
	const struct rte_flow_queue_attr *one[] = {&queue};

	if (rte_eth_dev_stop(0) || rte_flow_configure(0, &port, 1, one, why) ||
	    rte_eth_dev_start(0))
		return why_not(why);
	return 0;
}

/* Waits for the counter of a rule: a thread of DPDK's reads all counters now and then. */
static int wait_for_hits(struct rte_flow *rule, struct rte_flow_error *why)
{
	static const struct rte_flow_action act[] = {{.type = RTE_FLOW_ACTION_TYPE_COUNT},
						     {.type = RTE_FLOW_ACTION_TYPE_END}};
	struct rte_flow_query_count hits = {0};

	while (hits.hits < COUNT)
		if (rte_flow_query(0, rule, act, &hits, why))
			return why_not(why);
	printf("the rule dropped %lu packets\n", hits.hits);
	return hits.hits != COUNT;
}

static int rules(const struct rte_ether_addr *peer)
{
	static struct rte_flow *rule[RULES];
	struct rte_flow_item_udp mask = {.hdr.dst_port = 0xffff};
	struct rte_flow_item match[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_UDP, .mask = &mask},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	struct rte_flow_error why = {0};

	if (configure_rules(&why))
		return 1;
	ttl_mask = without_value(&ttl);
	source_mask = without_value(&source);
	rules_table = table_of(1, match, drops, queues, queues_mask, &why);
	if (!rules_table)
		return why_not(&why);
	/* those that were removed leave their places */
	if (write_rules(rule, &why) || remove_rules(rule, &why) || write_rules(rule, &why) ||
	    lead_to_rules(&why))
		return 1;
	printf("ready\n");
	fflush(stdout);
	rewritten = true;
	return receive(ECHOED, peer) || wait_for_hits(rule[DISCARDED - 1], &why);
}

static int ask(const struct rte_ether_addr *peer)
{
	for (unsigned int n = 0; n < COUNT; n++)
		transmit(make(peer, DISCARDED, n));
	for (unsigned int n = 0; n < COUNT; n++)
		transmit(make(peer, ECHOED, n));
	return receive(ASKER, NULL);
}

int main(int argc, char **argv)
{
	struct rte_ether_addr peer;
	int used = rte_eal_init(argc, argv), rc;

	if (used < 0)
		return fail("EAL", rte_errno);
	if (argc - used != 3 || rte_ether_unformat_addr(argv[used + 2], &peer))
		return fail("echo|rules|ask PEER_MAC", EINVAL);
	if (!rte_eth_dev_count_avail())
		return fail("no port", ENODEV);
	rc = start();
	if (!rc && !strcmp(argv[used + 1], "rules"))
		rc = rules(&peer);
	else if (!rc)
		rc = strcmp(argv[used + 1], "echo") ? ask(&peer) : echo(&peer);
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	return rc;
}
