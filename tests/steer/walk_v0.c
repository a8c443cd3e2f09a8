/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what a walk through entries of format 0 compares and changes, and on which side. */
#include "tests/test.h"
#include "steer/ste/v0.h"
#include "walk_rig.h"

/* Writes an entry that sends any packet to `hit`; a test narrows it. */
static uint8_t *entry_v0(unsigned int index, uint8_t kind, uint8_t lookup, uint64_t hit)
{
	uint8_t *s = ste(index);
	uint64_t base = hit >> 5 | 1;

	r.version = &ste_v0;
	memset(s, 0, 64);
	prm_ste_rx_steering_mult_set_entry_type(s, kind);
	prm_ste_rx_steering_mult_set_entry_sub_type(s, lookup);
	prm_ste_rx_steering_mult_set_next_table_base_39_32_size(s, (uint32_t)(base >> 27));
	prm_ste_rx_steering_mult_set_next_table_base_31_5_size(s, base & 0x7ffffff);
	prm_ste_rx_steering_mult_set_miss_address_39_32(s, (uint32_t)(END_MISS >> 32));
	prm_ste_rx_steering_mult_set_miss_address_31_6(s, (uint32_t)END_MISS >> 6);
	return s;
}

#define RX     PRM_STE_ENTRY_TYPE_RX
#define TX     PRM_STE_ENTRY_TYPE_TX
#define MODIFY PRM_STE_ENTRY_TYPE_MODIFY_PKT
#define ANY    PRM_STE_LU_TYPE_ETHL3_IPV6_SRC_O

static uint64_t walk_side(enum steer_domain domain)
{
	r.domain = domain;
	return walk(at(0));
}

/* An entry counts on its own side; one that rewrites counts on both. */
TEST(walk, sides)
{
	static const struct {
		uint8_t kind;
		bool rx, tx;
	} kinds[] = {{RX, true, false}, {TX, false, true}, {MODIFY, true, true}, {0, false, false}};

	packet(udp4, sizeof(udp4));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		entry_v0(0, kinds[i].kind, ANY, END_HIT);
		assert_int_equal(walk_side(STEER_NIC_RX), kinds[i].rx ? END_HIT : 0);
		assert_int_equal(walk_side(STEER_NIC_TX), kinds[i].tx ? END_HIT : 0);
	}
	assert_true(test_logged(r.f->log, "entry_type 0, which is not of this side"));
}

/* A tag decides, a table is indexed by the hash of the next lookup type, and misses lead on. */
TEST(walk, table)
{
	uint8_t tag[STE_TAG_BYTES] = {0}, *s = entry_v0(0, RX, ANY, at(16));
	uint64_t base = at(16) >> 5 | 8;

	packet(udp4, sizeof(udp4));
	prm_ste_eth_l3_ipv4_5_tuple_set_source_port(tag, 1000);
	prm_ste_general_set_next_table_base_31_5_size(s, base & 0x7ffffff);
	prm_ste_general_set_next_lu_type(s, PRM_STE_LU_TYPE_ETHL3_IPV4_5_TUPLE_D);
	prm_ste_general_set_byte_mask(s, 0x00c0); /* bytes 8 and 9: the source port */
	s = entry_v0(16 + ste_hash(tag, 0x00c0, 8), RX, PRM_STE_LU_TYPE_ETHL3_IPV4_5_TUPLE_D,
		     END_HIT);
	prm_ste_eth_l3_ipv4_5_tuple_set_destination_port(s + V0_MASK_AT, 0xffff);
	prm_ste_eth_l3_ipv4_5_tuple_set_destination_port(s + V0_TAG_AT, 53);
	assert_int_equal(walk_side(STEER_NIC_RX), END_HIT);
	prm_ste_eth_l3_ipv4_5_tuple_set_destination_port(s + V0_TAG_AT, 54);
	assert_int_equal(walk_side(STEER_NIC_RX), END_MISS);
	entry_v0(0, RX, 0x3f, END_HIT)[V0_MASK_AT] = 1;
	assert_int_equal(walk_side(STEER_NIC_RX), 0);
	assert_true(test_logged(r.f->log, "lookup type 0x003f, which is not implemented"));
}

TEST(walk, tags_of_vlans)
{
	const uint8_t tag[] = {0x88, 0xa8, 0x60, 0x2a};
	uint8_t *s = entry_v0(0, TX, ANY, at(1));

	packet(udp4, sizeof(udp4));
	prm_ste_sx_transmit_set_action_type(s, PRM_STE_TX_ACTION_PUSH_VLAN);
	prm_ste_sx_transmit_set_encap_pointer_vlan_data(s, 0x88a8602a);
	s = entry_v0(1, TX, PRM_STE_LU_TYPE_ETHL2_SRC_O, END_HIT);
	prm_ste_eth_l2_src_set_first_vlan_qualifier(s + V0_MASK_AT, 3);
	prm_ste_eth_l2_src_set_first_vlan_id(s + V0_MASK_AT, 0xfff);
	prm_ste_eth_l2_src_set_first_vlan_qualifier(s + V0_TAG_AT, 1);
	prm_ste_eth_l2_src_set_first_vlan_id(s + V0_TAG_AT, 42);
	assert_int_equal(walk_side(STEER_NIC_TX), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4) + 4);
	assert_memory_equal(r.p.data + 12, tag, 4);
	s = entry_v0(0, RX, ANY, END_HIT);
	prm_ste_rx_steering_mult_set_tunneling_action(s, PRM_STE_TUNNEL_ACTION_POP_VLAN);
	prm_ste_rx_steering_mult_set_qp_list_pointer(s, 0x80000000 | 77);
	assert_int_equal(walk_side(STEER_NIC_RX), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4));
	assert_memory_equal(r.p.data, udp4, sizeof(udp4));
	assert_int_equal(r.p.flow_tag, 77);
	/* none is left to remove; and the send side inserts nothing of other types */
	assert_int_equal(walk_side(STEER_NIC_RX), 0);
	assert_true(test_logged(r.f->log, "removes a VLAN tag, which the packet does not have"));
	s = entry_v0(0, TX, ANY, END_HIT);
	prm_ste_sx_transmit_set_action_type(s, 5);
	assert_int_equal(walk_side(STEER_NIC_TX), 0);
	assert_true(test_logged(r.f->log, "action_type 5 is not implemented"));
}

/* --- rewrites --- */

static void put_v0(unsigned int i, uint8_t op, uint8_t field, uint8_t low, uint8_t bits,
		   uint32_t value)
{
	uint8_t *a = r.lists + 8ul * i;

	memset(a, 0, 8);
	prm_dr_action_hw_set_set_opcode(a, op);
	prm_dr_action_hw_set_set_destination_field_code(a, field);
	prm_dr_action_hw_set_set_destination_left_shifter(a, low);
	prm_dr_action_hw_set_set_destination_length(a, bits & 31);
	prm_dr_action_hw_set_set_inline_data(a, value);
}

static uint64_t rewritten_v0(uint32_t n)
{
	uint8_t *s = entry_v0(0, MODIFY, ANY, END_HIT);

	prm_ste_modify_packet_set_number_of_re_write_actions(s, n);
	return walk_side(STEER_NIC_RX);
}

TEST(walk, rewrites)
{
	packet(udp4, sizeof(udp4));
	put_v0(0, PRM_STE_MODIFY_OP_SET, 0x00, 0, 16, 0xbeef);	    /* DMAC 15:0 */
	put_v0(1, PRM_STE_MODIFY_OP_SET, 0x01, 16, 32, 0x02aabbcc); /* SMAC 47:16 */
	put_v0(2, PRM_STE_MODIFY_OP_ADD, 0x04, 8, 8, 0xff);	    /* TTL - 1 */
	put_v0(3, PRM_STE_MODIFY_OP_SET, 0x04, 0, 6, 46);	    /* DSCP */
	put_v0(4, PRM_STE_MODIFY_OP_SET, 0x04, 6, 2, 1);	    /* ECN */
	put_v0(5, PRM_STE_MODIFY_OP_SET, 0x03, 0, 32, 0xc0a80101);  /* IPv4 source */
	put_v0(6, PRM_STE_MODIFY_OP_SET, 0x03, 32, 32, 0xc0a80202); /* IPv4 destination */
	put_v0(7, PRM_STE_MODIFY_OP_SET, 0x08, 0, 16, 1234);	    /* source port */
	put_v0(8, PRM_STE_MODIFY_OP_SET, 0x08, 16, 16, 5353);
	put_v0(9, PRM_STE_MODIFY_OP_SET, 0x0c, 32, 32, 0x12345678); /* C0 */
	put_v0(10, PRM_STE_MODIFY_OP_SET, 0x0e, 0, 32, 5);	    /* C5 */
	/* bits 15:8 of C0 to bits 31:24 of C3 */
	put_v0(11, PRM_STE_MODIFY_OP_COPY, 0x0d, 24, 0, 0);
	prm_dr_action_hw_copy_set_destination_length(r.lists + 88, 8);
	prm_dr_action_hw_copy_set_source_field_code(r.lists + 88, 0x0c);
	prm_dr_action_hw_copy_set_source_left_shifter(r.lists + 88, 32 + 8);
	memset(r.lists + 96, 0, 8); /* nothing */
	assert_int_equal(rewritten_v0(13), END_HIT);
	assert_int_equal(packet_load16(r.p.data + 4), 0xbeef);
	assert_int_equal(packet_load32(r.p.data + 6), 0x02aabbcc);
	assert_int_equal(r.p.outer.ttl, 63);
	assert_int_equal(r.p.outer.dscp, 46);
	assert_int_equal(r.p.outer.ecn, 1);
	assert_int_equal(packet_load32(r.p.data + 26), 0xc0a80101);
	assert_int_equal(packet_load32(r.p.data + 30), 0xc0a80202);
	assert_int_equal(r.p.outer.sport, 1234);
	assert_int_equal(r.p.outer.dport, 5353);
	assert_true(r.p.outer.l3_ok);
	assert_true(packet_l4_ok(&r.p, &r.p.outer));
	assert_int_equal(r.p.reg_c[0], 0x12345678);
	assert_int_equal(r.p.reg_c[5], 5);
	assert_int_equal(r.p.reg_c[3], 0x56000000);
	/* bits of two fields, and an operation that does not exist */
	put_v0(0, PRM_STE_MODIFY_OP_SET, 0x0c, 16, 32, 0);
	assert_int_equal(rewritten_v0(1), 0);
	assert_true(test_logged(r.f->log, "field 0x0c, bits 16 to 47, is not implemented"));
	put_v0(0, 9, 0x0c, 0, 32, 0);
	assert_int_equal(rewritten_v0(1), 0);
	assert_true(test_logged(r.f->log, "opcode 0x09 does not exist"));
}

/* --- tunnels --- */

/* IP in GRE: the new Ethernet header, with a VLAN tag or without, is that of the list. */
TEST(walk, decap_of_layer_3)
{
	static const uint8_t headers[][18] = {
		{2, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 2, 0x11, 0x22, 0x33, 0x44, 0x55, 8, 0},
		{2, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 2, 0x11, 0x22, 0x33, 0x44, 0x55, 0x88, 0xa8, 0x60,
		 0x2a, 8, 0},
	};
	uint8_t gre[sizeof(udp4) + 24];

	memcpy(gre, udp4, 14);
	memcpy(gre + 14, "\x45\0\0\x38\0\1\0\0\x40\x2f\x66\x93\x0a\0\0\1\x0a\0\0\2\0\0\x08\0", 24);
	memcpy(gre + 38, udp4 + 14, sizeof(udp4) - 14);
	put_v0(0, PRM_STE_MODIFY_OP_SET, 0x00, 16, 32, 0x02aabbcc);
	put_v0(1, PRM_STE_MODIFY_OP_SET, 0x01, 16, 32, 0x02112233);
	put_v0(2, PRM_STE_MODIFY_OP_SET, 0x00, 0, 16, 0xddee);
	put_v0(4, PRM_STE_MODIFY_OP_SET, 0x01, 0, 16, 0x4455);
	put_v0(5, PRM_STE_MODIFY_OP_SET, 0x02, 0, 16, 0x602a);
	for (uint32_t vlan = 0; vlan < 2; vlan++) {
		uint32_t bytes = vlan ? 18 : 14;
		uint8_t *s = entry_v0(0, MODIFY, ANY, END_HIT);

		put_v0(3, PRM_STE_MODIFY_OP_SET, 0x02, 32, vlan ? 18 : 16,
		       vlan ? 1u << 16 | 0x0800 : 0x0800);
		prm_ste_modify_packet_set_tunneling_action(s, PRM_STE_TUNNEL_ACTION_L3_DECAP);
		prm_ste_modify_packet_set_action_description(s, vlan);
		prm_ste_modify_packet_set_number_of_re_write_actions(s, 5 + vlan);
		packet(gre, sizeof(gre));
		assert_int_equal(r.p.tunnel, PACKET_GRE);
		assert_int_equal(walk_side(STEER_NIC_RX), END_HIT);
		assert_int_equal(r.p.len, sizeof(udp4) - 14 + bytes);
		assert_memory_equal(r.p.data, headers[vlan], bytes);
		assert_memory_equal(r.p.data + bytes, udp4 + 14, sizeof(udp4) - 14);
		assert_int_equal(r.p.outer.dport, 53);
	}
	packet(udp4, sizeof(udp4));
	assert_int_equal(walk_side(STEER_NIC_RX), 0);
	assert_true(test_logged(r.f->log, "before an inner IP header"));
}
