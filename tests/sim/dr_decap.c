/* SPDX-License-Identifier: BSD-2-Clause */
/* Decapsulation by unmodified libmlx5: a rule takes a tunnelled packet's outer headers off, and
 * what arrives in the queue is the inner packet, behind a new Ethernet header if it had none. */
#include "raw_end.h"

#include <infiniband/mlx5dv.h>

#define PARAM_BYTES 320u

#define ETH	    "02d700000001021122334455"
#define IP4(l, p)           \
	"4500" l "00010000" \
	"40" p "0000"       \
	"0a000001"          \
	"0b000002"
#define NEW_ETH4 "02aaaaaaaaaa02bbbbbbbbbb0800"
#define NEW_ETH6 "02aaaaaaaaaa02bbbbbbbbbb86dd"
#define INNER4             \
	"4500002000010000" \
	"40110000"         \
	"c0a80001"         \
	"c0a80002"         \
	"03e80035000c0000" \
	"deadbeef"
#define INNER6                             \
	"60000000000c1140"                 \
	"20010db8000000000000000000000001" \
	"20010db8000000000000000000000002" \
	"03e80035000c0000"                 \
	"deadbeef"
#define INNER_ETH                  \
	"02aabbccddee02aabbccddff" \
	"0800" INNER4

static const struct {
	const char *name, *packet;
	const char *header; /* that the inner packet gets; NULL: it has its own */
	const char *arrives;
} tunnels[] = {
	{"VXLAN",
	 ETH "0800" IP4("0052", "11") "100012b5003e0000"
				      "0800000000000700" INNER_ETH,
	 NULL, INNER_ETH},
	{"Geneve with options",
	 ETH "0800" IP4("005a", "11") "100017c100460000"
				      "0200655800000900"
				      "0102000111223344" INNER_ETH,
	 NULL, INNER_ETH},
	{"NVGRE behind a tag",
	 ETH "81000005"
	     "0800" IP4("004a", "2f") "2000655800000500" INNER_ETH,
	 NULL, INNER_ETH},
	{"GRE", ETH "0800" IP4("0044", "2f") "300008000000000500000001" INNER4, NEW_ETH4,
	 NEW_ETH4 INNER4},
	{"GRE with IPv6", ETH "0800" IP4("004c", "2f") "000086dd" INNER6, NEW_ETH6,
	 NEW_ETH6 INNER6},
	{"VXLAN-GPE",
	 ETH "0800" IP4("0044", "11") "100012b600300000"
				      "0c00000100000900" INNER4,
	 NEW_ETH4, NEW_ETH4 INNER4},
	{"IP in IP", ETH "0800" IP4("0034", "04") INNER4, NEW_ETH4, NEW_ETH4 INNER4},
};

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[PARAM_BYTES];
};

static struct {
	struct end end;
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *table[2];
	struct mlx5dv_dr_matcher *matcher[2];
	struct mlx5dv_dr_rule *way;
	struct mlx5dv_dr_action *to_table, *to_queue;
} t;

/* One packet out, and what comes in by the queue. */
static uint32_t sent_and_got(const char *hex)
{
	struct ibv_wc wc;

	post_recv(&t.end, 0, SLOT);
	send_hex(&t.end, hex);
	poll_ok(t.end.rcq, 0, &wc);
	return wc.byte_len;
}

static struct mlx5dv_dr_action *decap(const char *header)
{
	uint8_t bytes[64];
	uint32_t n = header ? from_hex(bytes, header) : 0;

	return mlx5dv_dr_action_create_packet_reformat(
		t.domain, 0,
		header ? MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2
		       : MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		n, header ? bytes : NULL);
}

static void each_tunnel(void **state)
{
	uint8_t wanted[SLOT];

	(void)state;
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(tunnels[0]); i++) {
		struct mlx5dv_dr_action *off = decap(tunnels[i].header);
		struct mlx5dv_dr_action *actions[] = {off, t.to_queue};
		struct params any = {.head = {.match_sz = PARAM_BYTES}};
		struct mlx5dv_dr_rule *rule;
		uint32_t n = from_hex(wanted, tunnels[i].arrives), got;

		assert_non_null(off);
		rule = mlx5dv_dr_rule_create(t.matcher[1], &any.head, 2, actions);
		assert_non_null(rule);
		got = sent_and_got(tunnels[i].packet);
		if (got < n || memcmp(slot_in(&t.end, 0), wanted, n))
			fail_msg("%s: %u bytes arrive, the inner packet has %u", tunnels[i].name,
				 got, n);
		assert_int_equal(mlx5dv_dr_rule_destroy(rule), 0);
		assert_int_equal(mlx5dv_dr_action_destroy(off), 0);
	}
}

/* --- around it --- */

static void open_tables(void)
{
	struct params any = {.head = {.match_sz = PARAM_BYTES}};

	t.domain = mlx5dv_dr_domain_create(t.end.ctx, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	assert_non_null(t.domain);
	for (unsigned int i = 0; i < 2; i++) {
		t.table[i] = mlx5dv_dr_table_create(t.domain, i);
		t.matcher[i] = mlx5dv_dr_matcher_create(t.table[i], 0, 0, &any.head);
		assert_non_null(t.matcher[i]);
	}
	t.to_table = mlx5dv_dr_action_create_dest_table(t.table[1]);
	t.to_queue = mlx5dv_dr_action_create_dest_ibv_qp(t.end.qp);
	t.way = mlx5dv_dr_rule_create(t.matcher[0], &any.head, 1, &t.to_table);
	assert_non_null(t.to_queue);
	assert_non_null(t.way);
}

static int setup(void **state)
{
	(void)state;
	end_open(&t.end, 0);
	open_tables();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(mlx5dv_dr_rule_destroy(t.way), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(t.to_table), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(t.to_queue), 0);
	for (unsigned int i = 2; i-- > 0;) {
		assert_int_equal(mlx5dv_dr_matcher_destroy(t.matcher[i]), 0);
		assert_int_equal(mlx5dv_dr_table_destroy(t.table[i]), 0);
	}
	assert_int_equal(mlx5dv_dr_domain_destroy(t.domain), 0);
	end_close(&t.end);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_tunnel),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
