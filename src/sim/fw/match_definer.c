/* SPDX-License-Identifier: BSD-2-Clause */
/* Match definers, the layouts of wide tags of steering entries. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "steer/rules/select.h"
#include "steer/ste/definer.h"

/* [I] The mask of a built-in format is the end of match_mask, as libmlx5 writes it. */
#define DEFINER_MASK_SKIP 32u

static int fw_definer_check(struct fw_cmd *c, size_t bytes)
{
	if (!fw_definer_formats(c->vhca->dev->profile))
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "cap.match_definer_format_supported is 0");
	if (c->in_len < bytes)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a match definer needs %zu", c->in_len,
				 bytes);
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: one definer at a time");
	return fw_nothing_after(c, bytes);
}

uint64_t fw_definer_formats(const struct profile *p)
{
	return (profile_has_definers(p) ? definer_formats() : 0) |
	       (p->rules_by_wqe ? 1ull << DEFINER_SELECTED : 0);
}

static int fw_definer_check_format(struct fw_cmd *c, uint32_t format)
{
	const uint64_t formats = fw_definer_formats(c->vhca->dev->profile);

	if (format < 64 && formats >> format & 1)
		return 0;
	return fw_refuse(c, FW_SYN_UNSUPPORTED,
			 "match_definer.format_id %u: match_definer_format_supported is 0x%" PRIx64,
			 format, formats);
}

/* --- format 61: dwords and octets of the headers ---------------------------------------------- */

#define DEFINER_NEAR	  64u /* dwords of the headers that six bits select */
#define SELECTOR(kind, n) prm_match_definer_get_format_select_##kind##n(in)

/* [I] Without format_select_dw_8_6_ext, selectors of dwords 6 to 8 have six bits. */
static int fw_definer_check_selectors(struct fw_cmd *c, const uint8_t *in)
{
	const uint32_t last[] = {SELECTOR(dw, 6), SELECTOR(dw, 7), SELECTOR(dw, 8)};

	for (unsigned int i = 0; i < 3 && !c->vhca->dev->profile->far_selectors; i++)
		if (last[i] >= DEFINER_NEAR)
			return fw_refuse(c, FW_SYN_UNSUPPORTED,
					 "match_definer.format_select_dw%u %u: below %u, as "
					 "format_select_dw_8_6_ext is 0",
					 6 + i, last[i], DEFINER_NEAR);
	return 0;
}

/* Makes the layout by the selectors; returns NULL or a field that is not implemented. */
static const char *fw_definer_select(const uint8_t *in, struct match_definer *d)
{
	const uint8_t dwords[SELECT_DWORDS] = {
		(uint8_t)SELECTOR(dw, 0), (uint8_t)SELECTOR(dw, 1), (uint8_t)SELECTOR(dw, 2),
		(uint8_t)SELECTOR(dw, 3), (uint8_t)SELECTOR(dw, 4), (uint8_t)SELECTOR(dw, 5),
		(uint8_t)SELECTOR(dw, 6), (uint8_t)SELECTOR(dw, 7), (uint8_t)SELECTOR(dw, 8)};
	const uint8_t octets[SELECT_OCTETS] = {
		(uint8_t)SELECTOR(byte, 0), (uint8_t)SELECTOR(byte, 1), (uint8_t)SELECTOR(byte, 2),
		(uint8_t)SELECTOR(byte, 3), (uint8_t)SELECTOR(byte, 4), (uint8_t)SELECTOR(byte, 5),
		(uint8_t)SELECTOR(byte, 6), (uint8_t)SELECTOR(byte, 7)};

	return select_make(&d->select, dwords, octets, in + PRM_MATCH_DEFINER_BYTES - SELECT_BYTES);
}

void fw_definer_free(struct obj *o)
{
	free(((struct match_definer *)o)->select);
	obj_free(o);
}

/* --- commands --------------------------------------------------------------------------------- */

int fw_create_match_definer(struct fw_cmd *c)
{
	const size_t head = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	const uint8_t *in = (const uint8_t *)c->in + head, *mask;
	const char *lacks;
	struct match_definer *d;
	uint32_t format;

	if (fw_definer_check(c, head + PRM_MATCH_DEFINER_BYTES) ||
	    fw_definer_check_format(c, prm_match_definer_get_format_id(in)))
		return -1;
	if (prm_match_definer_get_format_id(in) == DEFINER_SELECTED &&
	    fw_definer_check_selectors(c, in))
		return -1;
	d = fw_new(c, OBJ_MATCH_DEFINER, sizeof(*d));
	if (!d)
		return -1;
	mask = in + PRM_MATCH_DEFINER_BYTES - DEFINER_TAG_BYTES;
	format = prm_match_definer_get_format_id(in);
	d->format = (uint16_t)format;
	memcpy(d->mask, mask, sizeof(d->mask));
	lacks = d->format == DEFINER_SELECTED ? fw_definer_select(in, d) : definer_make(d);
	if (!lacks && (d->select || d->format != DEFINER_SELECTED))
		return fw_made(c, &d->o, 0);
	fw_definer_free(&d->o);
	if (!lacks)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for the selectors");
	return fw_refuse(c, FW_SYN_UNSUPPORTED,
			 "match_definer.match_mask has %s of format %u, "
			 "which is not implemented",
			 lacks, format);
}
