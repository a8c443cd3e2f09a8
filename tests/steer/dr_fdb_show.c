/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes to the file SHOWN the packets that unmodified libmlx5's FDB rules make of a tunnel's header
 * and a packet, as they arrive beyond the wire. In each line of standard input both are hexadecimal,
 * with a blank between them. With BACK=1 in the environment, a rule that ends the tunnel must give
 * the packet back. MANAGER_VPORT is the manager's.
 */
#include "dr_fdb_rig.h"

static struct {
	FILE *shown;
	struct mlx5dv_dr_matcher *by_source;
	struct mlx5dv_dr_action *own, *wire, *end;
	struct mlx5dv_dr_rule *in;
	unsigned int vport;
} t;

static int show_open(void **state)
{
	(void)state;
	t.shown = fopen(getenv("SHOWN"), "w");
	assert_non_null(t.shown);
	t.vport = vport_named("MANAGER_VPORT");
	fdb_open();
	t.by_source = matcher_of(fdb.table, 1, 1u << 1, true, false);
	t.own = vport(t.vport);
	t.wire = vport(UPLINK);
	t.end = mlx5dv_dr_action_create_packet_reformat(
		fdb.domain, 0, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, 0, NULL);
	assert_non_null(t.end);
	t.in = rule(t.by_source, UPLINK, 0, t.end, t.own);
	return 0;
}

static int show_close(void **state)
{
	(void)state;
	no_rule(t.in);
	assert_int_equal(mlx5dv_dr_action_destroy(t.end), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(t.own), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(t.wire), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(t.by_source), 0);
	fdb_close();
	return fclose(t.shown);
}

TEST_GROUP(show_open, show_close)

static void assert_comes_back(const char *far, const char *packet)
{
	const char *back;

	put_far(far);
	back = take_own();
	if (strncmp(back, packet, strlen(packet)))
		fail_msg("%s came back as %s", packet, back);
}

static void show(const char *header, const char *packet)
{
	uint8_t bytes[SLOT];
	const uint32_t n = from_hex(bytes, header);
	struct mlx5dv_dr_action *begin = mlx5dv_dr_action_create_packet_reformat(
		fdb.domain, 0, MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL, n, bytes);
	struct mlx5dv_dr_rule *out;
	const char *far;

	assert_non_null(begin);
	out = rule(t.by_source, t.vport, 0, begin, t.wire);
	send_hex(&fdb.ends.end, packet);
	far = take_far();
	fprintf(t.shown, "%s\n", far);
	if (getenv("BACK"))
		assert_comes_back(far, packet);
	no_rule(out);
	assert_int_equal(mlx5dv_dr_action_destroy(begin), 0);
}

TEST(none, show_all)
{
	static char line[4 * SLOT];

	while (fgets(line, sizeof(line), stdin)) {
		char *packet = strchr(line, ' ');

		assert_non_null(packet);
		*packet++ = '\0';
		packet[strcspn(packet, "\n")] = '\0';
		show(line, packet);
	}
}
