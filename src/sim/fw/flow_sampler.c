/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow samplers: a copy of one packet of sample_ratio goes to one table, all packets to another. */
#include "cmd.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/icm.h"

/* libmlx5 ends the object before the reserved bytes that the kernel's headers have. */
#define FW_SAMPLER_BYTES (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_SAMPLER_BYTES)

static int fw_sampler_check(struct fw_cmd *c, const void *flow_sampler)
{
	uint32_t type = prm_flow_sampler_get_table_type(flow_sampler);

	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: one sampler at a time");
	if (fw_flow_table_check_type(c, type))
		return -1;
	if (type != PRM_FLOW_TABLE_TYPE_NIC_RX && type != PRM_FLOW_TABLE_TYPE_FDB)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "flow_sampler.table_type %u: log_max_ft_sampler_num is 0", type);
	if (!prm_flow_sampler_get_sample_ratio(flow_sampler))
		return fw_refuse(c, FW_SYN_SIZE, "flow_sampler.sample_ratio 0: one packet of none");
	if (prm_flow_sampler_get_level(flow_sampler) >= VHCA_MAX_FT_LEVEL)
		return fw_refuse(c, FW_SYN_FLOW_LEVEL, "flow_sampler.level %u: max_ft_level is %u",
				 prm_flow_sampler_get_level(flow_sampler), VHCA_MAX_FT_LEVEL);
	return fw_nothing_after(c, FW_SAMPLER_BYTES);
}

/* Finds a table of the sampler; NULL after a refusal. */
static struct flow_table *fw_sampler_table(struct fw_cmd *c, const void *flow_sampler, uint32_t id,
					   const char *field)
{
	const struct flow_table from = {
		.type = (uint8_t)prm_flow_sampler_get_table_type(flow_sampler),
		.level = (uint8_t)prm_flow_sampler_get_level(flow_sampler),
	};
	struct flow_table *t = fw_flow_target(c, &from, id, field);

	if (!t || prm_flow_sampler_get_ignore_flow_level(flow_sampler) ||
	    !fw_flow_level(c, &from, t, field))
		return t;
	return NULL;
}

/* [I] Samples go to a termination table, as Linux's driver and libmlx5 make it. */
static int fw_sampler_find_tables(struct fw_cmd *c, const void *flow_sampler,
				  struct flow_sampler *s)
{
	uint32_t sample = prm_flow_sampler_get_sample_table_id(flow_sampler);
	uint32_t rest = prm_flow_sampler_get_default_table_id(flow_sampler);

	s->sample = fw_sampler_table(c, flow_sampler, sample, "sample_table_id");
	if (!s->sample)
		return -1;
	if (!s->sample->termination)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "sample_table_id 0x%x: the table needs termination_table", sample);
	s->rest = fw_sampler_table(c, flow_sampler, rest, "default_table_id");
	return s->rest ? 0 : -1;
}

int fw_create_sampler(struct fw_cmd *c)
{
	const uint8_t *in = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	struct flow_sampler as_asked = {0}, *s;

	if (c->in_len < FW_SAMPLER_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a sampler needs %zu", c->in_len,
				 (size_t)FW_SAMPLER_BYTES);
	if (fw_sampler_check(c, in) || fw_sampler_find_tables(c, in, &as_asked))
		return -1;
	s = fw_new(c, OBJ_SAMPLER, sizeof(*s));
	if (!s)
		return -1;
	s->type = (uint8_t)prm_flow_sampler_get_table_type(in);
	s->level = (uint8_t)prm_flow_sampler_get_level(in);
	s->ignore_level = prm_flow_sampler_get_ignore_flow_level(in);
	s->ratio = prm_flow_sampler_get_sample_ratio(in);
	s->sample = as_asked.sample;
	s->rest = as_asked.rest;
	obj_get(s->sample);
	obj_get(s->rest);
	return fw_made(c, &s->o, 0);
}

/* Returns the object with the address that entries of software lead to, the same on both sides. */
int fw_query_sampler(struct fw_cmd *c)
{
	const struct flow_sampler *s = c->obj;
	uint8_t *out = (uint8_t *)c->out + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	const uint64_t addr = icm_addr(ICM_SAMPLER, s->o.id);

	if (fw_reply_fits(c, FW_SAMPLER_BYTES))
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, s->o.id);
	prm_flow_sampler_set_table_type(out, s->type);
	prm_flow_sampler_set_level(out, s->level);
	prm_flow_sampler_set_ignore_flow_level(out, s->ignore_level);
	prm_flow_sampler_set_sample_ratio(out, s->ratio);
	prm_flow_sampler_set_sample_table_id(out, s->sample->o.id);
	prm_flow_sampler_set_default_table_id(out, s->rest->o.id);
	prm_flow_sampler_set_sw_steering_icm_address_rx(out, addr);
	prm_flow_sampler_set_sw_steering_icm_address_tx(out, addr);
	return 0;
}

void fw_sampler_free(struct obj *o)
{
	struct flow_sampler *s = (struct flow_sampler *)o;

	obj_put(s->sample);
	obj_put(s->rest);
	obj_free(o);
}
