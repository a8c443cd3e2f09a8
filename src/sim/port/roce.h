/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_ROCE_H
#define SIM_PORT_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct gid_entry;
struct vhca;

/* RoCE packets in Ethernet, with GRH or with IP and UDP (IBTA vol. 1, annexes A16 and A17). */

#define ROCE_BTH  12u /* bytes of the base transport header, the first of the transport's headers */
#define ROCE_ICRC 4u

/* Path of a connection's packets: what surrounds their transport headers and payload. */
struct roce_path {
	struct vhca *from;
	const struct gid_entry *source; /* GID of `from`: type, GID and MAC */
	uint8_t dgid[16], dmac[6];
	uint16_t udp_sport;
	uint8_t tclass, hop_limit;
	uint8_t prio; /* of the VLAN tag, if source has a VLAN */
	uint32_t flow_label;
	bool forced;	   /* loopback: back to from, whatever the addresses are */
	uint32_t overhead; /* roce_overhead() */
	struct vhca *to;   /* set by the e-switch: eswitch_direct() */
	uint64_t resolved; /* set by the e-switch: device.paths at that time */
};

/* Returns the VLAN tag of its packets; 0: none. */
uint16_t roce_tci(const struct roce_path *);
/* Returns the bytes of a packet without payload and without transport headers behind BTH. */
uint32_t roce_overhead(const struct roce_path *);

/*
 * Encodes a descriptor of one packet as bytes, with its ICRC. Returns a new frame, or NULL: out of
 * memory. The descriptor is freed.
 */
struct frame *roce_encode(const struct roce_path *, struct frame *);

/*
 * Makes the 40 bytes that a datagram's receiver gets before the message: GRH or IPv6's header, or
 * 20 undefined bytes ([I] zeros) and IPv4's header. len: bytes from BTH to the end of the ICRC.
 * roce_describe_grh() writes them into a descriptor.
 */
#define ROCE_GRH 40u
void roce_make_grh(const struct roce_path *, uint32_t len, uint8_t grh[ROCE_GRH]);
void roce_describe_grh(const struct roce_path *, struct frame *);
/* Kinds of network headers, as CQEs number them: enum cqe_l3_hdr_type. */
enum roce_network { ROCE_NETWORK_GRH = 0, ROCE_NETWORK_IPV6 = 1, ROCE_NETWORK_IPV4 = 2 };
enum roce_network roce_network(const uint8_t grh[ROCE_GRH]);
/* Copies the destination GID. */
void roce_grh_dgid(const uint8_t grh[ROCE_GRH], uint8_t gid[16]);

/*
 * Returns the checksum of an IPv4 header of 20 bytes; it is 0 over a header with a right checksum.
 */
uint16_t roce_ip4_checksum(const uint8_t *ip);

/* A decoded RoCE packet. */
struct roce_bytes {
	uint16_t ether_type;
	bool tagged; /* has one VLAN tag, a customer's */
	uint16_t tci;
	uint8_t sgid[16], dgid[16];
	const uint8_t *net; /* GRH or IP */
	const uint8_t *bth; /* from BTH to the end of the padding */
	uint32_t len;	    /* bytes at bth; the ICRC follows */
};
/*
 * Decodes a packet. Returns false if it is no RoCE packet, its IP header is wrong, or its lengths
 * contradict each other.
 */
bool roce_decode(const uint8_t *data, uint32_t len, struct roce_bytes *);
void roce_grh(const struct roce_bytes *, uint8_t grh[ROCE_GRH]);
/* Returns the VLAN; 0: none, also for a tag with a priority only (IEEE 802.1Q, 6.9.1). */
uint16_t roce_vlan(const struct roce_bytes *);
/* Returns true for RoCE v1: GRH behind Ethernet, without IP and UDP. */
bool roce_is_v1(const struct roce_bytes *);
/* Return the ICRC that the packet should have, and whether it has it. */
uint32_t roce_icrc(const struct roce_bytes *);
bool roce_icrc_good(const struct roce_bytes *);

/* A received RoCE packet, or a burst of packets: transport headers and payload. */
struct roce_packet {
	const uint8_t *sgid;
	const uint8_t *smac;
	const uint8_t *group; /* destination multicast GID; NULL: for one function */
	const uint8_t *grh;   /* ROCE_GRH bytes; in a descriptor, only of a datagram */
	bool tagged;	      /* in a descriptor, only of a datagram; likewise tci */
	uint16_t tci;
	bool forced;	    /* loopback: the GIDs are ignored */
	const uint8_t *hdr; /* BTH and the following headers */
	uint32_t hdr_len;
	const uint8_t *data; /* payload; NULL: it lies behind the headers, within hdr_len */
	uint32_t len;
	uint16_t npkts, mtu; /* of a burst */
	uint8_t last_opcode;
	uint32_t octets; /* on a wire, without FCS */
};

#endif
