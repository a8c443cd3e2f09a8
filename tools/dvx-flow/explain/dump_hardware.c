/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of hardware steering, in libdvx's dump (doc/design/0096). */
#include <errno.h>
#include "dump.h"

#define ROWS_LOG_MAX   24u
#define DEPTH_LOG_MAX  6u
#define MATCH_BITS_MAX (8u * 1024)

/* Reads an action template. Dumps of single tables have their domain's before each table. */
int dump_template(struct dump_reader *r)
{
	struct steering_template *new;
	uint32_t offset;

	if (!r->d->ndomains || !dump_number32(r, 1, &offset) || r->n < 3 ||
	    r->len[2] != 2 * TEMPLATE_BYTES)
		return dump_wrong(r,
				  "an action template (3006) needs a domain before it, its offset "
				  "and 256 hexadecimal digits");
	for (uint32_t i = 0; i < r->d->ntemplates; i++)
		if (r->d->template[i].domain == r->d->ndomains - 1 &&
		    r->d->template[i].offset == offset)
			return 0;
	new = GROW(r, template, ntemplates);
	if (!new)
		return -ENOMEM;
	new->domain = r->d->ndomains - 1;
	new->offset = offset;
	if (!dump_hex_bytes(r->field[2], r->len[2], new->stc))
		return dump_wrong(r, "an action template (3006) is no hexadecimal");
	return 0;
}

/* Reads the size of a matcher's table, and the mask of its tags. */
int dump_key(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	uint8_t mask[TAG_LONG], fixed[TAG_LONG];
	uint32_t rows, depth, bytes;

	if (!dump_is_of(r, 1, m))
		return dump_wrong(r, "a key (3206) of a matcher that is not the one before it");
	if (!dump_number32(r, 2, &rows) || rows > ROWS_LOG_MAX || !dump_number32(r, 3, &depth) ||
	    depth > DEPTH_LOG_MAX || !dump_number32(r, 4, &bytes) || !bytes || bytes > TAG_LONG ||
	    r->n < 7 || r->len[5] != 2 * TAG_LONG || r->len[6] != 2 * TAG_LONG ||
	    !dump_hex_bytes(r->field[5], r->len[5], mask) ||
	    !dump_hex_bytes(r->field[6], r->len[6], fixed))
		return dump_wrong(
			r,
			"a key (3206) needs log2 of rows (to %u) and of a row's entries "
			"(to %u), the bytes of a tag, and two masks of 88 hexadecimal digits",
			ROWS_LOG_MAX, DEPTH_LOG_MAX);
	m->log_depth = (uint8_t)depth;
	m->slots[m->has[SIDE_TX]] = 1u << rows;
	return hardware_key(m, m->has[SIDE_TX] ? SIDE_TX : SIDE_RX, bytes, mask, fixed) ? 0
											: -ENOMEM;
}

int dump_move(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	uint32_t from, to, width;

	if (!dump_is_of(r, 1, m))
		return dump_wrong(
			r, "a piece of a key (3207) of a matcher that is not the one before it");
	if (!dump_number32(r, 2, &from) || !dump_number32(r, 3, &to) ||
	    !dump_number32(r, 4, &width) || from > MATCH_BITS_MAX || to > MATCH_BITS_MAX ||
	    !hardware_move(m, m->has[SIDE_TX] ? SIDE_TX : SIDE_RX, from, to, width))
		return dump_wrong(
			r, "a piece of a key (3207) needs a key, a bit of a match, one of a tag "
			   "and a width");
	return 0;
}
