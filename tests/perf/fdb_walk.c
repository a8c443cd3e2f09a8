/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that steer.sh counts of the device: packets from one function to another, through the NIC
 * tables of both, and with `fdb` also through two access control lists and the FDB. All but the
 * lists are a root of firmware, then three entries of software. fdb_walk nic|fdb PACKETS
 */
#include <stdio.h>
#include "tests/steer/fdb_rig.h"

#define MANY 8u /* entries in a table: all are the same, so that any hash will do */

static uint8_t sent[sizeof(udp4)];

static void fill_mac(uint8_t *s)
{
	const unsigned int dmac = 4;

	memset(mask_of(s) + dmac, 0xff, 6);
	memcpy(tag_of(s) + dmac, sent, 6);
}

static void fill_tuple(uint8_t *s)
{
	void *tag = tag_of(s);

	memset(mask_of(s), 0xff, 12);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_source_address(tag, 0x0a000001);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_address(tag, 0x0a000002);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_source_port(tag, 1000);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_port(tag, 53);
}

/* Leads the entry to a table of MANY entries of a lookup type, by the hash of its first bytes. */
static void lead_to(uint8_t *s, unsigned int first, uint8_t lookup)
{
	set_hit(s, at(first), MANY);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, lookup);
	prm_ste_match_bwc_v1_set_byte_mask(s, 0xfff0);
}

/* Writes a software table as libmlx5 does for a match of addresses, ports and a MAC. */
static void entries_to(unsigned int first, uint64_t hit, uint64_t miss)
{
	lead_to(entry(first, 0x0f, hit, miss), first + MANY,
		PRM_STE_LU_TYPE_V1_ETHL3_IPV4_5_TUPLE_O);
	for (unsigned int i = first + MANY; i < first + 2 * MANY; i++) {
		uint8_t *s = entry(i, PRM_STE_LU_TYPE_V1_ETHL3_IPV4_5_TUPLE_O, hit, miss);

		fill_tuple(s);
		lead_to(s, first + 2 * MANY, PRM_STE_LU_TYPE_V1_ETHL2_O);
	}
	for (unsigned int i = first + 2 * MANY; i < first + 3 * MANY; i++)
		fill_mac(entry(i, PRM_STE_LU_TYPE_V1_ETHL2_O, hit, miss));
}

/* Makes a function's tables of a domain: their entries of software begin at `first`. */
static void nic_tables(struct fx *f, uint8_t type, unsigned int first, uint64_t hit)
{
	uint32_t root = rig_table(f, (struct rig_table){.type = type});
	uint32_t sw = rig_table(f, (struct rig_table){.type = type, .level = 1, .icm = at(first)});

	RIG_ENTRY(f, type, root, rig_group(f, type, root, 0, 0, 0), 0, 0, FWD, .to_table = sw);
	rig_root(f, type, root);
	entries_to(first, hit, icm_addr(ICM_END, ICM_DROP));
}

/* The root's entry is behind many of its value for the other side of the FDB. */
static void fdb_tables(struct fx *f)
{
	struct fdb_root root = make_root(f);
	const uint32_t first = 20, last = 1019;
	uint32_t group =
		FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", FDB}, {"table_id", root.table},
			{"start_flow_index", first}, {"end_flow_index", last});
	uint32_t sw = FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", FDB},
			      {"flow_table_context.level", 63}, {"flow_table_context.sw_owner", 1},
			      {"flow_table_context.sw_owner_icm_root_0", at(256)},
			      {"flow_table_context.sw_owner_icm_root_1", at(128)});

	for (uint32_t i = first; i <= last; i++)
		add_entry(f, (struct fdb_entry){.table = root.table,
						.group = group,
						.index = i,
						.side = i < last ? PRM_FLOW_SOURCE_UPLINK : 0,
						.action = FWD,
						.ndests = 1,
						.type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
						.id = {sw}});
	entries_to(128, icm_vport(VPORT_ECPF, true), END_MISS);
}

/* Makes the list of a vport: packets to udp4's port pass. */
static void acl(struct fx *f, uint8_t type, uint16_t vport)
{
#define ACL(op, ...)                                                                   \
	assert_int_equal(fx_cmd(f, dpu(), PRM_OPCODE_##op, 0,                          \
				FX_FIELDS({"other_vport", 1}, {"vport_number", vport}, \
					  {"table_type", type}, __VA_ARGS__)),         \
			 0)
	uint32_t table;

	ACL(CREATE_FLOW_TABLE, {"flow_table_context.log_size", 4});
	table = fx_made(f);
	ACL(CREATE_FLOW_GROUP, {"table_id", table}, {"end_flow_index", 3},
	    {"match_criteria_enable", 1}, {"match_criteria.outer_headers.udp_dport", 0xffff});
	ACL(SET_FLOW_TABLE_ENTRY, {"table_id", table}, {"flow_context.group_id", fx_made(f)},
	    {"flow_context.action", PRM_FLOW_ACTION_ALLOW},
	    {"flow_context.match_value.outer_headers.udp_dport", 53});
	ACL(SET_FLOW_TABLE_ROOT, {"table_id", table});
}

/* Sends a packet of the host's function until it has met the last table of the other one. */
static __attribute__((noipa)) void fdb_walk(struct fx *f)
{
	packet_parse_headers(&r.p);
	steer_tx(host(), &r.p);
	datapath_run(&f->dev);
}

int main(int argc, char **argv)
{
	uint64_t packets = argc == 3 ? (uint64_t)atoi(argv[2]) : 0;
	struct fx *f;
	void *state;

	if (!packets || fdb_setup(&state))
		return 2;
	f = state;
	memcpy(sent, udp4, sizeof(udp4));
	memcpy(sent, dpu()->mac, 6);
	nic_tables(f, PRM_FLOW_TABLE_TYPE_NIC_RX, 0, icm_addr(ICM_END, ICM_DROP));
	if (!strcmp(argv[1], "fdb")) {
		fdb_tables(f);
		acl(f, PRM_FLOW_TABLE_TYPE_ESW_INGRESS_ACL, VPORT_PF);
		acl(f, PRM_FLOW_TABLE_TYPE_ESW_EGRESS_ACL, VPORT_ECPF);
	}
	f->v = host();
	take(at(0), 18);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(host(), at(0), 1u << 18);
	nic_tables(f, PRM_FLOW_TABLE_TYPE_NIC_TX, 0, icm_addr(ICM_END, ICM_ALLOW));
	for (uint64_t i = 0; i < packets; i++) {
		packet(sent, sizeof(sent));
		r.p.source_vhca = host()->id;
		fdb_walk(f);
	}
	printf("%llu of %llu packets met the last table\n",
	       (unsigned long long)steer_stats(dpu())->ends[STEER_DROP],
	       (unsigned long long)packets);
	return steer_stats(dpu())->ends[STEER_DROP] !=
	       packets; /* all objects end with the process */
}
