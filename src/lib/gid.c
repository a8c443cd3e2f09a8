/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a GID for a connection. */
#include <arpa/inet.h>
#include <stdio.h>
#include "priv.h"

/* Classes of GIDs, best first. */
enum gid_class {
	GID_V2_IPV4,
	GID_V2_IPV6,
	GID_V2_LOCAL,
	GID_V1,
	GID_V1_LOCAL,
	GID_IB,
	GID_CLASSES
};

static const char *const gid_words[GID_CLASSES] = {
	[GID_V2_IPV4] = "RoCE v2 of IPv4",
	[GID_V2_IPV6] = "RoCE v2 of IPv6",
	[GID_V2_LOCAL] = "RoCE v2 of IPv6 link-local",
	[GID_V1] = "RoCE v1",
	[GID_V1_LOCAL] = "RoCE v1 of IPv6 link-local",
	[GID_IB] = "InfiniBand",
};

static bool gid_is_ipv4(const uint8_t *gid)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid, mapped, sizeof(mapped));
}

static bool gid_is_link_local(const uint8_t *gid)
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

static enum gid_class gid_class_of(const struct dvx_gid *g)
{
	if (g->type == DVX_GID_ROCE_V2)
		return gid_is_ipv4(g->gid)	   ? GID_V2_IPV4
		       : gid_is_link_local(g->gid) ? GID_V2_LOCAL
						   : GID_V2_IPV6;
	if (g->type == DVX_GID_ROCE_V1)
		return gid_is_link_local(g->gid) ? GID_V1_LOCAL : GID_V1;
	return GID_IB;
}

int dvx_gid_fits(const struct dvx_gid *mine, const struct dvx_qp_peer *peer, const char *call)
{
	if (!peer->gid_type)
		return 0;
	if (peer->gid_type != mine->type)
		return dvx_fail(EINVAL,
				"%s: the peer's GID is of %s, the own with index %u of %s; both "
				"ends need one type",
				call, peer->gid_type == DVX_GID_ROCE_V2 ? "RoCE v2" : "RoCE v1",
				mine->index, gid_words[gid_class_of(mine)]);
	if (mine->type == DVX_GID_ROCE_V2 && gid_is_ipv4(mine->gid) != gid_is_ipv4(peer->gid))
		return dvx_fail(EINVAL,
				"%s: the peer's GID is an %s address, the own with index %u is not",
				call, gid_is_ipv4(peer->gid) ? "IPv4" : "IPv6", mine->index);
	return 0;
}

int dvx_gid_at(struct dvx_dev *dev, uint8_t port, uint32_t index, struct dvx_gid *out)
{
	struct dvx_gid *list;
	size_t count;
	bool found = false;
	int err = dvx_dev_gids(dev, &list, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count && !found; i++) {
		found = list[i].port == port && list[i].index == index;
		if (found)
			*out = list[i];
	}
	dvx_gids_free(list);
	return found ? 0 : dvx_fail(ENOENT, "port %u has no GID with index %u", port, index);
}

/* Writes the reason: "GID 3 of port 1, RoCE v2 of IPv4 (10.9.0.1): before 1 of RoCE v1" */
static void gid_explain(struct dvx_gid_choice *out, const size_t *of_class, bool for_peer)
{
	enum gid_class best = gid_class_of(&out->gid);
	char text[INET6_ADDRSTRLEN] = "";
	const char *sep = ": before";
	size_t n;

	if (gid_is_ipv4(out->gid.gid))
		inet_ntop(AF_INET, out->gid.gid + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, out->gid.gid, text, sizeof(text));
	n = (size_t)snprintf(out->why, sizeof(out->why), "GID %u of port %u, %s (%s)%s",
			     out->gid.index, out->gid.port, gid_words[best], text,
			     for_peer ? ", which the peer's needs" : "");
	for (size_t c = (size_t)best + 1; c < GID_CLASSES; c++) {
		if (!of_class[c] || n >= sizeof(out->why))
			continue;
		n += (size_t)snprintf(out->why + n, sizeof(out->why) - n, "%s %zu of %s", sep,
				      of_class[c], gid_words[c]);
		sep = ",";
	}
	if (of_class[best] > 1 && n < sizeof(out->why))
		snprintf(out->why + n, sizeof(out->why) - n, "%s the lowest index of %zu",
			 *sep == ':' ? ":" : ";", of_class[best]);
}

int dvx_gid_choose(struct dvx_dev *dev, uint8_t port, const struct dvx_qp_peer *user,
		   struct dvx_gid_choice *out)
{
	size_t of_class[GID_CLASSES] = {0}, count;
	struct dvx_qp_peer copy, *peer = user ? &copy : NULL;
	const struct dvx_gid *best = NULL;
	struct dvx_gid *list;
	int err = dvx_check_not_null("dvx_gid_choose", "dev", dev, "out", out, NULL);

	if (!err && user)
		err = dvx_struct_copy(&copy, user, "dvx_gid_choose", "peer");
	if (!err)
		err = dvx_dev_gids(dev, &list, &count);
	if (err)
		return err;
	for (size_t i = 0; i < count; i++) {
		const struct dvx_gid *g = &list[i];

		if (g->port != port || (peer && dvx_gid_fits(g, peer, "dvx_gid_choose")))
			continue;
		of_class[gid_class_of(g)]++;
		if (!best || gid_class_of(g) < gid_class_of(best) ||
		    (gid_class_of(g) == gid_class_of(best) && g->index < best->index))
			best = g;
	}
	if (best) {
		memset(out, 0, sizeof(*out));
		out->gid = *best;
		gid_explain(out, of_class, peer && peer->gid_type);
	}
	dvx_gids_free(list);
	if (best)
		return 0;
	return dvx_fail(ENOENT, "port %u of %s has no GID%s", port, dvx_dev_name(dev),
			peer ? " that can reach the peer's"
			     : ": its network interface needs an address");
}
