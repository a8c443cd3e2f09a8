/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Direct Rules: this program writes rules into the NIC's own tables. DNS is counted and dropped,
 * packets from 10.9.0.0/16 get a tag and go to a queue. The rules are there until a line is read
 * from standard input; then it prints what they counted.
 *
 *	dvx-sim exec CHIP -- ./direct_rules
 */
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "tutorial.h"

enum { DNS_PORT = 53, UDP = 17, IPV4 = 4, TAG = 7, ROOMS = 256, ROOM = 2048 };

/* libmlx5 takes a length and the bytes of fte_match_param from its begin. */
struct match {
	struct mlx5dv_flow_match_parameters head;
	uint8_t outer[PRM_FTE_MATCH_SET_LYR_2_4_BYTES];
};
enum { OUTER_HEADERS = 1 }; /* the bit of match_criteria_enable */

static struct match any(void)
{
	struct match m = {0};

	m.head.match_sz = sizeof(m.outer);
	return m;
}

/* Below the root libmlx5 wants the version itself in the mask, too: it chooses the kind of entry by it. */
static struct match dns(uint32_t protocol, uint32_t port)
{
	struct match m = any();

	prm_fte_match_set_lyr_2_4_set_ip_version(m.outer, IPV4);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(m.outer, protocol);
	prm_fte_match_set_lyr_2_4_set_udp_dport(m.outer, port);
	return m;
}

static struct match source(uint32_t address)
{
	struct match m = any();
	uint8_t *ipv4 = prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(m.outer);

	prm_fte_match_set_lyr_2_4_set_ip_version(m.outer, IPV4);
	address = htobe32(address);
	memcpy(ipv4 + 12, &address, 4); /* the last word of the room for IPv6 */
	return m;
}

static struct mlx5dv_dr_matcher *matcher(struct mlx5dv_dr_table *table, uint16_t priority,
					 struct match mask, uint8_t what)
{
	struct mlx5dv_dr_matcher *made =
		mlx5dv_dr_matcher_create(table, priority, what, &mask.head);

	must(!made, "matcher");
	return made;
}

static void rule(struct mlx5dv_dr_matcher *in, struct match value, size_t n,
		 struct mlx5dv_dr_action **actions)
{
	must(!mlx5dv_dr_rule_create(in, &value.head, n, actions), "rule");
}

static struct mlx5dv_devx_obj *counter(struct ibv_context *device, uint32_t *id)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES] = {0};
	struct mlx5dv_devx_obj *made;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	made = mlx5dv_devx_obj_create(device, in, sizeof(in), out, sizeof(out));
	must(!made, "flow counter");
	*id = prm_alloc_flow_counter_out_get_flow_counter_id(out);
	return made;
}

static uint64_t counted(struct mlx5dv_devx_obj *counter, uint32_t id)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_FLOW_COUNTER_OUT_BYTES + PRM_TRAFFIC_COUNTER_BYTES] = {0};

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	must(errno = mlx5dv_devx_obj_query(counter, in, sizeof(in), out, sizeof(out)), "query");
	return prm_traffic_counter_get_packets(out + PRM_QUERY_FLOW_COUNTER_OUT_BYTES);
}

/* A queue for whole frames, with rooms for as many as this page's traffic has. */
static struct ibv_qp *frames_qp(struct tutorial *t, struct ibv_cq_ex *cq, char *rooms)
{
	struct ibv_mr *mr = tutorial_mr(t, rooms, (size_t)ROOMS * ROOM, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = ibv_cq_ex_to_cq(cq),
		.recv_cq = ibv_cq_ex_to_cq(cq),
		.cap = {.max_recv_wr = ROOMS,
			.max_recv_sge = 1,
			.max_send_wr = 1,
			.max_send_sge = 1},
	};
	struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR};
	struct ibv_qp *qp = ibv_create_qp(t->pd, &attr);

	must(!qp, "raw packet queue (it needs CAP_NET_RAW)");
	must(errno = ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PORT), "INIT");
	must(errno = ibv_modify_qp(qp, &rtr, IBV_QP_STATE), "RTR");
	for (size_t i = 0; i < ROOMS; i++) {
		struct ibv_sge room = {(uintptr_t)rooms + i * ROOM, ROOM, mr->lkey};
		struct ibv_recv_wr wr = {.sg_list = &room, .num_sge = 1}, *bad;

		must(errno = ibv_post_recv(qp, &wr, &bad), "receive");
	}
	return qp;
}

static void count_received(struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = {0};
	unsigned int frames = 0, tagged = 0;
	int empty = ibv_start_poll(cq, &attr);

	for (int e = empty; !e; e = ibv_next_poll(cq)) {
		frames++;
		tagged += ibv_wc_read_flow_tag(cq) == TAG;
	}
	if (!empty)
		ibv_end_poll(cq);
	printf("the queue has %u frames, %u of them with tag %d\n", frames, tagged, TAG);
}

int main(void)
{
	static char rooms[ROOMS * ROOM] __attribute__((aligned(4096)));
	struct ibv_cq_init_attr_ex cq_attr = {.cqe = ROOMS, .wc_flags = IBV_WC_EX_WITH_FLOW_TAG};
	struct mlx5dv_dr_action *to_next, *drop[2], *keep[2];
	struct mlx5dv_dr_table *root, *next;
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_devx_obj *dns_counter;
	struct ibv_cq_ex *cq;
	struct tutorial t;
	uint32_t id;

	tutorial_start(&t);
	domain = mlx5dv_dr_domain_create(t.device, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	must(!domain, "domain for received packets (dvx-info why-not sw-steering-rx)");
	root = mlx5dv_dr_table_create(domain, 0);
	next = mlx5dv_dr_table_create(domain, 1);
	must(!root || !next, "tables (dvx-info why-not sw-steering-rx)");

	/* The root is the kernel's; its one rule leads into the table that this process writes. */
	to_next = mlx5dv_dr_action_create_dest_table(next);
	rule(matcher(root, 0, any(), 0), any(), 1, &to_next);

	dns_counter = counter(t.device, &id);
	drop[0] = mlx5dv_dr_action_create_flow_counter(dns_counter, 0);
	drop[1] = mlx5dv_dr_action_create_drop();
	rule(matcher(next, 0, dns(0xff, 0xffff), OUTER_HEADERS), dns(UDP, DNS_PORT), 2, drop);

	cq = ibv_create_cq_ex(t.device, &cq_attr);
	must(!cq, "completion queue with flow tags");
	keep[0] = mlx5dv_dr_action_create_tag(TAG);
	keep[1] = mlx5dv_dr_action_create_dest_ibv_qp(frames_qp(&t, cq, rooms));
	rule(matcher(next, 1, source(0xffff0000), OUTER_HEADERS), source(0x0a090000), 2, keep);

	must(mlx5dv_dr_domain_sync(domain,
				   MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW | MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW),
	     "sync");
	printf("the rules are in\n");
	getchar();
	printf("%llu packets were DNS, and dropped\n",
	       (unsigned long long)counted(dns_counter, id));
	count_received(cq);
	return 0; /* rules and tables end with the process */
}
