/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unmodified libmlx5 changes packets in the FDB, on the e-switch's manager: tunnels begin on the way
 * to the wire and end on the way from it, VLAN tags come and go, arrays begin a tunnel for one
 * destination of two, samplers copy. dr_fdb_peer is beyond the wire. MANAGER_VPORT is the manager's
 * number, FORMAT that of steering entries.
 */
#include "dr_fdb_rig.h"

#include <errno.h>
#include <dvx/prm/flow.h>

#define MACS "02cccccccccc021122334455" /* of no function, so that it goes to the wire */
#define CARRIED                                            \
	"450000300001000040110000c0a80001c0a80002000a0035" \
	"001c0000deadbeefcafef00d000102030405060708090a0b"
#define PACKET                       \
	"02aabbccddee02112233445508" \
	"00" CARRIED
#define TAGGED	 "02aabbccddee021122334455810000070800" CARRIED
#define NEW_MACS "02aaaaaaaaaa02bbbbbbbbbb0800"
#define MARK	 10u /* UDP source port of PACKET */
#define IP4(p)	 "080045b80000000040003d" p "0000c0000201c0000202"
#define VXLAN	 IP4("11") "123412b5000000000800000000002a00"
#define VXLAN_L4 34u
#define OUTER_L3 14u
#define PACKETS	 400u /* of the sampler */
#define RATIO	 4u
#define L2_BEGIN MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL
#define L2_END	 MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2
#define L3_BEGIN MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL
#define L3_END	 MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2

static struct {
	struct mlx5dv_dr_matcher *by_both, *by_source;
	struct mlx5dv_dr_action *own, *wire, *drop;
	unsigned int vport, format;
} t;

/* --- packets ----------------------------------------------------------------------------------- */

static void assert_packet(const char *got, const char *want)
{
	if (strcmp(got, want))
		fail_msg("\n%s, not\n%s", got, want);
}

/* --- rules ------------------------------------------------------------------------------------- */

static struct mlx5dv_dr_action *reformat(enum mlx5dv_flow_action_packet_reformat_type type,
					 const char *hex)
{
	uint8_t bytes[256];
	uint32_t n = hex ? from_hex(bytes, hex) : 0;
	struct mlx5dv_dr_action *a =
		mlx5dv_dr_action_create_packet_reformat(fdb.domain, 0, type, n, n ? bytes : NULL);

	assert_non_null(a);
	return a;
}

/* Makes the rule for this source, of all packets or those of MARK. */
static struct mlx5dv_dr_rule *from_own(unsigned int mark, struct mlx5dv_dr_action *first,
				       struct mlx5dv_dr_action *second)
{
	return rule(mark ? t.by_both : t.by_source, t.vport, mark, first, second);
}

static struct mlx5dv_dr_rule *from_wire(struct mlx5dv_dr_action *first,
					struct mlx5dv_dr_action *second)
{
	return rule(t.by_source, UPLINK, 0, first, second);
}

static void no_action(struct mlx5dv_dr_action *a)
{
	assert_int_equal(mlx5dv_dr_action_destroy(a), 0);
}

static int changes_open(void **state)
{
	(void)state;
	t.vport = vport_named("MANAGER_VPORT");
	t.format = vport_named("FORMAT");
	fdb_open();
	t.by_both = matcher_of(fdb.table, 1, PARTS, true, true);
	t.by_source = matcher_of(fdb.table, 2, 1u << 1, true, false);
	t.drop = mlx5dv_dr_action_create_drop();
	assert_non_null(t.drop);
	t.own = vport(t.vport);
	t.wire = vport(UPLINK);
	return 0;
}

static int changes_close(void **state)
{
	(void)state;
	no_action(t.own);
	no_action(t.wire);
	no_action(t.drop);
	assert_int_equal(mlx5dv_dr_matcher_destroy(t.by_both), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(t.by_source), 0);
	fdb_close();
	return 0;
}

TEST_GROUP(changes_open, changes_close)

/* --- tunnels ----------------------------------------------------------------------------------- */

/* Headers without lengths, and where the device fills in: l4 0 for those without UDP. */
static const struct tunnel {
	const char *name, *header;
	bool l3; /* it carries IP, not Ethernet */
	uint8_t l4;
} tunnels[] = {
	{"VXLAN", MACS VXLAN, false, VXLAN_L4},
	{"NVGRE", MACS IP4("2f") "2000655800000500", false, 0},
	{"GRE", MACS IP4("2f") "00000800", true, 0},
	{"Geneve with IP", MACS IP4("11") "123417c1000000000000080000000900", true, VXLAN_L4},
	{"IP in IP", MACS IP4("04"), true, 0},
};

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

/* Asserts the lengths, and that all bytes that the device does not fill in are as given. */
static void assert_tunnelled(const struct tunnel *tunnel, const char *hex)
{
	uint8_t got[SLOT], want[SLOT];
	uint32_t head = from_hex(want, tunnel->header);
	uint32_t n = head + from_hex(want + head, tunnel->l3 ? CARRIED : PACKET);

	assert_int_equal(from_hex(got, hex), n);
	assert_int_equal(word(got + OUTER_L3 + 2), n - OUTER_L3);
	memcpy(want + OUTER_L3 + 2, got + OUTER_L3 + 2, 4);
	memcpy(want + OUTER_L3 + 10, got + OUTER_L3 + 10, 2);
	if (tunnel->l4) {
		assert_int_equal(word(got + tunnel->l4 + 4), n - tunnel->l4);
		assert_true(word(got + tunnel->l4) >= 0xc000);
		memcpy(want + tunnel->l4, got + tunnel->l4, 2);
		memcpy(want + tunnel->l4 + 4, got + tunnel->l4 + 4, 2);
	}
	assert_memory_equal(got, want, n);
}

static void there_and_back(const struct tunnel *tunnel)
{
	struct mlx5dv_dr_action *begin = reformat(tunnel->l3 ? L3_BEGIN : L2_BEGIN, tunnel->header);
	struct mlx5dv_dr_action *end =
		tunnel->l3 ? reformat(L3_END, NEW_MACS) : reformat(L2_END, NULL);
	struct mlx5dv_dr_rule *out = from_own(MARK, begin, t.wire), *in = from_wire(end, t.own);
	const char *far;

	print_message("%s\n", tunnel->name);
	send_hex(&fdb.ends.end, PACKET);
	far = take_far();
	assert_tunnelled(tunnel, far);
	put_far(far);
	assert_packet(take_own(), tunnel->l3 ? NEW_MACS CARRIED : PACKET);
	no_rule(out);
	no_rule(in);
	no_action(begin);
	no_action(end);
}

/* Each tunnel begins on the way to the wire, and ends on the way from it. */
TEST(none, each_tunnel)
{
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(tunnels[0]); i++)
		there_and_back(&tunnels[i]);
}

static int rule_errno(struct mlx5dv_dr_matcher *m, unsigned int source,
		      struct mlx5dv_dr_action *change, struct mlx5dv_dr_action *to)
{
	struct mlx5dv_dr_action *actions[] = {change, to};
	struct params value = params_of(source, 0);

	errno = 0;
	assert_null(mlx5dv_dr_rule_create(m, &value.head, 2, actions));
	return errno;
}

/* Entries of format 1 begin tunnels of packets from the wire, too. No format ends one to it. */
TEST(none, sides)
{
	struct mlx5dv_dr_action *begin = reformat(L2_BEGIN, tunnels[0].header);
	struct mlx5dv_dr_action *end = reformat(L2_END, NULL);

	assert_int_equal(rule_errno(t.by_source, t.vport, end, t.wire), EOPNOTSUPP);
	if (t.format) {
		struct mlx5dv_dr_rule *in = from_wire(begin, t.own);

		put_far(PACKET);
		assert_tunnelled(&tunnels[0], take_own());
		no_rule(in);
	} else {
		assert_int_equal(rule_errno(t.by_source, UPLINK, begin, t.own), EINVAL);
	}
	no_action(begin);
	no_action(end);
}

/* A rewrite, a tag and a tunnel in one rule: the tunnel has the other two inside. */
TEST(none, with_other_changes)
{
	uint64_t set = htobe64((uint64_t)PRM_ACTION_TYPE_SET << 60 |
			       (uint64_t)PRM_MODIFY_FIELD_OUT_UDP_DPORT << 48 | 16ull << 32 | 0x50);
	struct mlx5dv_dr_action *change[] = {
		mlx5dv_dr_action_create_modify_header(fdb.domain, 0, sizeof(set), (__be64 *)&set),
		mlx5dv_dr_action_create_push_vlan(fdb.domain, htobe32(0x81000007)),
		reformat(L2_BEGIN, tunnels[0].header), t.wire};
	struct params value = params_of(t.vport, MARK);
	struct mlx5dv_dr_rule *out;
	char want[sizeof(TAGGED)] = TAGGED;

	out = mlx5dv_dr_rule_create(t.by_both, &value.head, 4, change);
	assert_non_null(out);
	assert_int_equal(mlx5dv_dr_domain_sync(fdb.domain, 3), 0);
	memcpy(strstr(want, "000a0035"), "000a0050", 8);
	send_hex(&fdb.ends.end, PACKET);
	assert_packet(take_far() + strlen(tunnels[0].header), want);
	no_rule(out);
	for (unsigned int i = 0; i < 3; i++)
		no_action(change[i]);
}

/* --- tags, arrays, samplers --------------------------------------------------------------------- */

/* A tag comes on the way to the wire, and goes on the way from it. */
TEST(none, tags)
{
	struct mlx5dv_dr_action *push =
		mlx5dv_dr_action_create_push_vlan(fdb.domain, htobe32(0x81000007));
	struct mlx5dv_dr_action *pop = mlx5dv_dr_action_create_pop_vlan();
	struct mlx5dv_dr_rule *out, *in;

	assert_true(push && pop);
	out = from_own(MARK, push, t.wire);
	in = from_wire(pop, t.own);
	send_hex(&fdb.ends.end, PACKET);
	assert_packet(take_far(), TAGGED);
	put_far(TAGGED);
	assert_packet(take_own(), PACKET);
	no_rule(out);
	no_rule(in);
	no_action(push);
	no_action(pop);
}

/*
 * Returns whether arrays and samplers may name the manager's vport: libmlx5 44 does not set the
 * number of an ECPF, so its packets would go to vport 0.
 */
static bool own_has_number(void)
{
	return t.vport != ECPF;
}

/* A mirror keeps the packet as it is for a function, and begins a tunnel for the wire. */
TEST(none, arrays)
{
	struct mlx5dv_dr_action_dest_reformat through = {
		.dest = t.wire, .reformat = reformat(L2_BEGIN, tunnels[0].header)};
	struct mlx5dv_dr_action_dest_attr plain = {.type = MLX5DV_DR_ACTION_DEST, .dest = t.own},
					  tunnel = {.type = MLX5DV_DR_ACTION_DEST_REFORMAT,
						    .dest_reformat = &through},
					  *dests[] = {&plain, &tunnel};
	struct mlx5dv_dr_action *array = mlx5dv_dr_action_create_dest_array(fdb.domain, 2, dests);
	struct mlx5dv_dr_rule *out;

	assert_non_null(array);
	out = from_own(MARK, array, NULL);
	send_hex(&fdb.ends.end, PACKET);
	if (own_has_number())
		assert_packet(take_own(), PACKET);
	assert_tunnelled(&tunnels[0], take_far());
	no_rule(out);
	no_action(array);
	no_action(through.reformat);
}

/* Samples: one of four packets, and all go on to the wire. The choice has a fixed seed. */
TEST(none, samples)
{
	struct mlx5dv_dr_table *next = mlx5dv_dr_table_create(fdb.domain, 2);
	struct mlx5dv_dr_matcher *all = matcher_of(next, 0, 0, false, false);
	struct mlx5dv_dr_rule *on = rule(all, ANY, 0, t.wire, NULL), *out;
	struct mlx5dv_dr_flow_sampler_attr attr = {
		.sample_ratio = RATIO,
		.default_next_table = next,
		.num_sample_actions = 1,
		.sample_actions = &t.own,
		.action = htobe64((uint64_t)PRM_ACTION_TYPE_SET << 60 |
				  (uint64_t)PRM_MODIFY_FIELD_METADATA_REG_C_0 << 48)};
	struct mlx5dv_dr_action *sampler = mlx5dv_dr_action_create_flow_sampler(&attr);
	unsigned int before = fdb.ends.received, samples;

	assert_non_null(sampler);
	out = from_own(MARK, sampler, NULL);
	for (unsigned int i = 0; i < PACKETS; i++) {
		send_hex(&fdb.ends.end, PACKET);
		assert_packet(take_far(), PACKET);
		while (ibv_poll_cq(fdb.ends.end.rcq, 1, &(struct ibv_wc){0}))
			post_recv(&fdb.ends.end, fdb.ends.received++ % DEPTH, SLOT);
	}
	samples = fdb.ends.received - before;
	if (own_has_number())
		assert_in_range(samples, PACKETS / RATIO * 7 / 10, PACKETS / RATIO * 13 / 10);
	no_rule(out);
	no_action(sampler);
	no_rule(on);
	assert_int_equal(mlx5dv_dr_matcher_destroy(all), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(next), 0);
}
