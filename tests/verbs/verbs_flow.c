/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program on plain libibverbs and libmlx5: three rules in the root tables, made by the verbs of
 * three kinds. It says "ready", takes packets until its input ends, and says what it got.
 *	0  ibv_create_flow       IPv4 UDP to port 53   to its queue, tagged, in an ibv_counters
 *	1  mlx5dv_create_flow    IPv4 TCP              dropped, in a flow counter of DevX
 *	-  ibv_create_flow       all that is left      to its queue
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "verbs_qp.h"

#define RECEIVES       1024u
#define ROOM	       2048u
#define TAG	       0x53u
#define OUTER	       1u /* value of match_criteria_enable */
#define IP_VERSION_AT  18 /* fte_match_set_lyr_2_4: bytes of ip_version and ip_protocol */
#define IP_PROTOCOL_AT 16

struct taker {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *room;
	uint64_t tagged, untagged;
};

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void *need(void *p, const char *what)
{
	if (!p)
		die(what);
	return p;
}

static void post(struct taker *t, uint64_t i)
{
	struct ibv_sge sge = {(uintptr_t)t->room + i * ROOM, ROOM, t->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;

	if (ibv_post_recv(t->qp, &wr, &bad))
		die("ibv_post_recv");
}

static void open_queue(struct taker *t)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = RECEIVES, .wc_flags = IBV_WC_EX_WITH_FLOW_TAG | IBV_WC_EX_WITH_BYTE_LEN};
	struct ibv_qp_init_attr qp = {.qp_type = IBV_QPT_RAW_PACKET,
				      .cap = {.max_recv_wr = RECEIVES, .max_recv_sge = 1}};

	t->ctx = need(verbs_open(), "verbs_open");
	t->pd = need(ibv_alloc_pd(t->ctx), "ibv_alloc_pd");
	t->cq = need(ibv_create_cq_ex(t->ctx, &cq), "ibv_create_cq_ex");
	qp.send_cq = qp.recv_cq = ibv_cq_ex_to_cq(t->cq);
	t->qp = need(ibv_create_qp(t->pd, &qp), "ibv_create_qp");
	t->room = need(calloc(RECEIVES, ROOM), "calloc");
	t->mr = need(ibv_reg_mr(t->pd, t->room, (size_t)RECEIVES * ROOM, IBV_ACCESS_LOCAL_WRITE),
		     "ibv_reg_mr");
	if (verbs_qp_raise(t->qp, IBV_QPS_RTR))
		die("to RTR");
	for (uint64_t i = 0; i < RECEIVES; i++)
		post(t, i);
}

/* --- rules ---------------------------------------------------------------------------------- */

static struct ibv_counters *count_packets_and_bytes(struct ibv_context *ctx)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counter_attach_attr at[2] = {{.counter_desc = IBV_COUNTER_PACKETS, .index = 0},
						{.counter_desc = IBV_COUNTER_BYTES, .index = 1}};
	struct ibv_counters *c = need(ibv_create_counters(ctx, &init), "ibv_create_counters");

	if (ibv_attach_counters_point_flow(c, &at[0], NULL) ||
	    ibv_attach_counters_point_flow(c, &at[1], NULL))
		die("ibv_attach_counters_point_flow");
	return c;
}

static struct ibv_flow *dns(struct taker *t, struct ibv_counters *c)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
		struct ibv_flow_spec_ipv4_ext ip;
		struct ibv_flow_spec_tcp_udp udp;
		struct ibv_flow_spec_action_tag tag;
		struct ibv_flow_spec_counter_action count;
	} f = {
		.attr = {.type = IBV_FLOW_ATTR_NORMAL, .num_of_specs = 5, .port = 1},
		.eth = {.type = IBV_FLOW_SPEC_ETH,
			.size = sizeof(f.eth),
			.val = {.ether_type = htons(0x800)},
			.mask = {.ether_type = 0xffff}},
		.ip = {.type = IBV_FLOW_SPEC_IPV4_EXT, .size = sizeof(f.ip)},
		.udp = {.type = IBV_FLOW_SPEC_UDP,
			.size = sizeof(f.udp),
			.val = {.dst_port = htons(53)},
			.mask = {.dst_port = 0xffff}},
		.tag = {.type = IBV_FLOW_SPEC_ACTION_TAG, .size = sizeof(f.tag), .tag_id = TAG},
		.count = {.type = IBV_FLOW_SPEC_ACTION_COUNT,
			  .size = sizeof(f.count),
			  .counters = c},
	};

	f.attr.size = sizeof(f);
	return need(ibv_create_flow(t->qp, &f.attr), "ibv_create_flow: dns");
}

static struct ibv_flow *rest(struct taker *t)
{
	struct ibv_flow_attr attr = {
		.type = IBV_FLOW_ATTR_ALL_DEFAULT, .size = sizeof(attr), .port = 1};

	return need(ibv_create_flow(t->qp, &attr), "ibv_create_flow: all default");
}

static struct mlx5dv_devx_obj *counter(struct ibv_context *ctx, uint32_t *id)
{
	uint8_t in[16] = {0x09, 0x39}, out[16]; /* ALLOC_FLOW_COUNTER */
	struct mlx5dv_devx_obj *o =
		need(mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out)), "a counter");

	memcpy(id, out + 8, 4);
	return o;
}

static uint64_t counted(struct mlx5dv_devx_obj *o, uint32_t id, uint64_t *bytes)
{
	uint8_t in[32] = {0x09, 0x3b}, out[32]; /* QUERY_FLOW_COUNTER */
	uint64_t packets;

	memcpy(in + 28, &id, 4);
	if (mlx5dv_devx_obj_query(o, in, sizeof(in), out, sizeof(out)))
		die("QUERY_FLOW_COUNTER");
	memcpy(&packets, out + 16, 8);
	memcpy(bytes, out + 24, 8);
	*bytes = be64toh(*bytes);
	return be64toh(packets);
}

static struct ibv_flow *no_tcp(struct taker *t, struct mlx5dv_devx_obj *count)
{
	struct {
		struct mlx5dv_flow_match_parameters head;
		uint64_t buf[8];
	} mask = {.head = {.match_sz = 64}}, value = {.head = {.match_sz = 64}};
	struct mlx5dv_flow_matcher_attr attr = {.type = IBV_FLOW_ATTR_NORMAL,
						.priority = 1,
						.match_criteria_enable = OUTER,
						.match_mask = &mask.head};
	struct mlx5dv_flow_action_attr does[2] = {
		{.type = MLX5DV_FLOW_ACTION_DROP},
		{.type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX, .obj = count},
	};
	struct mlx5dv_flow_matcher *m;

	((uint8_t *)mask.buf)[IP_PROTOCOL_AT] = 0xff;
	((uint8_t *)value.buf)[IP_PROTOCOL_AT] = 6;
	((uint8_t *)mask.buf)[IP_VERSION_AT] = 0xf << 1;
	((uint8_t *)value.buf)[IP_VERSION_AT] = 4 << 1;
	m = need(mlx5dv_create_flow_matcher(t->ctx, &attr), "mlx5dv_create_flow_matcher");
	return need(mlx5dv_create_flow(m, &value.head, 2, does), "mlx5dv_create_flow");
}

/* --- packets -------------------------------------------------------------------------------- */

static void take(struct taker *t)
{
	struct ibv_poll_cq_attr attr = {0};

	if (ibv_start_poll(t->cq, &attr))
		return;
	do {
		if (t->cq->status != IBV_WC_SUCCESS)
			die("a receive failed");
		if (ibv_wc_read_flow_tag(t->cq) == TAG)
			t->tagged++;
		else
			t->untagged++;
		post(t, t->cq->wr_id);
	} while (!ibv_next_poll(t->cq));
	ibv_end_poll(t->cq);
}

static int told_to_end(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

int main(void)
{
	struct taker t = {0};
	struct mlx5dv_devx_obj *tcp;
	struct ibv_flow *flows[3];
	struct ibv_counters *c;
	uint64_t values[2], packets, bytes;
	uint32_t id;

	open_queue(&t);
	c = count_packets_and_bytes(t.ctx);
	tcp = counter(t.ctx, &id);
	flows[0] = rest(&t);
	flows[1] = no_tcp(&t, tcp);
	flows[2] = dns(&t, c);
	printf("ready\n");
	fflush(stdout);
	while (!told_to_end())
		take(&t);
	take(&t);
	if (ibv_read_counters(c, values, 2, 0))
		die("ibv_read_counters");
	packets = counted(tcp, id, &bytes);
	printf("dns %llu %llu %llu\n", (unsigned long long)t.tagged, (unsigned long long)values[0],
	       (unsigned long long)values[1]);
	printf("tcp %llu %llu\n", (unsigned long long)packets, (unsigned long long)bytes);
	printf("rest %llu\n", (unsigned long long)t.untagged);
	for (int i = 0; i < 3; i++) {
		if (ibv_destroy_flow(flows[i]))
			die("ibv_destroy_flow");
	}
	if (ibv_destroy_counters(c) || mlx5dv_devx_obj_destroy(tcp))
		die("a counter stays");
	return ibv_destroy_qp(t.qp) ? 1 : 0;
}
