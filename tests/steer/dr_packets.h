/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_DR_PACKETS_H
#define TESTS_DR_PACKETS_H

/* Packets in hexadecimal, for each kind of header that a rule matches. */
enum which {
	TCP4,
	UDP4,
	TCP6,
	SVLAN,
	CVLAN,
	ICMP4,
	ICMP6,
	VXLAN,
	GPE,
	GENEVE,
	GTPU,
	GRE,
	NVGRE,
	MPLS,
	MPLS_GRE,
	MPLS_UDP,
	ECPRI,
	PACKETS
};

#define ETH            \
	"02d700000001" \
	"021122334455"
#define IP4(p)        \
	"45b9"        \
	"00300001"    \
	"0000"        \
	"3d" p "0000" \
	"0a000001"    \
	"0b000002"
#define IP6(p)                             \
	"62a12345"                         \
	"0020" p "21"                      \
	"20010db8000000000000000000000001" \
	"20010db8000000000000000000000002"
#define TCP        \
	"12340050" \
	"11223344" \
	"55667788" \
	"50122000" \
	"00000000"
#define UDP        \
	"03e80035" \
	"001c0000" \
	"0000000000000000000000000000000000000000"
#define INNER4                      \
	"02aabbccddee"              \
	"02aabbccddff"              \
	"0800" IP4("06") "123401bb" \
			 "11111111" \
			 "22222222" \
			 "50102000" \
			 "00000000"
/* An IPv4 header without options, for a packet of that length. */
#define IP4_OF(length, p)    \
	"45b9" length "0001" \
	"0000"               \
	"3d" p "0000"        \
	"0a000001"           \
	"0b000002"
static const char *const packets[PACKETS] = {
	[TCP4] = ETH "0800" IP4("06") TCP "0000000000000000",
	[UDP4] = ETH "0800" IP4("11") UDP,
	[TCP6] = ETH "86dd" IP6("06") TCP "000000000000000000000000",
	[SVLAN] = ETH "88a8b123"
		      "81006456"
		      "0800" IP4("11") UDP,
	[CVLAN] = ETH "8100c04d"
		      "0800" IP4("11") UDP,
	[ICMP4] = ETH "0800" IP4("01") "0803"
				       "0000"
				       "cafe0001"
				       "0000000000000000000000000000000000000000",
	[ICMP6] = ETH "86dd" IP6("3a") "8004"
				       "0000"
				       "beef0002"
				       "000000000000000000000000000000000000000000000000",
	/* UDP to port 4789, network 0xabcdef */
	[VXLAN] = ETH "0800"
		      "45b9"
		      "007a0001"
		      "0000"
		      "3d"
		      "11"
		      "0000"
		      "0a000001"
		      "0b000002"
		      "100012b500660000"
		      "08000000"
		      "abcdef00" INNER4 "000000000000000000000000"
		      "000000000000000000000000",
	/* UDP to port 4790, flags 0xc, IPv4 follows, network 0x123456 */
	[GPE] = ETH "0800" IP4_OF("0054", "11") "100012b600400000"
						"0c000001"
						"12345600" IP4("06") TCP "0000000000000000",
	/* UDP to port 6081, two words of options, a control packet, network 0xabcdef */
	[GENEVE] = ETH "0800" IP4_OF("007a", "11") "100017c100660000"
						   "02806558"
						   "abcdef00"
						   "0102800111223344" INNER4 "0000"
						   "000000000000000000000000",
	/* UDP to port 2152, a sequence number and an extension header; IPv4 follows */
	[GTPU] = ETH "0800" IP4_OF("005c", "11") "1000086800480000"
						 "36ff0038"
						 "cafe1234"
						 "00070085"
						 "01100900" IP4("06") TCP "0000000000000000",
	/* with a checksum, a key and a sequence number; IPv6 follows */
	[GRE] = ETH "0800" IP4_OF("0074", "2f") "b00086dd"
						"12340000"
						"cafebabe"
						"00000007" IP6("06") TCP "000000000000000000000000"
									 "00000000",
	/* a key, and Ethernet follows, in which is a label */
	[NVGRE] = ETH "0800" IP4_OF("0056", "2f") "20006558"
						  "12345678"
						  "02aabbccddee"
						  "02aabbccddff"
						  "8847"
						  "0006433f" IP4("11") UDP,
	/* labels 100 (class 1, TTL 64) and 200 (the last) */
	[MPLS] = ETH "8847"
		     "00064240"
		     "000c8320" IP4("11") UDP,
	/* a key, and label 300 (class 2, the last, TTL 65); IPv4 follows */
	[MPLS_GRE] = ETH "0800" IP4_OF("0050", "2f") "20008847"
						     "cafebabe"
						     "0012c541" IP4("11") UDP,
	/* UDP to port 6635, labels 400 (class 3, TTL 66) and 500; IPv4 follows */
	[MPLS_UDP] = ETH "0800" IP4_OF("0054", "11") "100019eb00400000"
						     "00190642"
						     "001f4140" IP4("11") UDP,
	/* eCPRI's header: a message of type 2 (real-time control) */
	[ECPRI] = ETH "aefe"
		      "10020008"
		      "0123456789abcdef"
		      "0000000000000000000000000000000000000000000000000000000000000000",
};

#endif
