/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets, and what the parser must understand of each. */
#ifndef TESTS_PACKETS_H
#define TESTS_PACKETS_H

#include "steer/packet.h"

#define MACS "\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02"
#define IP4(proto, len, frag) \
	"\x45\xb9\x00" len "\x12\x34" frag "\x40" proto "\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02"
#define IP6(next, len)                                                     \
	"\x6b\x9a\xbc\xde\x00" len next "\x3f"                             \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"
#define UDP(len) "\x30\x39\x00\x35\x00" len "\x00\x00"
#define TCP	 "\x04\xd2\x01\xbb\x01\x02\x03\x04\x05\x06\x07\x08\x51\x12\xff\xff\x00\x00\x00\x00"
#define INNER	 MACS "\x08\x00" IP4("\x06", "\x28", "\x40\x00") TCP

/* Values that are understood of these headers; l4 0: of a part without it. */
#define IS_IP4(l3_at, l4_at, next)                                                              \
	.l3 = l3_at, .l4 = l4_at, .ip_version = 4, .ip_protocol = next, .dscp = 0x2e, .ecn = 1, \
	.ttl = 64, .ihl = 5
#define IS_IP6(l3_at, l4_at, next)                                                              \
	.l3 = l3_at, .l4 = l4_at, .ip_version = 6, .ip_protocol = next, .dscp = 0x2e, .ecn = 1, \
	.ttl = 63, .flow_label = 0xabcde
#define IS_UDP(port) .l4_type = PACKET_UDP, .sport = 12345, .dport = port
#define IS_TCP	     .l4_type = PACKET_TCP, .sport = 1234, .dport = 443, .tcp_flags = 0x112

/* One packet, and what must be understood of it. */
static const struct sample {
	const char *name;
	const char *bytes;
	size_t len;
	struct packet_headers is;
} samples[] = {
#define SAMPLE(name, bytes, ...)                                       \
	{                                                              \
		name, bytes, sizeof(bytes) - 1,                        \
		{                                                      \
			.present = true, .ethernet = true, __VA_ARGS__ \
		}                                                      \
	}
	SAMPLE("arp", MACS "\x08\x06\x00\x01", .ethertype = 0x0806),
	SAMPLE("udp", MACS "\x08\x00" IP4("\x11", "\x20", "\x00\x00") UDP("\x0c") "abcd",
	       .ethertype = 0x800, IS_IP4(14, 34, 17), IS_UDP(53)),
	SAMPLE("tcp, one tag", MACS "\x81\x00\xa0\x05\x08\x00" IP4("\x06", "\x28", "\x40\x00") TCP,
	       .ethertype = 0x800, .vlans = 1, .cvlan = true, .vlan = {0xa005}, IS_IP4(18, 38, 6),
	       IS_TCP),
	SAMPLE("two tags",
	       MACS "\x88\xa8\x00\x64\x81\x00\x20\xc8\x08\x00" IP4(
		       "\x01", "\x1c", "\x00\x00") "\x08\x00\xf7\xff\x00\x00\x00\x00",
	       .ethertype = 0x800, .vlans = 2, .svlan = true, .cvlan2 = true, .vlan = {100, 0x20c8},
	       IS_IP4(22, 42, 1), .l4_type = PACKET_ICMP),
	SAMPLE("a third tag is an EtherType",
	       MACS "\x88\xa8\x00\x64\x81\x00\x20\xc8\x81\x00\x00\x01\x08\x00", .ethertype = 0x8100,
	       .vlans = 2, .svlan = true, .cvlan2 = true, .vlan = {100, 0x20c8}),
	SAMPLE("ipv4 options",
	       MACS
	       "\x08\x00"
	       "\x46\x00\x00\x20\x00\x00\x00\x00\x01\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02"
	       "\x94\x04\x00\x00" UDP("\x08"),
	       .ethertype = 0x800, .l3 = 14, .l4 = 38, .ip_version = 4, .ip_protocol = 17, .ttl = 1,
	       .ihl = 6, IS_UDP(53)),
	SAMPLE("first fragment", MACS "\x08\x00" IP4("\x11", "\x1c", "\x20\x00") UDP("\x64"),
	       .ethertype = 0x800, IS_IP4(14, 34, 17), .frag = true, IS_UDP(53)),
	SAMPLE("later fragment", MACS "\x08\x00" IP4("\x11", "\x1c", "\x00\x10") "abcdefgh",
	       .ethertype = 0x800, IS_IP4(14, 0, 17), .frag = true),
	SAMPLE("ipv6 udp", MACS "\x86\xdd" IP6("\x11", "\x08") UDP("\x08"), .ethertype = 0x86dd,
	       IS_IP6(14, 54, 17), IS_UDP(53)),
	SAMPLE("ipv6 hop-by-hop, destination options",
	       MACS "\x86\xdd" IP6("\x00", "\x24") "\x3c\x00\x01\x04\x00\x00\x00\x00"
						   "\x06\x00\x01\x04\x00\x00\x00\x00" TCP,
	       .ethertype = 0x86dd, IS_IP6(14, 70, 6), IS_TCP),
	SAMPLE("ipv6 later fragment",
	       MACS "\x86\xdd" IP6("\x2c", "\x10") "\x11\x00\x00\x08\x00\x00\x00\x01" UDP("\x08"),
	       .ethertype = 0x86dd, IS_IP6(14, 0, 17), .frag = true),
	SAMPLE("ipv6 no next header", MACS "\x86\xdd" IP6("\x3b", "\x00"), .ethertype = 0x86dd,
	       IS_IP6(14, 0, 59)),
	SAMPLE("udp that is cut off", MACS "\x08\x00" IP4("\x11", "\x1c", "\x00\x00") "\x30\x39",
	       .ethertype = 0x800, IS_IP4(14, 0, 17), .truncated = true),
	SAMPLE("udp behind what IP says is its end",
	       MACS "\x08\x00" IP4("\x11", "\x16", "\x00\x00") UDP("\x08"), .ethertype = 0x800,
	       IS_IP4(14, 0, 17), .truncated = true),
	SAMPLE("ipv4 behind two labels",
	       MACS "\x88\x47\x00\x06\x42\x40\x00\x0c\x81\xff" IP4("\x06", "\x28", "\x40\x00") TCP,
	       .ethertype = 0x8847, .mpls = 14, .labels = 2, IS_IP4(22, 42, 6), IS_TCP),
	SAMPLE("ipv6 behind a tag and a label",
	       MACS "\x81\x00\x00\x05\x88\x48\x00\x06\x41\x40" IP6("\x11", "\x08") UDP("\x08"),
	       .ethertype = 0x8848, .vlans = 1, .cvlan = true, .vlan = {5}, .mpls = 18, .labels = 1,
	       IS_IP6(22, 62, 17), IS_UDP(53)),
	SAMPLE("a label, and what is neither IPv4 nor IPv6",
	       MACS "\x88\x47\x00\x06\x41\x40\x00\x00\x00\x00", .ethertype = 0x8847, .mpls = 14,
	       .labels = 1),
	SAMPLE("a stack without a bottom", MACS "\x88\x47\x00\x06\x40\x40\x00\x06\x40\x40\x45",
	       .ethertype = 0x8847, .mpls = 14, .labels = 2, .truncated = true),
	SAMPLE("a stack that is too deep",
	       MACS "\x88\x47\x00\x06\x40\x40\x00\x06\x40\x40\x00\x06\x40\x40\x00\x06\x40\x40"
		    "\x00\x06\x40\x40\x00\x06\x41\x40" IP4("\x06", "\x28", "\x40\x00") TCP,
	       .ethertype = 0x8847, .mpls = 14, .labels = 5),
	SAMPLE("vxlan",
	       MACS
	       "\x08\x00" IP4("\x11", "\x5a", "\x00\x00") "\x30\x39\x12\xb5\x00\x46\x00\x00"
							  "\x08\x00\x00\x00\x12\x34\x56\x00" INNER,
	       .ethertype = 0x800, IS_IP4(14, 34, 17), IS_UDP(4789)),
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

#define TUNNEL_IP4(proto, len) MACS "\x08\x00" IP4(proto, len, "\x00\x00")
#define TUNNEL_UDP(port, len)  TUNNEL_IP4("\x11", "\xff") "\x30\x39" port "\x00" len "\x00\x00"
#define GRE_INNER4	       IP4("\x06", "\x28", "\x40\x00") TCP

/* One packet, and what must be understood of its tunnel; the inner headers by a few of theirs. */
static const struct tunnelled {
	const char *name;
	const char *bytes;
	size_t len;
	uint8_t tunnel;
	uint16_t at;
	uint32_t vni, gre_key;
	bool present, ethernet;
	uint16_t l3, dport, ethertype;
	uint8_t ip_version;
} tunnels[] = {
#define TUNNEL(name, bytes, ...)                             \
	{                                                    \
		name, bytes, sizeof(bytes) - 1, __VA_ARGS__, \
	}
	TUNNEL("vxlan", TUNNEL_UDP("\x12\xb5", "\x46") "\x08\x00\x00\x00\x12\x34\x56\x99" INNER,
	       PACKET_VXLAN, 42, 0x123456, 0, true, true, 64, 443, 0x800, 4),
	TUNNEL("vxlan-gpe with ethernet",
	       TUNNEL_UDP("\x12\xb6", "\x46") "\x0c\x00\x00\x03\x12\x34\x56\x00" INNER,
	       PACKET_VXLAN_GPE, 42, 0x123456, 0, true, true, 64, 443, 0x800, 4),
	TUNNEL("vxlan-gpe with ipv6",
	       TUNNEL_UDP("\x12\xb6", "\x46") "\x0c\x00\x00\x02\x12\x34\x56\x00" IP6("\x11", "\x08")
		       UDP("\x08"),
	       PACKET_VXLAN_GPE, 42, 0x123456, 0, true, false, 50, 53, 0x86dd, 6),
	TUNNEL("vxlan-gpe with nsh",
	       TUNNEL_UDP("\x12\xb6", "\x46") "\x0c\x00\x00\x04\x12\x34\x56\x00" GRE_INNER4,
	       PACKET_VXLAN_GPE, 42, 0x123456, 0, false, false, 0, 0, 0, 0),
	TUNNEL("geneve", TUNNEL_UDP("\x17\xc1", "\x46") "\x00\x00\x65\x58\xab\xcd\xef\x00" INNER,
	       PACKET_GENEVE, 42, 0xabcdef, 0, true, true, 64, 443, 0x800, 4),
	TUNNEL("geneve with options and ipv4",
	       TUNNEL_UDP("\x17\xc1",
			  "\x46") "\x03\x80\x08\x00\xab\xcd\xef\x00"
				  "\x01\x02\x80\x02\x11\x22\x33\x44\x55\x66\x77\x88" GRE_INNER4,
	       PACKET_GENEVE, 42, 0xabcdef, 0, true, false, 62, 443, 0x800, 4),
	TUNNEL("geneve of another version",
	       TUNNEL_UDP("\x17\xc1", "\x46") "\x40\x00\x65\x58\xab\xcd\xef\x00" INNER,
	       PACKET_GENEVE, 42, 0xabcdef, 0, false, false, 0, 0, 0, 0),
	TUNNEL("geneve with options that run over",
	       TUNNEL_UDP("\x17\xc1", "\x46") "\x3f\x00\x65\x58\xab\xcd\xef\x00" INNER,
	       PACKET_NO_TUNNEL, 0, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("gtp-u with ipv4",
	       TUNNEL_UDP("\x08\x68", "\x46") "\x30\xff\x00\x28\x00\x00\x12\x34" GRE_INNER4,
	       PACKET_GTPU, 42, 0, 0, true, false, 50, 443, 0x800, 4),
	TUNNEL("gtp-u with an extension and ipv6",
	       TUNNEL_UDP("\x08\x68", "\x46") "\x34\xff\x00\x38\x00\x00\x12\x34"
					      "\x00\x00\x00\x85\x01\x10\x09\x00" IP6("\x11", "\x08")
						      UDP("\x08"),
	       PACKET_GTPU, 42, 0, 0, true, false, 58, 53, 0x86dd, 6),
	TUNNEL("gtp-u that is an echo",
	       TUNNEL_UDP("\x08\x68",
			  "\x46") "\x32\x01\x00\x04\x00\x00\x00\x00\x00\x01\x00\x00" GRE_INNER4,
	       PACKET_GTPU, 42, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("gtp-u whose extension has no length",
	       TUNNEL_UDP("\x08\x68", "\x46") "\x34\xff\x00\x38\x00\x00\x12\x34\x00\x00\x00\x85\x00"
					      "\x10\x09\x00" GRE_INNER4,
	       PACKET_GTPU, 42, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("gre with ipv4", TUNNEL_IP4("\x2f", "\x40") "\x00\x00\x08\x00" GRE_INNER4,
	       PACKET_GRE, 34, 0, 0, true, false, 38, 443, 0x800, 4),
	TUNNEL("gre with a checksum, a key and a number",
	       TUNNEL_IP4("\x2f", "\xa0") "\xb0\x00\x86\xdd\x12\x34\x00\x00\xca\xfe\xba\xbe"
					  "\x00\x00\x00\x07" IP6("\x11", "\x08") UDP("\x08"),
	       PACKET_GRE, 34, 0, 0xcafebabe, true, false, 50, 53, 0x86dd, 6),
	TUNNEL("gre with a number only",
	       TUNNEL_IP4("\x2f", "\x44") "\x10\x00\x08\x00\x00\x00\x00\x07" GRE_INNER4, PACKET_GRE,
	       34, 0, 0, true, false, 42, 443, 0x800, 4),
	TUNNEL("nvgre", TUNNEL_IP4("\x2f", "\x70") "\x20\x00\x65\x58\x12\x34\x56\x78" INNER,
	       PACKET_GRE, 34, 0, 0x12345678, true, true, 56, 443, 0x800, 4),
	TUNNEL("gre with routing",
	       TUNNEL_IP4("\x2f",
			  "\x70") "\x60\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x09" GRE_INNER4,
	       PACKET_GRE, 34, 0, 9, false, false, 0, 0, 0, 0),
	TUNNEL("nvgre of version 1",
	       TUNNEL_IP4("\x2f", "\x70") "\x20\x01\x65\x58\x12\x34\x56\x78" INNER, PACKET_GRE, 34,
	       0, 0x12345678, true, true, 56, 443, 0x800, 4),
	TUNNEL("gre of version 2", TUNNEL_IP4("\x2f", "\x40") "\x00\x02\x08\x00" GRE_INNER4,
	       PACKET_GRE, 34, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("gre of version 1 with ppp",
	       TUNNEL_IP4("\x2f", "\x40") "\x20\x01\x88\x0b\x00\x04\x00\x09" GRE_INNER4, PACKET_GRE,
	       34, 0, 0x40009, false, false, 0, 0, 0, 0),
	TUNNEL("gre with mpls",
	       TUNNEL_IP4("\x2f", "\x44") "\x00\x00\x88\x47\x00\x06\x41\x40" GRE_INNER4, PACKET_GRE,
	       34, 0, 0, true, false, 42, 443, 0x800, 4),
	TUNNEL("gre with a stack of labels without an end",
	       TUNNEL_IP4("\x2f", "\x54") "\x00\x00\x88\x47\x00\x06\x40\x40\x00\x06\x40\x40"
					  "\x00\x06\x40\x40\x00\x06\x40\x40\x00\x06\x40\x40"
					  "\x00\x06\x41\x40" GRE_INNER4,
	       PACKET_GRE, 34, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("mpls over udp",
	       TUNNEL_UDP("\x19\xeb", "\x38") "\x00\x06\x40\x40\x00\x06\x41\x40" GRE_INNER4,
	       PACKET_MPLS_UDP, 0, 0, 0, true, false, 50, 443, 0x800, 4),
	TUNNEL("mpls over udp, labels that are cut off",
	       TUNNEL_IP4("\x11", "\x22") "\x30\x39\x19\xeb\x00\x0e\x00\x00"
					  "\x00\x06\x40\x40\x00\x06",
	       PACKET_MPLS_UDP, 0, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("mpls over udp, a label that is cut off",
	       TUNNEL_IP4("\x11", "\x1f") "\x30\x39\x19\xeb\x00\x0b\x00\x00\x00\x06\x40",
	       PACKET_NO_TUNNEL, 0, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("gre whose key is cut off", TUNNEL_IP4("\x2f", "\x1a") "\x20\x00\x08\x00\x12\x34",
	       PACKET_NO_TUNNEL, 0, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("ipv4 in ipv4", TUNNEL_IP4("\x04", "\x40") GRE_INNER4, PACKET_IPIP, 0, 0, 0, true,
	       false, 34, 443, 0x800, 4),
	TUNNEL("ipv6 in ipv4", TUNNEL_IP4("\x29", "\x44") IP6("\x11", "\x08") UDP("\x08"),
	       PACKET_IPIP, 0, 0, 0, true, false, 34, 53, 0x86dd, 6),
	TUNNEL("gre over ipv6", MACS "\x86\xdd" IP6("\x2f", "\x2c") "\x00\x00\x08\x00" GRE_INNER4,
	       PACKET_GRE, 54, 0, 0, true, false, 58, 443, 0x800, 4),
	TUNNEL("ipv4 in ipv6", MACS "\x86\xdd" IP6("\x04", "\x28") GRE_INNER4, PACKET_IPIP, 0, 0, 0,
	       true, false, 54, 443, 0x800, 4),
	TUNNEL("vxlan over ipv6",
	       MACS "\x86\xdd" IP6("\x11", "\x46") "\x30\x39\x12\xb5\x00\x46\x00\x00"
						   "\x08\x00\x00\x00\x12\x34\x56\x99" INNER,
	       PACKET_VXLAN, 62, 0x123456, 0, true, true, 84, 443, 0x800, 4),
	TUNNEL("gre in a later fragment",
	       MACS "\x08\x00" IP4("\x2f", "\x40", "\x00\x10") "\x00\x00\x08\x00" GRE_INNER4,
	       PACKET_NO_TUNNEL, 0, 0, 0, false, false, 0, 0, 0, 0),
	TUNNEL("a tunnel in a tunnel",
	       TUNNEL_IP4("\x2f", "\xf0") "\x00\x00\x08\x00" IP4(
		       "\x11", "\x80", "\x00\x00") "\x30\x39\x12\xb5\x00\x46\x00\x00"
						   "\x08\x00\x00\x00\x12\x34\x56\x00" INNER,
	       PACKET_GRE, 34, 0, 0, true, false, 38, 4789, 0x800, 4),
};
#define TUNNELS (sizeof(tunnels) / sizeof(tunnels[0]))

#endif
