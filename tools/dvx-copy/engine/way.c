/* SPDX-License-Identifier: BSD-2-Clause */
#include "way.h"
#include "base/bytes.h"

static const char *const reasons[WHY_TYPES] = {
	[WHY_ONE_CHIP] = "the ends are two functions of one chip",
	[WHY_ASKED] = "--via rc was given",
	[WHY_NO_MMO] = "the receiving end's device has no DMA copy engine for this function",
	[WHY_NO_IMPORT] = "the receiving end's device can't use memory keys of another function",
	[WHY_NO_EXPORT] = "the sending end's device lets no other function use its memory keys",
	[WHY_CHIPS] = "the ends are on two chips",
	[WHY_FUNCTION] = "both ends use the same function of the device",
};

const char *way_reason(enum way_why why)
{
	return why < WHY_TYPES ? reasons[why] : "the other end gives no reason";
}

/* Returns the reason why an alias can't be used, or WHY_ONE_CHIP if it can. */
static enum way_why way_obstacle(const struct way_end *source, const struct way_end *receiver)
{
	if ((source->flags | receiver->flags) & WAY_ONLY_RC)
		return WHY_ASKED;
	if (!(receiver->flags & WAY_MMO))
		return WHY_NO_MMO;
	if (!(receiver->flags & WAY_IMPORTS))
		return WHY_NO_IMPORT;
	if (!(source->flags & WAY_EXPORTS))
		return WHY_NO_EXPORT;
	if (source->chip != receiver->chip && source->chip && receiver->chip)
		return WHY_CHIPS;
	if (source->vhca == receiver->vhca)
		return WHY_FUNCTION;
	return WHY_ONE_CHIP;
}

enum way way_choose(const struct way_end *source, const struct way_end *receiver, enum way_why *why)
{
	const uint8_t both = source->flags & receiver->flags, any = source->flags | receiver->flags;

	*why = way_obstacle(source, receiver);
	if (*why == WHY_ONE_CHIP)
		return WAY_ALIAS;
	return both & WAY_CONNECTS && !(any & WAY_ONLY_DMA) ? WAY_RC : WAY_NONE;
}

void way_end_put(uint8_t to[WAY_END_BYTES], const struct way_end *e)
{
	to[0] = e->flags;
	bytes_put(to + 1, e->vhca, 2);
	bytes_put(to + 3, e->chip, 8);
}

void way_end_get(struct way_end *e, const uint8_t from[WAY_END_BYTES])
{
	*e = (struct way_end){.flags = from[0],
			      .vhca = (uint16_t)bytes_get(from + 1, 2),
			      .chip = bytes_get(from + 3, 8)};
}
