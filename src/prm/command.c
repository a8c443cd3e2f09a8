/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures by number: of commands (opcode), registers, general objects and capabilities. */
#include "src/prm/reflect.h"

static const struct prm_command *command_find(uint32_t opcode)
{
	for (size_t i = 0; i < prm_command_count; i++)
		if (prm_commands[i].opcode == opcode)
			return &prm_commands[i];
	return NULL;
}

const struct prm_struct *prm_command_in(uint32_t opcode)
{
	const struct prm_command *c = command_find(opcode);

	return c ? c->in : prm_find_struct("mbox_in");
}

const struct prm_struct *prm_command_out(uint32_t opcode)
{
	const struct prm_command *c = command_find(opcode);

	return c ? c->out : prm_find_struct("mbox_out");
}

static const struct {
	uint16_t type;
	const char *name;
} objects[] = {
	{0x0008, "sw_icm"},
	{0x000a, "flow_meter"},
	{0x000b, "geneve_tlv_option"},
	{0x000c, "encryption_key_obj"},
	{0x000d, "virtio_net_q_object"},
	{0x0013, "ipsec_obj"},
	{0x0018, "match_definer"},
	{0x001c, "virtio_q_counters"},
	{0x001f, "crypto_login_obj"},
	{0x0020, "sampler_obj"},
	{0x0022, "parse_graph_flex"},
	{0x0023, "modify_header_arg"},
	{0x0024, "flow_meter_aso_obj"},
	{0x0025, "flow_hit_aso"},
	{0x0026, "sched_elem"},
	{0x0027, "macsec_offload_obj"},
	{0x002c, "reserved_qpn"},
	{0x0031, "conn_track_offload"},
	{0x003a, "av_qp_mapping"},
	{0x0040, "stc"},
	{0x0041, "rtc"},
	{0x0042, "ste"},
	{0x0043, "header_modify_pattern_in"},
	{0x0046, "page_track"},
	{0x0047, "int_kek_obj"},
};

const struct prm_struct *prm_object(uint32_t obj_type)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i].type == obj_type)
			return prm_find_struct(objects[i].name);
	return NULL;
}

const struct prm_struct *prm_register(uint32_t id)
{
	return prm_find_struct(prm_enum_text(prm_find_enum("reg_id"), id));
}

const struct prm_struct *prm_capability(uint32_t type)
{
	return prm_find_struct(prm_enum_text(prm_find_enum("hca_cap_type"), type));
}
