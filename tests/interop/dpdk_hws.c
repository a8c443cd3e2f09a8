/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DPDK program for two functions of a chip: dpdk_hws [EAL OPTION...] -- rules|send PEER_MAC.
 * `rules` writes rules of hardware steering (dv_flow_en=2) of each kind, and 200,000 more, then
 * judges each packet that arrives, or does not, by a model of its own (dpdk_hws_model.h). Then it
 * removes every second rule, and judges again. `send` sends the packets, and one more as the end.
 */
#include <stdio.h>
#include <string.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>
#include "dpdk_hws_model.h"

#define BURST	   32
#define QUEUE_SIZE 64u

static struct rte_mempool *pool;

static int fail(const char *what, int rc)
{
	fprintf(stderr, "dpdk_hws: %s: %s\n", what, rte_strerror(rc < 0 ? -rc : rc));
	return 1;
}

static int start(void)
{
	struct rte_eth_conf conf = {0};
	int rc;

	pool = rte_pktmbuf_pool_create("packets", 8191, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (!pool)
		return fail("memory", rte_errno);
	if ((rc = rte_eth_dev_configure(0, QUEUES, 1, &conf)))
		return fail("configure", rc);
	for (uint16_t q = 0; q < QUEUES; q++)
		if ((rc = rte_eth_rx_queue_setup(0, q, 1024, 0, NULL, pool)))
			return fail("receive queue", rc);
	if ((rc = rte_eth_tx_queue_setup(0, 0, 256, 0, NULL)))
		return fail("send queue", rc);
	if ((rc = rte_eth_dev_start(0)))
		return fail("start", rc);
	return 0;
}

/* --- the sender ------------------------------------------------------------------------------- */

static int send_all(const struct rte_ether_addr *peer)
{
	struct rte_ether_addr own;

	rte_eth_macaddr_get(0, &own);
	for (unsigned int n = 0; n <= PACKETS; n++) {
		struct rte_mbuf *m = NULL;

		while (!m) { /* those of packets that are sent come back by a burst */
			m = rte_pktmbuf_alloc(pool);
			if (!m)
				rte_eth_tx_done_cleanup(0, 0, 0);
		}
		m->data_len = packet_make(rte_pktmbuf_mtod(m, uint8_t *), n, peer->addr_bytes,
					  own.addr_bytes);
		m->pkt_len = m->data_len;
		while (!rte_eth_tx_burst(0, 0, &m, 1))
			;
	}
	return 0;
}

/* --- rules ------------------------------------------------------------------------------------- */

static struct rte_flow_error why;

static int why_not(const char *what)
{
	fprintf(stderr, "dpdk_hws: %s: %s (%s)\n", what, why.message ? why.message : "?",
		rte_strerror(rte_errno));
	return 1;
}

static unsigned int pending; /* rules that were written, and not pulled */

static int pull(unsigned int most)
{
	struct rte_flow_op_result done[QUEUE_SIZE];

	while (pending > most) {
		int n = rte_flow_pull(0, 0, done, QUEUE_SIZE, &why);

		for (int i = 0; i < n; i++)
			if (done[i].status != RTE_FLOW_OP_SUCCESS)
				return fail("a rule was not written", EIO);
		pending -= n > 0 ? (unsigned int)n : 0;
	}
	return 0;
}

/* Makes room for one more request, and counts it. */
static int begin_request(void)
{
	if (pending + 1 < QUEUE_SIZE)
		return pending++, 0;
	if (rte_flow_push(0, 0, &why) || pull(QUEUE_SIZE / 2))
		return 1;
	return pending++, 0;
}

static const struct rte_flow_op_attr postponed = {.postpone = 1};

#define ITEM(t, s) ((struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_##t, .spec = s})
#define MASK(t, m) ((struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_##t, .spec = m, .mask = m})
#define ACT(t, c)  ((struct rte_flow_action){.type = RTE_FLOW_ACTION_TYPE_##t, .conf = c})
#define LIST	   8
#define TEMPLATES  4 /* of actions: no table takes more */

/* The operands of one rule, and its actions. */
struct actions {
	struct rte_flow_action list[LIST];
	struct rte_flow_action_mark mark;
	struct rte_flow_action_queue queue;
	struct rte_flow_action_rss rss;
	struct rte_flow_action_jump jump;
	struct rte_flow_action_count count;
	struct rte_flow_action_modify_field ttl, source;
	struct rte_flow_action_of_push_vlan push;
	struct rte_flow_action_of_set_vlan_vid vid;
	struct rte_flow_action_of_set_vlan_pcp pcp;
	struct rte_flow_action_raw_decap decap;
	struct rte_flow_action_raw_encap encap;
	uint8_t header[TUNNEL_BYTES];
};

static const uint16_t spread[] = {2, 3};

static void actions_fill(struct actions *a, enum kind kind, unsigned int i)
{
	struct rte_flow_action *to = a->list;

	memset(a, 0, sizeof(*a));
	a->queue.index = rule_queue(i);
	a->mark.id = rule_mark(i);
	a->jump.group = kind == JUMP_FAR ? 3 : 2;
	a->rss = (struct rte_flow_action_rss){
		.types = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP, .queue_num = 2, .queue = spread};
	a->ttl = (struct rte_flow_action_modify_field){
		.operation = RTE_FLOW_MODIFY_SET,
		.dst.field = RTE_FLOW_FIELD_IPV4_TTL,
		.src = {.field = RTE_FLOW_FIELD_VALUE, .value = {rule_ttl(i)}},
		.width = 8};
	a->source = (struct rte_flow_action_modify_field){
		.operation = RTE_FLOW_MODIFY_SET,
		.dst.field = RTE_FLOW_FIELD_IPV4_SRC,
		.src = {.field = RTE_FLOW_FIELD_VALUE,
			.value = {10, 9, (uint8_t)(i >> 8), (uint8_t)i}},
		.width = 32};
	a->push.ethertype = rte_cpu_to_be_16(0x8100);
	a->vid.vlan_vid = rte_cpu_to_be_16(rule_vid(i));
	a->pcp.vlan_pcp = 5;
	a->decap.data = a->encap.data = a->header;
	a->encap.size = rule_header(a->header, kind, i);
	a->decap.size = kind == ENCAP_L3 ? 14 : TUNNEL_BYTES;
	switch (kind) {
	case DROP:
		*to++ = ACT(COUNT, &a->count);
		*to++ = ACT(DROP, NULL);
		break;
	case RSS:
		*to++ = ACT(RSS, &a->rss);
		break;
	case JUMP:
	case JUMP_FAR:
		*to++ = ACT(JUMP, &a->jump);
		break;
	case MARK:
		*to++ = ACT(MARK, &a->mark);
		break;
	case MODIFY:
		*to++ = ACT(MODIFY_FIELD, &a->ttl);
		break;
	case MODIFY_LIST:
		*to++ = ACT(MODIFY_FIELD, &a->ttl);
		*to++ = ACT(MODIFY_FIELD, &a->source);
		break;
	case PUSH:
		*to++ = ACT(OF_PUSH_VLAN, &a->push);
		*to++ = ACT(OF_SET_VLAN_VID, &a->vid);
		*to++ = ACT(OF_SET_VLAN_PCP, &a->pcp);
		break;
	case POP:
		*to++ = ACT(OF_POP_VLAN, NULL);
		break;
	case ENCAP_L3:
	case DECAP_L3:
		*to++ = ACT(RAW_DECAP, &a->decap);
		/* fallthrough */
	case ENCAP:
		*to++ = ACT(RAW_ENCAP, &a->encap);
		break;
	case DECAP:
		*to++ = ACT(VXLAN_DECAP, NULL);
		break;
	case ALL: /* of one rule: a tag goes, it is counted, fields change, a tunnel begins */
		*to++ = ACT(MARK, &a->mark);
		*to++ = ACT(COUNT, &a->count);
		*to++ = ACT(MODIFY_FIELD, &a->ttl);
		*to++ = ACT(MODIFY_FIELD, &a->source);
		*to++ = ACT(RAW_ENCAP, &a->encap);
		break;
	default:
		break;
	}
	if (kind != DROP && kind != RSS && kind != JUMP && kind != JUMP_FAR)
		*to++ = ACT(QUEUE, &a->queue);
	*to = ACT(END, NULL);
}

/* Makes the masks of a template's actions: operands come with each rule, other than groups. */
static void actions_mask(struct rte_flow_action *mask, struct actions *a)
{
	for (unsigned int i = 0; i < LIST; i++) {
		struct rte_flow_action_modify_field *m = (void *)(uintptr_t)a->list[i].conf;

		mask[i] = a->list[i];
		if (mask[i].type == RTE_FLOW_ACTION_TYPE_JUMP ||
		    mask[i].type == RTE_FLOW_ACTION_TYPE_RSS)
			continue;
		mask[i].conf = NULL;
		if (mask[i].type != RTE_FLOW_ACTION_TYPE_MODIFY_FIELD)
			continue;
		mask[i].conf = m;
		m->dst.level = m->dst.offset = m->width = UINT32_MAX;
		memset(m->src.value, 0, sizeof(m->src.value));
	}
}

static struct rte_flow_actions_template *actions_template(enum kind kind)
{
	struct rte_flow_actions_template_attr in = {.ingress = 1};
	struct rte_flow_action mask[LIST];
	struct actions a, masked;

	actions_fill(&a, kind, 1);
	actions_fill(&masked, kind, 1);
	actions_mask(mask, &masked);
	return rte_flow_actions_template_create(0, &in, a.list, mask, &why);
}

/*
 * A table of rules: its items with masks, which kinds its rules have, by turns, and how many. Of
 * `step` rules those from `base` on are this table's.
 */
struct table {
	const char *name;
	uint32_t group, priority;
	unsigned int rules, kinds;
	enum kind kind[TEMPLATES];
	unsigned int base, step;
	struct rte_flow_item match[8];
	struct rte_flow_template_table *t;
	struct rte_flow **rule;
};

static int table_create(struct table *t)
{
	struct rte_flow_pattern_template_attr in = {.relaxed_matching = 0, .ingress = 1};
	struct rte_flow_template_table_attr size = {
		.flow_attr = {.group = t->group, .priority = t->priority, .ingress = 1},
		.nb_flows = t->rules};
	struct rte_flow_pattern_template *pattern =
		rte_flow_pattern_template_create(0, &in, t->match, &why);
	struct rte_flow_actions_template *actions[TEMPLATES];

	if (!pattern)
		return why_not(t->name);
	for (unsigned int i = 0; i < t->kinds; i++)
		if (!(actions[i] = actions_template(t->kind[i]))) {
			fprintf(stderr, "kind %s: ", kind_name(t->kind[i]));
			return why_not(t->name);
		}
	t->t = rte_flow_template_table_create(0, &size, &pattern, 1, actions, (uint8_t)t->kinds,
					      &why);
	t->rule = calloc(t->rules, sizeof(t->rule[0]));
	return t->t && t->rule ? 0 : why_not(t->name);
}

static struct rte_flow_item_udp port_mask = {.hdr.dst_port = 0xffff},
				sport_mask = {.hdr.src_port = 0xffff};
static struct rte_flow_item_udp ports_mask = {.hdr = {.src_port = 0xffff, .dst_port = 0xffff}};
static struct rte_flow_item_vlan vid_mask = {.tci = RTE_BE16(0x0fff)};
static struct rte_flow_item_vxlan vni_mask = {.vni = {0xff, 0xff, 0xff}};
static struct rte_flow_item_ipv4 source_mask = {.hdr.src_addr = UINT32_MAX};
static struct rte_flow_item_ipv6 both_mask;

enum { PLAIN, PLAIN_2, PLAIN_3, TAGGED, TUNNEL, SIX, SECOND, FAR, TABLES };
static struct table tables[TABLES];

/* Rules for ports of IPv4, in tables behind one another, which no packet of another one's rule meets. */
static void tables_fill_plain(void)
{
	static const enum kind kinds[PLAIN_KINDS] = {PLAIN_KIND_LIST};

	for (unsigned int i = 0; i < PLAIN_KINDS / TEMPLATES; i++) {
		tables[PLAIN + i] =
			(struct table){.name = "ports of IPv4",
				       .group = 1,
				       .priority = 1 + i,
				       .rules = PLAIN_RULES * TEMPLATES / PLAIN_KINDS,
				       .kinds = TEMPLATES,
				       .base = i * TEMPLATES,
				       .step = PLAIN_KINDS,
				       .match = {MASK(ETH, NULL), MASK(IPV4, NULL),
						 MASK(UDP, &port_mask), MASK(END, NULL)}};
		memcpy(tables[PLAIN + i].kind, kinds + i * TEMPLATES, sizeof(tables[0].kind));
	}
}

static void tables_fill(void)
{
	memset(both_mask.hdr.src_addr, 0xff, 16);
	memset(both_mask.hdr.dst_addr, 0xff, 16);
	tables_fill_plain();
	tables[TAGGED] = (struct table){
		"tags",
		1,
		0,
		OTHER_RULES,
		1,
		{POP},
		0,
		1,
		{MASK(ETH, NULL), MASK(VLAN, &vid_mask), MASK(IPV4, NULL), MASK(END, NULL)}};
	tables[TUNNEL] = (struct table){"tunnels",
					1,
					4,
					OTHER_RULES,
					2,
					{DECAP, DECAP_L3},
					0,
					2,
					{MASK(ETH, NULL), MASK(IPV4, NULL), MASK(UDP, NULL),
					 MASK(VXLAN, &vni_mask), MASK(END, NULL)}};
	tables[SIX] = (struct table){
		"IPv6",
		1,
		5,
		OTHER_RULES,
		2,
		{DROP, QUEUE},
		0,
		2,
		{MASK(ETH, NULL), MASK(IPV6, &both_mask), MASK(UDP, &ports_mask), MASK(END, NULL)}};
	tables[SECOND] = (struct table){
		"group 2",
		2,
		0,
		PLAIN_RULES,
		1,
		{MARK},
		0,
		1,
		{MASK(ETH, NULL), MASK(IPV4, NULL), MASK(UDP, &sport_mask), MASK(END, NULL)}};
	tables[FAR] = (struct table){
		"group 3", 3, 0,
		FAR_RULES, 2, {DROP, QUEUE},
		0,	   2, {MASK(ETH, NULL), MASK(IPV4, &source_mask), MASK(END, NULL)}};
}

/* Returns the model's number of a table's n-th rule. */
static unsigned int rule_number(const struct table *t, unsigned int n)
{
	return n / t->kinds * t->step + t->base + n % t->kinds;
}

/* Begins to write the n-th rule of a table. */
static int rule_create(struct table *t, unsigned int n)
{
	const unsigned int i = rule_number(t, n);
	const struct rte_flow_item_udp udp = {.hdr = {.src_port = rte_cpu_to_be_16(rule_sport(i)),
						      .dst_port = rte_cpu_to_be_16(rule_port(i))}};
	const struct rte_flow_item_vlan vlan = {.tci = rte_cpu_to_be_16(rule_vid(i))};
	const struct rte_flow_item_vxlan vxlan = {.vni = {0, (uint8_t)(i >> 8), (uint8_t)i}};
	const struct rte_flow_item_ipv4 ipv4 = {.hdr.src_addr = rte_cpu_to_be_32(rule_source(i))};
	struct rte_flow_item_ipv6 ipv6 = {0};
	struct rte_flow_item match[8];
	struct actions a;

	rule_addresses(ipv6.hdr.src_addr, ipv6.hdr.dst_addr, i);
	memcpy(match, t->match, sizeof(match));
	for (struct rte_flow_item *m = match; m->type != RTE_FLOW_ITEM_TYPE_END; m++) {
		m->mask = NULL;
		m->spec = m->type == RTE_FLOW_ITEM_TYPE_UDP	? (const void *)&udp
			  : m->type == RTE_FLOW_ITEM_TYPE_VLAN	? (const void *)&vlan
			  : m->type == RTE_FLOW_ITEM_TYPE_VXLAN ? (const void *)&vxlan
			  : m->type == RTE_FLOW_ITEM_TYPE_IPV4	? (const void *)&ipv4
			  : m->type == RTE_FLOW_ITEM_TYPE_IPV6	? (const void *)&ipv6
								: NULL;
	}
	actions_fill(&a, t->kind[n % t->kinds], i);
	if (begin_request())
		return 1;
	t->rule[n] = rte_flow_async_create(0, 0, &postponed, t->t, match, 0, a.list,
					   (uint8_t)(n % t->kinds), NULL, &why);
	return t->rule[n] ? 0 : why_not(t->name);
}

static int finish_requests(void)
{
	return rte_flow_push(0, 0, &why) ? why_not("push") : pull(0);
}

static int tables_write(void)
{
	for (struct table *t = tables; t < tables + TABLES; t++) {
		if (table_create(t))
			return 1;
		for (unsigned int i = 0; i < t->rules; i++)
			if (rule_create(t, i))
				return 1;
	}
	return finish_requests();
}

/* Removes the rules that the model has no longer, or the others. */
static int tables_thin(bool others)
{
	for (struct table *t = tables; t < tables + TABLES; t++)
		for (unsigned int n = 0; n < t->rules; n++)
			if (rule_removed(rule_number(t, n)) != others &&
			    (begin_request() ||
			     rte_flow_async_destroy(0, 0, &postponed, t->rule[n], NULL, &why)))
				return why_not(t->name);
	return finish_requests();
}

/* Group 0 is the firmware's; its only rule leads to group 1. */
static int lead_to_rules(void)
{
	static struct rte_flow_action_jump to = {.group = 1};
	static const struct rte_flow_action jump[] = {ACT(JUMP, &to), ACT(END, NULL)};
	static const struct rte_flow_item any[] = {MASK(ETH, NULL), MASK(END, NULL)};
	struct rte_flow_pattern_template_attr in = {.relaxed_matching = 1, .ingress = 1};
	struct rte_flow_actions_template_attr act = {.ingress = 1};
	struct rte_flow_template_table_attr size = {.flow_attr = {.ingress = 1}, .nb_flows = 1};
	struct rte_flow_pattern_template *pattern =
		rte_flow_pattern_template_create(0, &in, any, &why);
	struct rte_flow_actions_template *actions =
		rte_flow_actions_template_create(0, &act, jump, jump, &why);
	struct rte_flow_template_table *root;

	if (!pattern || !actions)
		return why_not("root templates");
	root = rte_flow_template_table_create(0, &size, &pattern, 1, &actions, 1, &why);
	if (!root || begin_request() ||
	    !rte_flow_async_create(0, 0, &postponed, root, any, 0, jump, 0, NULL, &why))
		return why_not("root");
	return finish_requests();
}

static int configure_rules(void)
{
	struct rte_flow_port_attr port = {.nb_counters = FAR_RULES};
	struct rte_flow_queue_attr queue = {.size = QUEUE_SIZE};
	const struct rte_flow_queue_attr *one[] = {&queue};

	if (rte_eth_dev_stop(0) || rte_flow_configure(0, &port, 1, one, &why) ||
	    rte_eth_dev_start(0))
		return why_not("configure");
	return 0;
}

/* --- judgement --------------------------------------------------------------------------------- */

static unsigned int seen[PACKETS];
static unsigned int wrong;

/* Judges a packet; returns true if it is the last one. */
static bool judge(struct rte_mbuf *m, uint16_t queue, bool thin)
{
	const struct arrival got = {rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, queue,
				    m->ol_flags & RTE_MBUF_F_RX_FDIR_ID ? m->hash.fdir.hi : 0};
	unsigned int n = packet_number(&got);
	const char *differs;

	if (n >= PACKETS)
		return n == PACKETS;
	seen[n]++;
	differs = packet_differs(&got, n, thin);
	if (differs && wrong++ < 20)
		fprintf(stderr, "packet %u of kind %s: %s\n", n, kind_name(packet_rule(n).kind),
			differs);
	return false;
}

/* Receives until all queues are empty behind the last packet. */
static int receive(bool thin)
{
	bool ended = false;

	memset(seen, 0, sizeof(seen));
	for (unsigned int empty = 0; !ended || empty < 2 * QUEUES;) {
		for (uint16_t q = 0; q < QUEUES; q++) {
			struct rte_mbuf *m[BURST];
			unsigned int got = rte_eth_rx_burst(0, q, m, BURST);

			empty = got ? 0 : empty + 1;
			for (unsigned int i = 0; i < got; i++)
				ended |= judge(m[i], q, thin);
			rte_pktmbuf_free_bulk(m, got);
		}
	}
	return 0;
}

static int verdict(bool thin)
{
	unsigned int ok[KINDS] = {0}, all[KINDS] = {0};

	receive(thin);
	for (unsigned int n = 0; n < PACKETS; n++) {
		const enum kind kind = packet_rule(n).kind;
		const bool right = seen[n] == packet_arrives(n, thin);

		all[kind]++;
		ok[kind] += right;
		if (!right && wrong++ < 20)
			fprintf(stderr, "packet %u of kind %s, rule %u: %u arrived\n", n,
				kind_name(kind), packet_rule(n).index, seen[n]);
	}
	for (unsigned int k = 0; k < KINDS; k++)
		printf("%s: %u of %u\n", kind_name(k), ok[k], all[k]);
	fflush(stdout);
	return wrong ? fail("packets are not as the model has them", EBADMSG) : 0;
}

/* Waits until the counters of the rules of ports that drop have all their packets. */
static int wait_for_hits(void)
{
	static const struct rte_flow_action act[] = {ACT(COUNT, NULL), ACT(END, NULL)};
	const unsigned int want = packets_dropped();
	uint64_t hits = 0;

	while (hits < want) {
		hits = 0;
		for (unsigned int n = 0; n < tables[PLAIN].rules; n += TEMPLATES) {
			struct rte_flow_query_count one = {0};

			if (rte_flow_query(0, tables[PLAIN].rule[n], act, &one, &why))
				return why_not("counter");
			hits += one.hits;
		}
	}
	printf("counted %lu packets of %u\n", hits, want);
	return hits != want;
}

static int ready(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
	return 0;
}

static int rules(void)
{
	tables_fill();
	if (configure_rules() || tables_write() || lead_to_rules() || ready("ready"))
		return 1;
	if (verdict(false) || wait_for_hits() || tables_thin(false) || ready("thinned"))
		return 1;
	return verdict(true) || tables_thin(true);
}

int main(int argc, char **argv)
{
	struct rte_ether_addr peer;
	int used = rte_eal_init(argc, argv), rc;

	if (used < 0)
		return fail("EAL", rte_errno);
	if (argc - used != 3 || rte_ether_unformat_addr(argv[used + 2], &peer))
		return fail("rules|send PEER_MAC", EINVAL);
	if (!rte_eth_dev_count_avail())
		return fail("no port", ENODEV);
	rc = start();
	if (!rc)
		rc = strcmp(argv[used + 1], "rules") ? send_all(&peer) : rules();
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	return rc;
}
