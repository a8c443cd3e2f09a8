/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "cmd.h"
#include "base/log.h"
#include "prm/reflect.h"

/* Clears access keys, so that a reader of the trace cannot use them. */
static void hide_key(const struct fw_cmd *c, void *in)
{
	if (c->opcode == PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS)
		memset(prm_allow_other_vhca_access_in_at_access_key_raw(in), 0, 32);
	else
		memset(prm_alias_context_at_access_key_raw(
			       prm_create_alias_obj_in_at_alias_ctx(in)),
		       0, 32);
}

static void trace_in(const struct fw_cmd *c)
{
	const char *row = prm_command_in(c->opcode)->name;
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};
	size_t len = c->in_len < sizeof(in) ? c->in_len : sizeof(in);

	if (c->opcode != PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS &&
	    c->opcode != PRM_OPCODE_CREATE_GENERAL_OBJECT) {
		sim_trace("cmd>", row, c->in, c->in_len, "vhca %u uid %u %s", c->vhca->id, c->uid,
			  c->name);
		return;
	}
	if (c->opcode == PRM_OPCODE_CREATE_GENERAL_OBJECT)
		row = "create_alias_obj_in";
	memcpy(in, c->in, len);
	hide_key(c, in);
	sim_trace("cmd>", row, in, len, "vhca %u uid %u %s", c->vhca->id, c->uid, c->name);
}

static void trace_out(const struct fw_cmd *c)
{
	const uint8_t *out = c->out;
	const char *page = NULL;

	if (c->opcode == PRM_OPCODE_QUERY_HCA_CAP && !out[0])
		page = fw_cap_struct(c->op_mod);
	if (page)
		sim_trace("cmd<", page, prm_query_hca_cap_out_cat_capability(out), c->out_len - 16,
			  "vhca %u uid %u %s", c->vhca->id, c->uid, c->name);
	else
		sim_trace("cmd<", prm_command_out(c->opcode)->name, out, c->out_len,
			  "vhca %u uid %u %s", c->vhca->id, c->uid, c->name);
}

void fw_trace(const struct fw_cmd *c)
{
	trace_in(c);
	trace_out(c);
}
