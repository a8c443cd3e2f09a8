/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Representors' ports of the e-switch's manager under unmodified libmlx5, beside dr_fdb_peer on the
 * function of vport PEER_VPORT: mlx5dv_query_port, the slow path to and from the vport, rules that
 * send to a port.
 */
#include "dr_fdb_ends.h"
#include "tests/verbs/verbs_qp.h"

#include <errno.h>

#define UPLINK 0xffffu

static struct {
	struct fdb_ends ends; /* the end is at the peer's port */
	struct end other;     /* at the uplink's */
	unsigned int peer, manager, peer_port, uplink_port, ports;
} t;

static unsigned int ports_number(const char *name)
{
	const char *number = getenv(name);

	assert_non_null(number);
	return (unsigned int)atoi(number);
}

/* --- ports ------------------------------------------------------------------------------------ */

/* Ports are the vports in the order of their numbers; all have what libmlx5's rules need. */
static void ports_query(void)
{
	struct mlx5dv_port p;
	uint32_t last = 0;

	for (unsigned int port = 1; port <= t.ports; port++) {
		if (mlx5dv_query_port(t.ends.end.ctx, port, &p)) {
			assert_int_equal(errno, EOPNOTSUPP);
			assert_int_equal(t.manager, 0); /* the PF does not represent itself */
			assert_int_equal(port, 1);
			continue;
		}
		assert_true(p.flags & MLX5DV_QUERY_PORT_VPORT &&
			    p.flags & MLX5DV_QUERY_PORT_ESW_OWNER_VHCA_ID);
		assert_true(p.vport_steering_icm_rx && p.vport_steering_icm_tx);
		assert_int_equal(!(p.flags & MLX5DV_QUERY_PORT_VPORT_VHCA_ID), p.vport == UPLINK);
		assert_true(p.flags & MLX5DV_QUERY_PORT_VPORT_REG_C0);
		assert_int_equal(p.reg_c0.mask, 0xffff0000);
		assert_int_equal(p.reg_c0.value >> 16, p.vport == UPLINK ? 1 : port + 1);
		assert_true(port == 1 || p.vport > last);
		last = p.vport;
		if (p.vport == t.peer)
			t.peer_port = port;
	}
	assert_int_equal(last, UPLINK);
	assert_int_not_equal(t.peer_port, 0);
	assert_int_equal(mlx5dv_query_port(t.ends.end.ctx, t.ports + 1, &p), EINVAL);
}

static struct ibv_flow *ports_flow(struct end *e, unsigned int port)
{
	struct ibv_flow_attr attr = {
		.type = IBV_FLOW_ATTR_ALL_DEFAULT, .size = sizeof(attr), .port = (uint8_t)port};

	return ibv_create_flow(e->qp, &attr);
}

static int ports_open(void **state)
{
	struct ibv_device_attr device;

	(void)state;
	t.peer = ports_number("PEER_VPORT");
	t.manager = ports_number("MANAGER_VPORT");
	fdb_peer_open(&t.ends);
	end_open(&t.ends.end, 0);
	end_open(&t.other, 0);
	assert_int_equal(ibv_query_device(t.other.ctx, &device), 0);
	t.ports = t.uplink_port = device.phys_port_cnt;
	ports_query();
	for (unsigned int i = 0; i < DEPTH; i++) {
		post_recv(&t.ends.end, i, SLOT);
		post_recv(&t.other, i, SLOT);
	}
	return 0;
}

static int ports_close(void **state)
{
	(void)state;
	end_close(&t.other);
	end_close(&t.ends.end);
	fdb_peer_close(&t.ends);
	return 0;
}

TEST_GROUP(ports_open, ports_close)

static void ports_move(struct ibv_qp *qp, unsigned int port)
{
	struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};

	assert_int_equal(ibv_modify_qp(qp, &reset, IBV_QP_STATE), 0);
	assert_int_equal(verbs_qp_raise_at(qp, (uint8_t)port, IBV_QPS_RTS), 0);
}

/*
 * Without rules, what the peer sends comes to its representor's port and no other, and what a queue
 * on that port sends goes to the peer, or on the uplink's to the wire.
 */
TEST(none, slow_path)
{
	struct ibv_flow *flow, *wrong;
	struct ibv_wc wc;

	ports_move(t.ends.end.qp, t.peer_port);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&t.ends.end, i, SLOT);
	flow = ports_flow(&t.ends.end, t.peer_port);
	wrong = ports_flow(&t.other, t.uplink_port);
	assert_true(flow && wrong);
	send_from_dpu(&t.ends, 1);
	assert_at_host(&t.ends, 1);
	send_from_host(&t.ends, 2);
	assert_int_equal(next_at_dpu(&t.ends), 2);
	post_send(&t.other, 0, make_udp(slot_out(&t.other, 0), mac_b, 3, 20), 0);
	poll_ok(t.other.scq, 0, &wc);
	send_from_dpu(&t.ends, 4);
	assert_at_host(&t.ends, 4);
	assert_int_equal(ibv_poll_cq(t.other.rcq, 1, &wc), 0);
	assert_int_equal(ibv_destroy_flow(wrong), 0);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	/* the queue moves to the uplink, and its rule with it: 5 goes to the wire */
	ports_move(t.ends.end.qp, t.uplink_port);
	send_from_dpu(&t.ends, 5);
	ports_move(t.ends.end.qp, t.peer_port);
	send_from_dpu(&t.ends, 6);
	assert_at_host(&t.ends, 6);
}

/* A rule of an FDB domain sends to a port, of a function or the uplink. */
TEST(none, rules)
{
	struct {
		struct mlx5dv_flow_match_parameters head;
		uint64_t none[16];
	} any = {.head = {.match_sz = 128}};
	struct mlx5dv_dr_domain *domain =
		mlx5dv_dr_domain_create(t.other.ctx, MLX5DV_DR_DOMAIN_TYPE_FDB);
	struct mlx5dv_dr_table *root = mlx5dv_dr_table_create(domain, 0),
			       *table = mlx5dv_dr_table_create(domain, 1);
	struct mlx5dv_dr_matcher *m[] = {mlx5dv_dr_matcher_create(root, 0, 0, &any.head),
					 mlx5dv_dr_matcher_create(table, 0, 0, &any.head)};
	struct mlx5dv_dr_action *to[] = {
		mlx5dv_dr_action_create_dest_table(table),
		mlx5dv_dr_action_create_dest_ib_port(domain, t.peer_port),
		mlx5dv_dr_action_create_dest_ib_port(domain, t.uplink_port)};
	struct mlx5dv_dr_rule *begin, *rule;

	assert_true(m[0] && m[1] && to[0] && to[1] && to[2]);
	assert_null(mlx5dv_dr_action_create_dest_ib_port(domain, t.ports + 1));
	begin = mlx5dv_dr_rule_create(m[0], &any.head, 1, &to[0]);
	for (unsigned int i = 1; i < 3; i++) {
		struct ibv_wc wc;

		rule = mlx5dv_dr_rule_create(m[1], &any.head, 1, &to[i]);
		assert_true(begin && rule);
		assert_int_equal(mlx5dv_dr_domain_sync(domain, 3), 0);
		post_send(&t.other, 0, make_udp(slot_out(&t.other, 0), mac_b, 7, 20), 0);
		poll_ok(t.other.scq, 0, &wc);
		if (i == 1)
			assert_at_host(&t.ends, 7);
		assert_int_equal(mlx5dv_dr_rule_destroy(rule), 0);
	}
	assert_int_equal(mlx5dv_dr_rule_destroy(begin), 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(mlx5dv_dr_action_destroy(to[i]), 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(mlx5dv_dr_matcher_destroy(m[i]), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(table), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(root), 0);
	assert_int_equal(mlx5dv_dr_domain_destroy(domain), 0);
}

/* Representors have no RoCE, and a port without one has no queues and rules. */
TEST(none, refusals)
{
	struct ibv_qp_init_attr rc = {.qp_type = IBV_QPT_RC,
				      .send_cq = t.other.scq,
				      .recv_cq = t.other.rcq,
				      .cap = {1, 1, 1, 1, 0}};
	struct ibv_gid_entry gid;

	assert_null(ibv_create_qp(t.other.pd, &rc));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_query_gid_table(t.other.ctx, &gid, 1, 0), 0);
	assert_null(ports_flow(&t.other, t.ports + 1));
	if (!t.manager)
		assert_null(ports_flow(&t.other, 1));
}
