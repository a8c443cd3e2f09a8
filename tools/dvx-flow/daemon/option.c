/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Geneve option whose data rules compare. The device has one parser for options: it takes the
 * option of one class and type, whose number is as in struct rule.
 */
#include <dvx/cmd.h>
#include <dvx/dev.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>

#include "base_tables.h"
#include "dvx-flow.h"
#include "rules/compile.h"

#define OPTION_WORDS 1u /* of data, which rules compare */

static int option_refused(struct flow_fault *f, const struct dvx_dev *dev)
{
	const void *cap;

	if (!dvx_dev_cap_page((struct dvx_dev *)dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) &&
	    !(prm_cmd_hca_cap_get_general_obj_types(cap) >> PRM_OBJ_TYPE_GENEVE_TLV_OPT & 1))
		return flow_fault_set(f, EXIT_DEVICE,
				      "%s lacks general_obj_types bit 0x%x (GENEVE_TLV_OPT): it "
				      "parses no Geneve option",
				      dvx_dev_name(dev), PRM_OBJ_TYPE_GENEVE_TLV_OPT);
	return flow_fault_set(f, EXIT_DEVICE,
			      "no parser of Geneve options; if other programs or functions have "
			      "it, end them: %s",
			      device_last_error());
}

static int option_make(struct held_option *o, struct dvx_dev *dev, uint32_t kind)
{
	uint8_t in[PRM_CREATE_GENEVE_TLV_OPTION_IN_BYTES] = {0};
	uint8_t out[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	void *hdr = prm_create_geneve_tlv_option_in_at_hdr(in);
	void *option = prm_create_geneve_tlv_option_in_at_geneve_tlv_opt(in);

	prm_general_obj_in_cmd_hdr_set_opcode(hdr, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(hdr, PRM_OBJ_TYPE_GENEVE_TLV_OPT);
	prm_geneve_tlv_option_set_option_class(option, kind >> 16);
	prm_geneve_tlv_option_set_option_type(option, kind >> 8 & 0xff);
	prm_geneve_tlv_option_set_option_data_length(option, OPTION_WORDS);
	o->kind = kind;
	return dvx_obj_create(dev, in, sizeof(in), out, sizeof(out), &o->parser);
}

int option_hold(struct base_tables *g, const struct rule *r, struct held_option **out,
		struct flow_fault *f)
{
	struct held_option *o = &g->option;
	int ret = 0;

	if (!r->option)
		return 0;
	if (o->users && o->kind != r->option)
		ret = flow_fault_set(f, EXIT_DEVICE,
				     "the device has one parser of Geneve options, and it looks "
				     "for that of class 0x%x, type 0x%x, for rules in effect, or "
				     "that were since the last apply: apply a file without "
				     "options first",
				     o->kind >> 16, o->kind >> 8 & 0xff);
	else if (!o->users && option_make(o, g->dev, r->option))
		ret = option_refused(f, g->dev);
	if (ret)
		return flow_fault_at(f, r, rule_location(r, KEY_GENEVE_OPTION));
	o->users++;
	*out = o;
	return 0;
}

void option_drop(struct held_option *o)
{
	if (o && !--o->users)
		dvx_obj_destroy(o->parser);
}
