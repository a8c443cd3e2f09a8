/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_TAG_H
#define SIM_STEER_STE_TAG_H

/* Kinds of headers in tags, the same in all versions: two bits each, as in the PRM. */
#include <netinet/in.h>
#include "steer/packet.h"

enum { TAG_L3_NONE, TAG_L3_IPV4, TAG_L3_IPV6 };
enum { TAG_L4_NONE, TAG_L4_TCP, TAG_L4_UDP, TAG_L4_OTHER };
enum {
	TAG_L4_ICMP = 3,
	TAG_L4_EXT_OTHER = 15
}; /* [I] of four bits, beside TCP and UDP; ICMP's is from DPDK */
enum { TAG_VLAN_NONE, TAG_VLAN_SERVICE, TAG_VLAN_CUSTOMER };
enum { TAG_ENCAP_NONE, TAG_ENCAP_L2, TAG_ENCAP_L3 };

#define TAG_GRE_LONG 0xc0 /* checksum or routing present: they occupy the word after the first */

static inline uint32_t tag_l3_type(const struct packet_headers *h)
{
	return h->ip_version == 4 ? TAG_L3_IPV4 : h->ip_version == 6 ? TAG_L3_IPV6 : TAG_L3_NONE;
}

/*
 * Returns the kind of layer 4. [I] TCP and UDP are told by the IP header alone, also in fragments and
 * where the packet ends too early: libmlx5's definers compare l4_type for a rule's ip_protocol.
 */
static inline uint32_t tag_l4_type(const struct packet_headers *h)
{
	switch (h->ip_protocol) {
	case IPPROTO_TCP:
		return TAG_L4_TCP;
	case IPPROTO_UDP:
		return TAG_L4_UDP;
	default:
		return h->l4_type == PACKET_L4_NONE ? TAG_L4_NONE : TAG_L4_OTHER;
	}
}

static inline uint32_t tag_l4_type_ext(const struct packet_headers *h)
{
	const uint32_t type = tag_l4_type(h);

	if (type != TAG_L4_OTHER)
		return type;
	return h->l4_type == PACKET_ICMP || h->l4_type == PACKET_ICMP6 ? TAG_L4_ICMP
								       : TAG_L4_EXT_OTHER;
}

static inline uint32_t tag_vlan_kind(bool service, bool customer)
{
	return customer ? TAG_VLAN_CUSTOMER : service ? TAG_VLAN_SERVICE : TAG_VLAN_NONE;
}

static inline uint32_t tag_encapsulation(const struct packet *p)
{
	return p->inner.ethernet ? TAG_ENCAP_L2 : p->inner.present ? TAG_ENCAP_L3 : TAG_ENCAP_NONE;
}

#endif
