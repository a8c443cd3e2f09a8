/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DPDK program for two functions of a chip: dpdk [EAL OPTION...] -- echo|ask PEER_MAC.
 * `echo` drops what comes for UDP port 7 by a rule that counts, and sends back what comes for port 8,
 * in order; `ask` sends COUNT packets to each and checks the answers. Checksums are the NIC's work.
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

/* The n-th of the test's packets for this port; not what a kernel sends on its own. */
static bool is_good(struct rte_mbuf *m, enum port to, unsigned int n)
{
	const struct frame *f = rte_pktmbuf_mtod(m, const struct frame *);
	uint64_t sums = m->ol_flags & (RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK);

	return f->udp.dst_port == rte_cpu_to_be_16(to) && f->data[0] == n &&
	       !memcmp(f->data, f->data + 1, DATA_BYTES - 1) &&
	       sums == (RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD);
}

static bool is_udp(struct rte_mbuf *m)
{
	const struct frame *f = rte_pktmbuf_mtod(m, const struct frame *);

	return m->data_len == sizeof(*f) && f->eth.ether_type == rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4) &&
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
		return fail("echo|ask PEER_MAC", EINVAL);
	if (!rte_eth_dev_count_avail())
		return fail("no port", ENODEV);
	rc = start();
	if (!rc)
		rc = strcmp(argv[used + 1], "echo") ? ask(&peer) : echo(&peer);
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
	return rc;
}
