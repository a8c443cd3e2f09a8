/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tunnels by unmodified libmlx5, in the root and below it: what mlx5dv_dr's packet reformat of sent
 * packets adds arrives byte by byte, and what it removes from received ones gives the inner packet.
 */
#include "tests/test.h"
#include "tests/verbs/raw_end.h"

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/flow.h>

#define PARAM_BYTES 64u
#define DIRECTIONS  2
enum { RX, TX };

#define MACS  "02d700000001021122334455"
#define INNER "02aabbccddee021122334455"
#define CARRIED                                    \
	"450000240001000040110000c0a80001c0a80002" \
	"03e8003500100000deadbeefcafef00d"
#define PACKET	 INNER "0800" CARRIED
#define NEW_ETH4 "02aaaaaaaaaa02bbbbbbbbbb0800"
#define IP4(p)             \
	"0800"             \
	"45b8000000004000" \
	"3d" p "0000"      \
	"c0000201c0000202"
#define L2 MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL
#define L3 MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL

/* Headers without lengths, and where the device fills in: l4 0 for those without UDP. */
static const struct tunnel {
	const char *name, *header;
	enum mlx5dv_flow_action_packet_reformat_type type;
	uint8_t l3, l4;
} tunnels[] = {
	{"VXLAN",
	 MACS IP4("11") "123412b500000000"
			"0800000000002a00",
	 L2, 14, 34},
	{"VXLAN behind a tag",
	 MACS "81002005" IP4("11") "123412b500000000"
				   "0800000000002a00",
	 L2, 18, 38},
	{"NVGRE", MACS IP4("2f") "2000655800000500", L2, 14, 0},
	{"GRE", MACS IP4("2f") "00000800", L3, 14, 0},
	{"Geneve with IP",
	 MACS IP4("11") "123417c100000000"
			"0000080000000900",
	 L3, 14, 34},
	{"VXLAN-GPE with IP",
	 MACS IP4("11") "123412b600000000"
			"0c00000100000900",
	 L3, 14, 34},
	{"IP in IP", MACS IP4("04"), L3, 14, 0},
	{"longest header: Geneve with options",
	 MACS IP4("11") "123417c100000000"
			"1300655800000900"
			"0102000f"
			"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
			"202122232425262728292a2b2c2d2e2f303132333435363738393a3b"
			"01030002"
			"4041424344454647",
	 L2, 14, 34},
};
#define TUNNELS (sizeof(tunnels) / sizeof(tunnels[0]))

static struct side {
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *table[2];
	struct mlx5dv_dr_matcher *matcher[2];
	struct mlx5dv_dr_action *down; /* to table 1 */
} sides[DIRECTIONS];
static struct end e;
static struct mlx5dv_dr_action *to_queue;

static const union {
	struct mlx5dv_flow_match_parameters p;
	uint8_t room[sizeof(struct mlx5dv_flow_match_parameters) + PARAM_BYTES];
} any = {.p = {.match_sz = PARAM_BYTES}};

static struct mlx5dv_flow_match_parameters *all(void)
{
	return (struct mlx5dv_flow_match_parameters *)(uintptr_t)&any.p;
}

/* --- rules ------------------------------------------------------------------------------------ */

static struct mlx5dv_dr_action *
reformat(int side, bool root, enum mlx5dv_flow_action_packet_reformat_type type, const char *hex)
{
	uint8_t bytes[256];
	uint32_t n = hex ? from_hex(bytes, hex) : 0;

	errno = 0;
	return mlx5dv_dr_action_create_packet_reformat(sides[side].domain,
						       root ? MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL : 0,
						       type, n, hex ? bytes : NULL);
}

/* Rules for all packets of a direction: in the root, or one there that leads to one below. */
struct rules {
	struct mlx5dv_dr_rule *rule[2];
};

static struct rules take_all(int side, bool root, struct mlx5dv_dr_action **actions, size_t n)
{
	struct side *s = &sides[side];
	struct rules r = {0};

	if (!root)
		r.rule[1] = mlx5dv_dr_rule_create(s->matcher[1], all(), n, actions);
	r.rule[0] = root ? mlx5dv_dr_rule_create(s->matcher[0], all(), n, actions)
			 : mlx5dv_dr_rule_create(s->matcher[0], all(), 1, &s->down);
	assert_non_null(r.rule[0]);
	assert_true(root || r.rule[1]);
	return r;
}

static void take_none(const struct rules *r)
{
	assert_int_equal(mlx5dv_dr_rule_destroy(r->rule[0]), 0);
	if (r->rule[1])
		assert_int_equal(mlx5dv_dr_rule_destroy(r->rule[1]), 0);
}

/* Sends a packet, and returns the length of what arrives in the queue. */
static uint32_t sent_and_got(void)
{
	struct ibv_wc wc;

	memset(slot_in(&e, 0), 0, SLOT);
	post_recv(&e, 0, SLOT);
	send_hex(&e, PACKET);
	poll_ok(e.rcq, 0, &wc);
	return wc.byte_len;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t ipv4_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += word(ip + i);
	return (sum & 0xffff) + (sum >> 16);
}

/* Asserts what the device filled in, and puts it into the wanted header. */
static void take_filled(const struct tunnel *t, uint8_t *want, const uint8_t *got, uint32_t n)
{
	assert_int_equal(word(got + t->l3 + 2), n - t->l3);
	assert_int_equal(ipv4_sum(got + t->l3), 0xffff);
	memcpy(want + t->l3 + 2, got + t->l3 + 2, 4);
	memcpy(want + t->l3 + 10, got + t->l3 + 10, 2);
	if (!t->l4)
		return;
	assert_int_equal(word(got + t->l4 + 4), n - t->l4);
	assert_true(word(got + t->l4) >= 0xc000);
	memcpy(want + t->l4, got + t->l4, 2);
	memcpy(want + t->l4 + 4, got + t->l4 + 4, 2);
}

static void assert_tunnelled(const struct tunnel *t, uint32_t n)
{
	uint8_t want[SLOT];
	uint32_t head = from_hex(want, t->header);
	uint32_t whole = head + from_hex(want + head, t->type == L3 ? CARRIED : PACKET);

	assert_int_equal(n, whole);
	take_filled(t, want, slot_in(&e, 0), n);
	assert_memory_equal(slot_in(&e, 0), want, whole);
}

static void assert_arrives(const char *hex, uint32_t n)
{
	uint8_t want[SLOT];

	assert_int_equal(n, from_hex(want, hex));
	assert_memory_equal(slot_in(&e, 0), want, n);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void begin_and_end(const struct tunnel *t, bool tx_root, bool rx_root)
{
	struct mlx5dv_dr_action *begin = reformat(TX, tx_root, t->type, t->header);
	struct mlx5dv_dr_action *end =
		t->type == L3
			? reformat(RX, rx_root,
				   MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2,
				   NEW_ETH4)
			: reformat(RX, rx_root,
				   MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, NULL);
	struct mlx5dv_dr_action *actions[] = {end, to_queue};
	struct rules tx, rx;

	print_message("%s, %s to %s\n", t->name, tx_root ? "root" : "below",
		      rx_root ? "root" : "below");
	assert_non_null(begin);
	assert_non_null(end);
	tx = take_all(TX, tx_root, &begin, 1);
	rx = take_all(RX, rx_root, &to_queue, 1);
	assert_tunnelled(t, sent_and_got());
	take_none(&rx);
	rx = take_all(RX, rx_root, actions, 2);
	assert_arrives(t->type == L3 ? NEW_ETH4 CARRIED : PACKET, sent_and_got());
	take_none(&rx);
	take_none(&tx);
	assert_int_equal(mlx5dv_dr_action_destroy(begin), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(end), 0);
}

/* Each tunnel, begun and ended in both kinds of tables. */
TEST(none, each_tunnel)
{
	for (size_t i = 0; i < TUNNELS; i++)
		for (int roots = 0; roots < 4; roots++)
			begin_and_end(&tunnels[i], roots & 1, roots & 2);
}

/* A rewrite and a tag come before the tunnel begins, and behind its end: both are inside it. */
TEST(none, with_other_changes)
{
	const struct tunnel *t = &tunnels[0];
	const uint64_t dport =
		htobe64((uint64_t)PRM_ACTION_TYPE_SET << 60 |
			(uint64_t)PRM_MODIFY_FIELD_OUT_UDP_DPORT << 48 | 16ull << 32 | 0x50);
	struct mlx5dv_dr_action *rewrites[DIRECTIONS], *tx[3], *rx[3];
	struct rules sends, receives;
	static const char changed[] = INNER "810000070800"
					    "450000240001000040110000c0a80001c0a80002"
					    "03e8005000100000deadbeefcafef00d";

	for (int side = 0; side < DIRECTIONS; side++)
		rewrites[side] = mlx5dv_dr_action_create_modify_header(
			sides[side].domain, 0, sizeof(dport), (__be64 *)(uintptr_t)&dport);
	tx[0] = rewrites[TX];
	tx[1] = mlx5dv_dr_action_create_push_vlan(sides[TX].domain, htobe32(0x81000007));
	tx[2] = reformat(TX, false, t->type, t->header);
	rx[0] = reformat(RX, false, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, NULL);
	rx[1] = rewrites[RX];
	rx[2] = to_queue;
	assert_true(tx[0] && tx[1] && tx[2] && rx[0] && rx[1]);
	sends = take_all(TX, false, tx, 3);
	receives = take_all(RX, false, rx, 3);
	assert_arrives(changed, sent_and_got());
	take_none(&sends);
	take_none(&receives);
	for (int i = 0; i < 3; i++)
		assert_int_equal(mlx5dv_dr_action_destroy(tx[i]), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(rx[0]), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(rx[1]), 0);
}

/* The device refuses headers that are too long, too short or of an odd length, in both tables. */
TEST(none, bad_sizes)
{
	static uint8_t header[256];
	static const uint16_t sizes[] = {128, 12, 49};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint32_t root = 0; root < 2; root++) {
			assert_null(mlx5dv_dr_action_create_packet_reformat(sides[TX].domain, root,
									    L2, sizes[i], header));
			assert_int_equal(errno, EINVAL);
		}
	assert_null(reformat(RX, true, L2, tunnels[0].header));
	assert_null(
		reformat(TX, true, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, NULL));
}

/* --- tables ----------------------------------------------------------------------------------- */

static void side_open(struct side *s, enum mlx5dv_dr_domain_type type)
{
	s->domain = mlx5dv_dr_domain_create(e.ctx, type);
	assert_non_null(s->domain);
	for (uint32_t i = 0; i < 2; i++) {
		s->table[i] = mlx5dv_dr_table_create(s->domain, i);
		assert_non_null(s->table[i]);
		s->matcher[i] = mlx5dv_dr_matcher_create(s->table[i], 0, 0, all());
		assert_non_null(s->matcher[i]);
	}
	s->down = mlx5dv_dr_action_create_dest_table(s->table[1]);
	assert_non_null(s->down);
}

static void side_close(struct side *s)
{
	assert_int_equal(mlx5dv_dr_action_destroy(s->down), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(mlx5dv_dr_matcher_destroy(s->matcher[i]), 0);
		assert_int_equal(mlx5dv_dr_table_destroy(s->table[i]), 0);
	}
	assert_int_equal(mlx5dv_dr_domain_destroy(s->domain), 0);
}

static int setup(UNUSED void **state)
{
	end_open(&e, 0);
	side_open(&sides[RX], MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	side_open(&sides[TX], MLX5DV_DR_DOMAIN_TYPE_NIC_TX);
	to_queue = mlx5dv_dr_action_create_dest_ibv_qp(e.qp);
	assert_non_null(to_queue);
	return 0;
}

static int teardown(UNUSED void **state)
{
	assert_int_equal(mlx5dv_dr_action_destroy(to_queue), 0);
	side_close(&sides[TX]);
	side_close(&sides[RX]);
	end_close(&e);
	return 0;
}

TEST_GROUP(setup, teardown)
