/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs' specs of tunnels, by unmodified libibverbs and packets: a flow takes the packet that its
 * specs say and no other, and what the device has no field for is refused. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <infiniband/verbs.h>

#define ETH   "02d70000000102112233445508004500"
#define IP(p) "0000000040" p "00000a0000010a000002"
#define INNER_IP               \
	"4500002000000000"     \
	"4011"                 \
	"0000c0a80001c0a80002" \
	"03e80035000c000000000000"

/* Same packets but for the value that a flow names. */
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
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t frame[256];
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
	/* specs are packed: its pointer may be aligned to 4 only */
	memcpy(add(s, count.type, count.size), &count, sizeof(count));
	return ibv_create_flow(t.qp, &s->attr);
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

static uint32_t from_hex(const char *hex)
{
	uint32_t n = 0;

	for (; hex[2 * n]; n++) {
		unsigned int byte;

		sscanf(hex + 2 * n, "%2x", &byte);
		t.frame[n] = (uint8_t)byte;
	}
	return n;
}

static void send_packet(const char *hex)
{
	struct ibv_sge sge = {.addr = (uintptr_t)t.frame, .lkey = t.mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;
	struct ibv_wc wc;
	int n;

	sge.length = from_hex(hex);
	assert_int_equal(ibv_post_send(t.qp, &wr, &bad), 0);
	while (!(n = ibv_poll_cq(t.cq, 1, &wc)))
		;
	assert_int_equal(n, 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
}

static uint64_t counted(struct ibv_counters *c)
{
	uint64_t n;

	assert_int_equal(ibv_read_counters(c, &n, 1, 0), 0);
	return n;
}

/* Whether the flow under test took it: each packet is counted here or there. */
static bool taken(const char *hex)
{
	uint64_t hits = counted(t.hits), misses = counted(t.misses);
	time_t end = time(NULL) + 10;

	send_packet(hex);
	while (counted(t.hits) == hits && counted(t.misses) == misses)
		assert_true(time(NULL) < end);
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

static void gre(void **state)
{
	struct specs s = begin(0);

	(void)state;
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

/* IP may be asked for behind the labels of a packet whose EtherType is MPLS. */
static void mpls(void **state)
{
	struct specs s = begin(0);

	(void)state;
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

static void vxlan(void **state)
{
	struct specs s = begin(0);

	(void)state;
	add_vxlan(&s, 7);
	add_ip(&s, IBV_FLOW_SPEC_INNER);
	takes(&s, VXLAN);
}

/* --- around them --- */

static struct ibv_counters *open_counters(void)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counter_attach_attr at = {.counter_desc = IBV_COUNTER_PACKETS};
	struct ibv_counters *c = ibv_create_counters(t.context, &init);

	assert_non_null(c);
	assert_int_equal(ibv_attach_counters_point_flow(c, &at, NULL), 0);
	return c;
}

static void open_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = t.cq,
		.recv_cq = t.cq,
		.qp_type = IBV_QPT_RAW_PACKET,
		.cap = {.max_send_wr = 64, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1}};

	t.qp = ibv_create_qp(t.pd, &init);
	assert_non_null(t.qp);
	for (unsigned int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		struct ibv_qp_attr a = {.qp_state = (enum ibv_qp_state)state, .port_num = 1};

		assert_int_equal(
			ibv_modify_qp(t.qp, &a,
				      IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)),
			0);
	}
}

static int setup(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct specs all = begin(7);

	(void)state;
	t.context = list && *list ? ibv_open_device(*list) : NULL;
	ibv_free_device_list(list);
	assert_non_null(t.context);
	t.pd = ibv_alloc_pd(t.context);
	t.cq = ibv_create_cq(t.context, 64, NULL, NULL, 0);
	t.mr = ibv_reg_mr(t.pd, t.frame, sizeof(t.frame), IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(t.mr);
	open_qp();
	t.hits = open_counters();
	t.misses = open_counters();
	add(&all, IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth));
	t.rest = finish(&all, t.misses);
	assert_non_null(t.rest);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(ibv_destroy_flow(t.rest), 0);
	assert_int_equal(ibv_destroy_counters(t.misses), 0);
	assert_int_equal(ibv_destroy_counters(t.hits), 0);
	assert_int_equal(ibv_destroy_qp(t.qp), 0);
	assert_int_equal(ibv_dereg_mr(t.mr), 0);
	assert_int_equal(ibv_destroy_cq(t.cq), 0);
	assert_int_equal(ibv_dealloc_pd(t.pd), 0);
	return ibv_close_device(t.context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gre),
		cmocka_unit_test(mpls),
		cmocka_unit_test(vxlan),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
