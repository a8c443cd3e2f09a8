/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs' specs of tunnels, by unmodified libibverbs and packets: a flow takes the packet of its
 * specs and no other, and specs without a field in the device are refused. */
#include "tests/test.h"
#include "raw_end.h"
#include "tests/patience.h"

#include <arpa/inet.h>
#include <errno.h>

#define ETH   "02d70000000102112233445508004500"
#define IP(p) "0000000040" p "00000a0000010a000002"
#define INNER_IP               \
	"4500002000000000"     \
	"4011"                 \
	"0000c0a80001c0a80002" \
	"03e80035000c000000000000"

/* Pairs of packets that differ only in the value that a flow names. */
static const char *const packets[][2] = {
	{ETH "003c" IP("2f") "200008000000002a" INNER_IP,
	 ETH "003c" IP("2f") "200008000000002b" INNER_IP},
	{ETH "003c" IP("2f") "2000080000000000" INNER_IP,
	 ETH "003c" IP("2f") "200086dd00000000" INNER_IP},
	{"02d7000000010211223344558847"
	 "00064140" INNER_IP,
	 "02d7000000010211223344558847"
	 "00065140" INNER_IP},
	{ETH "0052" IP("11") "100012b5003e0000"
			     "0800000000000700"
			     "02aabbccddee02aabbccddff0800" INNER_IP,
	 ETH "0052" IP("11") "100012b5003e0000"
			     "0800000000000800"
			     "02aabbccddee02aabbccddff0800" INNER_IP},
};
enum { GRE_KEY, GRE_INNER, MPLS, VXLAN };

static struct {
	struct end end;
	struct ibv_counters *hits, *misses;
	struct ibv_flow *rest;
} t;

/* --- flows --- */

struct specs {
	struct ibv_flow_attr attr;
	uint8_t bytes[512];
};

static void *add(struct specs *s, uint32_t type, uint16_t size)
{
	struct {
		uint32_t type;
		uint16_t size;
	} *head = (void *)((uint8_t *)&s->attr + s->attr.size);

	head->type = type;
	head->size = size;
	s->attr.size = (uint16_t)(s->attr.size + size);
	s->attr.num_of_specs++;
	return head;
}

static struct specs begin(uint16_t priority)
{
	struct specs s = {.attr = {.size = sizeof(s.attr), .priority = priority, .port = 1}};

	return s;
}

static struct ibv_flow *finish(struct specs *s, struct ibv_counters *counters)
{
	const struct ibv_flow_spec_counter_action count = {
		.type = IBV_FLOW_SPEC_ACTION_COUNT, .size = sizeof(count), .counters = counters};

	add(s, IBV_FLOW_SPEC_ACTION_DROP, sizeof(struct ibv_flow_spec_action_drop));
	/* specs are packed: the pointer may be aligned only to 4 */
	memcpy(add(s, count.type, count.size), &count, sizeof(count));
	return ibv_create_flow(t.end.qp, &s->attr);
}

static void add_gre(struct specs *s, uint16_t protocol, uint32_t key)
{
	struct ibv_flow_spec_gre *gre = add(s, IBV_FLOW_SPEC_GRE, sizeof(*gre));

	gre->val.protocol = htons(protocol);
	gre->mask.protocol = protocol ? 0xffff : 0;
	gre->val.key = htonl(key);
	gre->mask.key = key ? UINT32_MAX : 0;
}

static void add_udp(struct specs *s, uint32_t inner, uint16_t port)
{
	struct ibv_flow_spec_tcp_udp *udp = add(s, IBV_FLOW_SPEC_UDP | inner, sizeof(*udp));

	udp->val.dst_port = htons(port);
	udp->mask.dst_port = 0xffff;
}

static void add_mpls(struct specs *s, uint32_t label)
{
	struct ibv_flow_spec_mpls *mpls = add(s, IBV_FLOW_SPEC_MPLS, sizeof(*mpls));

	mpls->val.label = htonl(label << 12);
	mpls->mask.label = htonl(0xfffff000);
}

static void add_ip(struct specs *s, uint32_t inner)
{
	add(s, IBV_FLOW_SPEC_IPV4 | inner, sizeof(struct ibv_flow_spec_ipv4));
}

static void add_eth(struct specs *s, uint16_t type)
{
	struct ibv_flow_spec_eth *eth = add(s, IBV_FLOW_SPEC_ETH, sizeof(*eth));

	eth->val.ether_type = htons(type);
	eth->mask.ether_type = 0xffff;
}

static void add_vxlan(struct specs *s, uint32_t vni)
{
	struct ibv_flow_spec_tunnel *tunnel = add(s, IBV_FLOW_SPEC_VXLAN_TUNNEL, sizeof(*tunnel));

	tunnel->val.tunnel_id = htonl(vni);
	tunnel->mask.tunnel_id = htonl(0xffffff);
}

/* --- packets --- */

static uint64_t counted(struct ibv_counters *c)
{
	uint64_t n;

	assert_int_equal(ibv_read_counters(c, &n, 1, 0), 0);
	return n;
}

/* Returns whether the flow under test took the packet: each is counted here or there. */
static bool taken(const char *hex)
{
	uint64_t hits = counted(t.hits), misses = counted(t.misses);
	time_t end = patience_from_now();

	send_hex(&t.end, hex);
	while (counted(t.hits) == hits && counted(t.misses) == misses)
		assert_false(patience_over(end));
	return counted(t.hits) == hits + 1;
}

/* --- tests --- */

static void takes(struct specs *s, unsigned int which)
{
	struct ibv_flow *flow = finish(s, t.hits);

	assert_non_null(flow);
	assert_true(taken(packets[which][0]));
	assert_false(taken(packets[which][1]));
	assert_int_equal(ibv_destroy_flow(flow), 0);
}

static void refused(struct specs *s, int err)
{
	assert_null(finish(s, t.hits));
	assert_int_equal(errno, err);
}

TEST(none, gre)
{
	struct specs s = begin(0);

	add_gre(&s, 0, 42);
	takes(&s, GRE_KEY);
	s = begin(0);
	add_ip(&s, 0);
	add_gre(&s, 0x0800, 0);
	add_ip(&s, IBV_FLOW_SPEC_INNER);
	add_udp(&s, IBV_FLOW_SPEC_INNER, 53);
	takes(&s, GRE_INNER);
	s = begin(0);
	add_gre(&s, 0, 42);
	add_udp(&s, 0, 53); /* no packet is both */
	refused(&s, EINVAL);
}

/* IP may be matched behind the labels of a packet whose EtherType is MPLS. */
TEST(none, mpls)
{
	struct specs s = begin(0);

	add_mpls(&s, 100);
	takes(&s, MPLS);
	s = begin(0);
	add_eth(&s, 0x8847);
	add_mpls(&s, 100);
	add_ip(&s, 0);
	add_udp(&s, 0, 53);
	takes(&s, MPLS);
	s = begin(0);
	add_udp(&s, 0, 6635);
	add_mpls(&s, 100);
	refused(&s, EOPNOTSUPP);
}

TEST(none, vxlan)
{
	struct specs s = begin(0);

	add_vxlan(&s, 7);
	add_ip(&s, IBV_FLOW_SPEC_INNER);
	takes(&s, VXLAN);
}

/* --- around them --- */

static struct ibv_counters *open_counters(void)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counter_attach_attr at = {.counter_desc = IBV_COUNTER_PACKETS};
	struct ibv_counters *c = ibv_create_counters(t.end.ctx, &init);

	assert_non_null(c);
	assert_int_equal(ibv_attach_counters_point_flow(c, &at, NULL), 0);
	return c;
}

static int setup(UNUSED void **state)
{
	struct specs all = begin(7);

	end_open(&t.end, 0);
	t.hits = open_counters();
	t.misses = open_counters();
	add(&all, IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth));
	t.rest = finish(&all, t.misses);
	assert_non_null(t.rest);
	return 0;
}

static int teardown(UNUSED void **state)
{
	assert_int_equal(ibv_destroy_flow(t.rest), 0);
	assert_int_equal(ibv_destroy_counters(t.misses), 0);
	assert_int_equal(ibv_destroy_counters(t.hits), 0);
	end_close(&t.end);
	return 0;
}

TEST_GROUP(setup, teardown)
