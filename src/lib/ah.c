/* SPDX-License-Identifier: BSD-2-Clause */
/* Address handles: made from both sides' values, or from the header of a received datagram. */
#include <dvx/ud.h>
#include "priv.h"

_Static_assert(sizeof(struct dvx_ah) == PRM_WQE_DATAGRAM_SEG_BYTES, "a WQE's segment");

static void ah_fill(struct dvx_ah *ah, const struct dvx_dev *dev, const struct dvx_sides *s)
{
	void *av = ah->av;

	memset(ah, 0, sizeof(*ah));
	prm_av_set_qkey(av, s->peer.q_key);
	prm_av_set_ext(av, 1); /* the vector is whole, not a compact one of 16 bytes */
	prm_av_set_dqp_dct(av, s->peer.qpn);
	prm_av_set_tclass(av, s->local.traffic_class);
	prm_av_set_hop_limit(av, s->local.hop_limit);
	prm_av_set_src_addr_index(av, s->local.gid_index);
	memcpy(prm_av_at_rgid(av), s->peer.gid, sizeof(s->peer.gid));
	if (dev->caps.roce) {
		prm_av_set_rmac(av, (uint64_t)prm_load16(s->peer.mac, 0) << 32 |
					    prm_load32(s->peer.mac, 2));
		prm_av_set_sl(av, (s->local.sl & 7u) << 1);
		/* The bit `grh` is reserved on RoCE, where all packets have a GRH. */
	} else {
		prm_av_set_rlid(av, s->peer.lid);
		prm_av_set_sl(av, s->local.sl & 15u);
		prm_av_set_grh(av, 1);
	}
}

/* Checks that both GIDs are of one type. RoCE v2 has a source port, v1 has none. */
static int ah_fill_checked(struct dvx_ah *ah, struct dvx_dev *dev, struct dvx_sides *s,
			   const char *call)
{
	struct dvx_gid mine;
	int err = dvx_gid_at(dev, s->local.port, s->local.gid_index, &mine);

	if (!err)
		err = dvx_gid_fits(&mine, &s->peer, call);
	if (!err)
		err = dvx_peer_resolve(dev, &s->local, &s->peer);
	if (err)
		return err;
	ah_fill(ah, dev, s);
	if (mine.type == DVX_GID_ROCE_V2)
		prm_av_set_udp_sport(ah->av, s->local.udp_sport ? s->local.udp_sport
								: 0xc000 | (s->peer.qpn & 0x3fff));
	return 0;
}

int dvx_ah_init(struct dvx_dev *dev, const struct dvx_qp_local *local,
		const struct dvx_qp_peer *peer, struct dvx_ah *ah)
{
	struct dvx_sides s;
	int err = dvx_check_not_null("dvx_ah_init", "dev", dev, "ah", ah, NULL);

	if (!err)
		err = dvx_path_sides(dev, "dvx_ah_init", local, peer, &s);
	return err ? err : ah_fill_checked(ah, dev, &s, "dvx_ah_init");
}

/* --- answers --- */

#define IPV4_AT	     20u /* offset in the 40 bytes */
#define NEXT_IBA     0x1bu
#define PROTOCOL_UDP 17u

static bool ah_ipv4_header(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < 20; i += 2)
		sum += prm_load16(ip, i);
	sum = (sum & 0xffff) + (sum >> 16);
	return ip[0] == 0x45 && ip[9] == PROTOCOL_UDP && (uint16_t)(sum + (sum >> 16)) == 0xffff;
}

static void ah_map_ipv4(uint8_t gid[16], const uint8_t *ip)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, ip, 4);
}

/*
 * The parts of the header that an answer needs. The device does not report the IP version: bytes
 * with a good checksum in the IPv4 header's place are IPv4, as in ib_core and libibverbs.
 */
struct ah_header {
	uint8_t from[16], to[16];
	uint8_t traffic_class;
	uint8_t gid_type;
};

static int ah_read_header(const uint8_t *grh, struct ah_header *h)
{
	const uint8_t *ip = grh + IPV4_AT;

	if (ah_ipv4_header(ip)) {
		ah_map_ipv4(h->from, ip + 12);
		ah_map_ipv4(h->to, ip + 16);
		h->traffic_class = ip[1];
		h->gid_type = DVX_GID_ROCE_V2;
		return 0;
	}
	if (grh[0] >> 4 != 6 || (grh[6] != PROTOCOL_UDP && grh[6] != NEXT_IBA))
		return dvx_fail(EBADMSG, "dvx_ah_answer: grh is no header of RoCE: a datagram's "
					 "first 40 bytes are");
	memcpy(h->from, grh + 8, 16);
	memcpy(h->to, grh + 24, 16);
	h->traffic_class = (uint8_t)(prm_load16(grh, 0) >> 4);
	h->gid_type = grh[6] == PROTOCOL_UDP ? DVX_GID_ROCE_V2 : DVX_GID_ROCE_V1;
	return 0;
}

/* Finds the GID that the datagram came to, or for a group's the best one to reach the sender. */
static int ah_own_gid(struct dvx_dev *dev, const struct ah_header *h, struct dvx_sides *s)
{
	struct dvx_gid_choice choice;
	struct dvx_gid *list;
	size_t count;
	bool found = false;
	int err = dvx_dev_gids(dev, &list, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count && !found; i++) {
		found = list[i].port == s->local.port && (uint8_t)list[i].type == h->gid_type &&
			!memcmp(list[i].gid, h->to, sizeof(h->to));
		if (found)
			s->local.gid_index = (uint8_t)list[i].index;
	}
	dvx_gids_free(list);
	if (found)
		return 0;
	err = dvx_gid_choose(dev, s->local.port, &s->peer, &choice);
	if (!err)
		s->local.gid_index = (uint8_t)choice.gid.index;
	return err;
}

int dvx_ah_answer(struct dvx_dev *dev, const struct dvx_qp_local *local, const void *grh,
		  uint32_t src_qp, uint32_t q_key, struct dvx_ah *ah)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = src_qp, .q_key = q_key};
	struct ah_header h;
	struct dvx_sides s;
	int err = dvx_check_not_null("dvx_ah_answer", "dev", dev, "grh", grh, "ah", ah, NULL);

	if (err)
		return err;
	if (!dev->caps.roce)
		return dvx_fail(EOPNOTSUPP, "dvx_ah_answer: on InfiniBand, call dvx_ah_init() with "
					    "dvx_cqe_src_lid()");
	err = ah_read_header(grh, &h);
	if (!err) {
		memcpy(peer.gid, h.from, sizeof(peer.gid));
		peer.gid_type = h.gid_type;
		err = dvx_path_sides(dev, "dvx_ah_answer", local, &peer, &s);
	}
	if (!err)
		err = ah_own_gid(dev, &h, &s);
	if (err)
		return err;
	s.local.traffic_class = h.traffic_class;
	return ah_fill_checked(ah, dev, &s, "dvx_ah_answer");
}
