/* SPDX-License-Identifier: BSD-2-Clause */
/* Match definers, the layouts of wide tags of steering entries. */
#include <inttypes.h>
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "steer/ste/definer.h"

/* [I] The mask of a built-in format is the end of match_mask, as libmlx5 writes it. */
#define DEFINER_MASK_SKIP 32u

static int fw_definer_check(struct fw_cmd *c, size_t bytes)
{
	if (!profile_has_definers(c->vhca->dev->profile))
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "cap.match_definer_format_supported is 0");
	if (c->in_len < bytes)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a match definer needs %zu", c->in_len,
				 bytes);
	if (prm_general_obj_in_cmd_hdr_get_alias_object(c->in) ||
	    prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "alias_object or log_obj_range is set: one definer at a time");
	return fw_nothing_after(c, bytes);
}

static int fw_definer_check_format(struct fw_cmd *c, uint32_t format)
{
	if (format < 64 && definer_formats() >> format & 1)
		return 0;
	return fw_refuse(c, FW_SYN_UNSUPPORTED,
			 "match_definer.format_id %u: match_definer_format_supported is 0x%" PRIx64,
			 format, definer_formats());
}

int fw_create_match_definer(struct fw_cmd *c)
{
	const size_t head = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	const uint8_t *in = (const uint8_t *)c->in + head, *mask;
	const char *lacks;
	struct match_definer *d;

	if (fw_definer_check(c, head + PRM_MATCH_DEFINER_BYTES) ||
	    fw_definer_check_format(c, prm_match_definer_get_format_id(in)))
		return -1;
	d = fw_new(c, OBJ_MATCH_DEFINER, sizeof(*d));
	if (!d)
		return -1;
	mask = in + PRM_MATCH_DEFINER_BYTES - DEFINER_TAG_BYTES;
	d->format = (uint16_t)prm_match_definer_get_format_id(in);
	memcpy(d->mask, mask, sizeof(d->mask));
	lacks = definer_make(d);
	if (!lacks)
		return fw_made(c, &d->o, 0);
	obj_free(&d->o);
	return fw_refuse(c, FW_SYN_UNSUPPORTED,
			 "match_definer.match_mask has %s of format %u, "
			 "which is not implemented",
			 lacks, d->format);
}
