/* SPDX-License-Identifier: BSD-2-Clause */
#include "neighbour_msg.h"

#include <string.h>
#include "obj/vhca.h"

#define ETH_LEN	     14u
#define VLAN_LEN     4u
#define VLAN_ID	     0xfffu
#define ARP_LEN	     28u
#define IP6_LEN	     40u
#define ND_LEN	     24u /* up to the end of the target */
#define ND_OPTION    8u	 /* an option with an Ethernet address */
#define ICMP6	     58u
#define ND_QUERY     135u
#define ND_REPLY     136u
#define OPTION_FROM  1u /* sender's Ethernet address, in a query */
#define OPTION_AT    2u /* target's Ethernet address, in a reply */
#define FLAG_ASKED   0x40u
#define FLAG_REPLACE 0x20u

static const uint8_t arp_head[] = {0x08, 0x06, 0, 1, 0x08, 0x00, 6, 4, 0};
static const uint8_t vlan_type[] = {0x81, 0x00};
static const uint8_t ip6_type[] = {0x86, 0xdd};
static const uint8_t zeros[16];

/* --- ARP ------------------------------------------------------------------------------------- */

static bool arp_read(const uint8_t *a, struct neighbour_msg *m)
{
	if (a[7] != 1 && a[7] != 2)
		return false;
	m->is_query = a[7] == 1;
	m->has_mac = memcmp(a + 14, zeros, 4) && !(a[8] & 1);
	m->overrides = true;
	memcpy(m->mac, a + 8, 6);
	if (m->has_mac)
		gid_ipv4(m->sender, a + 14);
	gid_ipv4(m->target, m->is_query ? a + 24 : a + 14);
	return true;
}

static size_t arp_write(const struct neighbour_msg *m, const uint8_t to_mac[6],
			const uint8_t to[16], uint8_t *f)
{
	uint8_t *a = f + ETH_LEN;

	memcpy(f + 12, arp_head, sizeof(arp_head));
	a[7] = m->is_query ? 1 : 2;
	memcpy(a + 8, m->mac, 6);
	memcpy(a + 14, (m->is_query ? m->sender : m->target) + 12, 4);
	if (!m->is_query)
		memcpy(a + 18, to_mac, 6);
	memcpy(a + 24, (to && !m->is_query ? to : m->target) + 12, 4);
	return ETH_LEN + ARP_LEN;
}

/* --- neighbour discovery --------------------------------------------------------------------- */

/*
 * Computes the checksum over addresses, length, protocol and message (RFC 4443 2.3). It is 0 for a
 * message with a right checksum.
 */
static uint16_t nd_checksum(const uint8_t *ip, size_t len)
{
	uint32_t sum = ICMP6 + (uint32_t)len;

	for (size_t i = 8; i < IP6_LEN + len; i++)
		sum += i & 1 ? ip[i] : (uint32_t)ip[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/*
 * Returns the Ethernet address in an option; NULL if there is none. Sets *good to false if lengths
 * are wrong.
 */
static const uint8_t *nd_option(const uint8_t *at, size_t len, uint8_t type, bool *good)
{
	const uint8_t *found = NULL;

	while (*good && len) {
		size_t n = len < 2 ? 0 : at[1] * 8u;

		*good = n && n <= len;
		if (*good && at[0] == type && n == ND_OPTION)
			found = at + 2;
		at += *good ? n : 0;
		len -= *good ? n : 0;
	}
	return found;
}

/* Decodes a message, with the checks of RFC 4861 7.1. */
static bool nd_read(const uint8_t *ip, size_t room, struct neighbour_msg *m)
{
	const uint8_t *nd = ip + IP6_LEN, *mac;
	const size_t len = (size_t)(ip[4] << 8 | ip[5]);
	bool good;

	if (ip[0] >> 4 != 6 || ip[6] != ICMP6 || ip[7] != 255 || len < ND_LEN ||
	    IP6_LEN + len > room || (nd[0] != ND_QUERY && nd[0] != ND_REPLY) || nd[1] ||
	    nd[8] == 0xff || (len & 1) || nd_checksum(ip, len))
		return false;
	m->is_query = nd[0] == ND_QUERY;
	m->overrides = m->is_query || nd[4] & FLAG_REPLACE;
	memcpy(m->target, nd + 8, 16);
	memcpy(m->sender, m->is_query ? ip + 8 : m->target, 16);
	good = true;
	mac = nd_option(nd + ND_LEN, len - ND_LEN, m->is_query ? OPTION_FROM : OPTION_AT, &good);
	m->has_mac = mac && !(mac[0] & 1) && memcmp(m->sender, zeros, 16);
	if (mac)
		memcpy(m->mac, mac, 6);
	return good;
}

/*
 * Sets the group to send to (RFC 4861 7.2.2): that of the target's last bytes for a query, all
 * nodes for an unsolicited reply.
 */
static void nd_group(const struct neighbour_msg *m, uint8_t group[16])
{
	static const uint8_t all[16] = {0xff, 2, [15] = 1};
	static const uint8_t solicited[13] = {0xff, 2, [11] = 1, [12] = 0xff};

	memcpy(group, all, sizeof(all));
	if (!m->is_query)
		return;
	memcpy(group, solicited, sizeof(solicited));
	memcpy(group + 13, m->target + 13, 3);
}

static size_t nd_write(const struct neighbour_msg *m, const uint8_t to[16], uint8_t *f)
{
	uint8_t *ip = f + ETH_LEN, *nd = ip + IP6_LEN;
	const size_t len = ND_LEN + ND_OPTION;
	uint16_t sum;

	memcpy(f + 12, ip6_type, sizeof(ip6_type));
	ip[0] = 0x60;
	ip[5] = (uint8_t)len;
	ip[6] = ICMP6;
	ip[7] = 255;
	memcpy(ip + 8, m->is_query ? m->sender : m->target, 16);
	if (to && !m->is_query)
		memcpy(ip + 24, to, 16);
	else
		nd_group(m, ip + 24);
	if (!to)
		gid_group_mac(ip + 24, f);
	nd[0] = m->is_query ? ND_QUERY : ND_REPLY;
	nd[4] = m->is_query ? 0 : (uint8_t)(FLAG_REPLACE | (to ? FLAG_ASKED : 0));
	memcpy(nd + 8, m->target, 16);
	nd[ND_LEN] = m->is_query ? OPTION_FROM : OPTION_AT;
	nd[ND_LEN + 1] = 1;
	memcpy(nd + ND_LEN + 2, m->mac, 6);
	sum = nd_checksum(ip, len);
	nd[2] = (uint8_t)(sum >> 8);
	nd[3] = (uint8_t)sum;
	return ETH_LEN + IP6_LEN + len;
}

/* --- frames ---------------------------------------------------------------------------------- */

bool neighbour_msg_read(const uint8_t *frame, size_t len, struct neighbour_msg *m)
{
	memset(m, 0, sizeof(*m));
	if (len >= ETH_LEN + VLAN_LEN && !memcmp(frame + 12, vlan_type, sizeof(vlan_type))) {
		m->vlan = (uint16_t)(((uint32_t)frame[14] << 8 | frame[15]) & VLAN_ID);
		frame += VLAN_LEN;
		len -= VLAN_LEN;
	}
	if (len >= ETH_LEN + ARP_LEN && !memcmp(frame + 12, arp_head, sizeof(arp_head)))
		return arp_read(frame + ETH_LEN, m);
	return len >= ETH_LEN + IP6_LEN + ND_LEN &&
	       !memcmp(frame + 12, ip6_type, sizeof(ip6_type)) &&
	       nd_read(frame + ETH_LEN, len - ETH_LEN, m);
}

static size_t neighbour_tag(uint16_t vlan, uint8_t *frame, size_t len)
{
	if (!vlan)
		return len;
	memmove(frame + 12 + VLAN_LEN, frame + 12, len - 12);
	memcpy(frame + 12, vlan_type, sizeof(vlan_type));
	frame[14] = (uint8_t)(vlan >> 8);
	frame[15] = (uint8_t)vlan;
	return len + VLAN_LEN;
}

size_t neighbour_msg_write(const struct neighbour_msg *m, const uint8_t to_mac[6],
			   const uint8_t to[16], uint8_t frame[NEIGHBOUR_FRAME])
{
	memset(frame, 0, NEIGHBOUR_FRAME);
	memcpy(frame, to_mac, 6);
	memcpy(frame + 6, m->mac, 6);
	return neighbour_tag(m->vlan, frame,
			     gid_is_ip4(m->target) ? arp_write(m, to_mac, to, frame)
						   : nd_write(m, to, frame));
}
