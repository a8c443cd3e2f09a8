/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of versions, and changes of a packet's length that all versions share. */
#include <string.h>
#include "obj/vhca.h"
#include "ste.h"
#include "steer/priv.h"

#define READ_BY_STEP 64u /* bytes of headers to parse, or of a checksum, that cost one step */

static const struct ste_version *const versions[] = {&ste_v0, &ste_v1, &ste_v2, &ste_v3};

const struct ste_version *ste_version_find(uint8_t format)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (versions[i]->format == format)
			return versions[i];
	return NULL;
}

bool ste_charge(struct steer_walk *w, unsigned int n)
{
	uint64_t cost = (uint64_t)n * (1 + w->packet->outer.end / READ_BY_STEP);

	if (cost > w->steps)
		return steer_lost(w, "its entries do more work than any packet may ask for");
	w->steps -= (unsigned int)cost;
	return true;
}

void ste_charge_sum(struct steer_walk *w, const struct packet_headers *h)
{
	const unsigned int cost = h->l4 ? (h->l3_end - h->l4) / READ_BY_STEP : 0;

	w->steps -= cost < w->steps ? cost : w->steps;
}

/*
 * Parses the packet again, because later actions count from headers. Returns false after
 * steer_lost().
 */
static bool ste_moved(const struct steer_walk *w, unsigned int *changed)
{
	packet_parse_headers(w->packet);
	*changed |= STE_MOVED;
	return true;
}

/* Removes n bytes: the headers before them move, the payload stays. */
bool ste_remove(const struct steer_walk *w, uint32_t at, uint32_t n, unsigned int *changed)
{
	struct packet *p = w->packet;

	if (at > p->len || n > p->len - at || p->len - n < VHCA_FRAME_MIN)
		return steer_lost(w, "an action removes %u bytes at %u of a packet of %u", n, at,
				  p->len);
	memmove(p->data + n, p->data, at);
	p->data += n;
	p->len -= n;
	p->headroom += n;
	return ste_moved(w, changed);
}

bool ste_insert(const struct steer_walk *w, uint32_t at, const void *bytes, uint32_t n,
		unsigned int *changed)
{
	struct packet *p = w->packet;

	if (at > p->len || n > p->headroom || p->len + n > VHCA_FRAME_MAX)
		return steer_lost(w,
				  "an action inserts %u bytes at %u of a packet of %u: there is"
				  " room for %u more",
				  n, at, p->len, p->headroom);
	p->data -= n;
	p->len += n;
	p->headroom -= n;
	memmove(p->data, p->data + n, at);
	memcpy(p->data + at, bytes, n);
	return ste_moved(w, changed);
}
