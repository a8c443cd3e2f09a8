/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_ROCE_H
#define SIM_PORT_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct gid_entry;
struct vhca;

/* RoCE packets as Ethernet, GRH or IP and UDP have them (IBTA vol. 1, annexes A16 and A17). */

#define ROCE_BTH \
	12u /* bytes of the base transport header, with which the transport's part begins */
#define ROCE_ICRC 4u

/* What a connection's packets have around their transport headers and payload. */
struct roce_path {
	struct vhca *from;
	const struct gid_entry *source; /* of from: type, GID and MAC */
	uint8_t dgid[16], dmac[6];
	uint16_t udp_sport;
	uint8_t tclass, hop_limit;
	uint8_t prio; /* of the VLAN tag, if source has one */
	uint32_t flow_label;
	bool forced;	   /* loopback: back to from, whatever the addresses say */
	uint32_t overhead; /* roce_overhead() */
	struct vhca *to;   /* the e-switch's: eswitch_direct() */
	uint64_t resolved; /* the e-switch's: device.paths when it was found */
};

/* The VLAN tag of its packets; 0: they have none. */
uint16_t roce_tci(const struct roce_path *);
/* Bytes of a packet around its payload, and headers other than BTH. */
uint32_t roce_overhead(const struct roce_path *);

/*
 * A descriptor of one packet as bytes, with its ICRC: a new frame, NULL: out of memory. The
 * descriptor is freed.
 */
struct frame *roce_encode(const struct roce_path *, struct frame *);

/*
 * What a datagram's receiver finds before the message: GRH or IPv6's header, or 20 bytes that mean
 * nothing ([I] zeros) and IPv4's. len: BTH and what follows it, ICRC included.
 * roce_describe_grh() writes it into a descriptor.
 */
#define ROCE_GRH 40u
void roce_make_grh(const struct roce_path *, uint32_t len, uint8_t grh[ROCE_GRH]);
void roce_describe_grh(const struct roce_path *, struct frame *);
/* Which of them it is, as CQEs number them: enum cqe_l3_hdr_type. */
enum roce_network { ROCE_NETWORK_GRH = 0, ROCE_NETWORK_IPV6 = 1, ROCE_NETWORK_IPV4 = 2 };
enum roce_network roce_network(const uint8_t grh[ROCE_GRH]);
/* The destination that it names. */
void roce_grh_dgid(const uint8_t grh[ROCE_GRH], uint8_t gid[16]);

/* Of an IPv4 header of 20 bytes; 0 over one whose checksum is right. */
uint16_t roce_ip4_checksum(const uint8_t *ip);

/* Bytes that are a RoCE packet, taken apart. */
struct roce_bytes {
	uint16_t ether_type;
	bool tagged; /* it has one customer's VLAN tag */
	uint16_t tci;
	uint8_t sgid[16], dgid[16];
	const uint8_t *net; /* GRH or IP */
	const uint8_t *bth; /* to the end of pad */
	uint32_t len;	    /* of what is at bth; the ICRC follows */
};
/* False: it is none; its IP header may be wrong, its lengths contradict each other. */
bool roce_decode(const uint8_t *data, uint32_t len, struct roce_bytes *);
void roce_grh(const struct roce_bytes *, uint8_t grh[ROCE_GRH]);
/* Its VLAN; 0: none, also if the tag has a priority alone (IEEE 802.1Q, 6.9.1). */
uint16_t roce_vlan(const struct roce_bytes *);
/* RoCE v1: GRH behind Ethernet, without IP and UDP. */
bool roce_is_v1(const struct roce_bytes *);
/* Its ICRC, as it should be; and is it? */
uint32_t roce_icrc(const struct roce_bytes *);
bool roce_icrc_good(const struct roce_bytes *);

/* A RoCE packet, or a burst of them, on its way up: its transport headers, its payload. */
struct roce_packet {
	const uint8_t *sgid;
	const uint8_t *smac;
	const uint8_t *group; /* the multicast GID that it is for; NULL: one function's */
	const uint8_t *grh;   /* ROCE_GRH bytes; of a descriptor, only if it is a datagram */
	bool tagged;	      /* of a descriptor, only if it is a datagram; so is tci */
	uint16_t tci;
	bool forced;	    /* loopback: the GIDs say nothing */
	const uint8_t *hdr; /* BTH onward */
	uint32_t hdr_len;
	const uint8_t *data; /* the payload; NULL: it lies behind the headers, within hdr_len */
	uint32_t len;
	uint16_t npkts, mtu; /* of a burst */
	uint8_t last_opcode;
	uint32_t octets; /* on a wire, without FCS */
};

#endif
