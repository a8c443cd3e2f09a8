/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of ASO objects, in ranges of the device, and the action that lets packets change one. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/wqe.h>
#include "aso.h"

#define ASO_MOST 22u /* log2 of the most objects of a set */

static const struct dvx_aso_kind_row lib_aso_kinds[] = {
	[DVX_ASO_METERS] = {"meters", PRM_OBJ_TYPE_FLOW_METER_ASO, PRM_ASO_OPMOD_FLOW_METER, 2,
			    PRM_FLOW_METER_PARAMETERS_BYTES, 0},
	[DVX_ASO_HITS] = {"hits", PRM_OBJ_TYPE_ASO_FIRST_HIT, PRM_ASO_OPMOD_FIRST_HIT, 512, 1, 0},
	/* DPDK and Mellanox/pydiru make connections by 64. */
	[DVX_ASO_CONNECTIONS] = {"connections", PRM_OBJ_TYPE_ASO_CT,
				 PRM_ASO_OPMOD_CONNECTION_TRACKING, 1, ASO_CONTEXT, 6},
};
#define ASO_KINDS (sizeof(lib_aso_kinds) / sizeof(lib_aso_kinds[0]))

/* --- ranges ------------------------------------------------------------------------------------ */

static int lib_aso_check_device(struct dvx_dev *dev, const struct dvx_aso_kind_row *kind)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err || prm_cmd_hca_cap_get_general_obj_types(cap) >> kind->type & 1)
		return err;
	return dvx_fail(EOPNOTSUPP,
			"dvx_aso_create: %s has no %s: bit %u of general_obj_types is 0 "
			"(steering_format_version is %u; ConnectX-5 and older have 0)",
			dvx_dev_name(dev), kind->name, kind->type,
			prm_cmd_hca_cap_get_steering_format_version(cap));
}

/* Finds the device's objects in a range (as log2), and checks how many meters it has. */
static int lib_aso_range(struct dvx_dev *dev, const struct dvx_aso_kind_row *kind, uint32_t n,
			 uint32_t *log)
{
	uint32_t want = dvx_log2_up((n + kind->each - 1) / kind->each), least, most, all;
	const void *cap;
	int err = 0;

	*log = kind->log_least;
	if (kind->type != PRM_OBJ_TYPE_FLOW_METER_ASO)
		return 0;
	err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_QOS, &cap);
	if (err)
		return err;
	least = prm_qos_cap_get_log_meter_aso_granularity(cap);
	most = prm_qos_cap_get_log_meter_aso_max_alloc(cap);
	all = prm_qos_cap_get_log_max_num_meter_aso(cap);
	if (n > 1u << all)
		return dvx_fail(
			ERANGE,
			"dvx_aso_create: n is %u meters: log_max_num_meter_aso of %s allows "
			"%u",
			n, dvx_dev_name(dev), 1u << all);
	*log = want < least ? least : want > most ? most : want;
	return 0;
}

static int lib_aso_command(struct dvx_aso *aso, uint32_t log)
{
	uint8_t in[PRM_CREATE_FLOW_METER_ASO_OBJ_IN_BYTES] = {0};
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	struct dvx_flow_part *part = &aso->part[aso->parts];
	/* All kinds have the PD in one place. */
	void *object = in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, aso->kind->type);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, log);
	prm_flow_meter_aso_obj_set_meter_aso_access_pd(object, dvx_aso_queue_pd(aso->queue)->pdn);
	err = dvx_obj_create(dvx_aso_queue_dev(aso->queue), in, sizeof(in), reply, sizeof(reply),
			     &part->obj);
	if (err)
		return err;
	part->id = prm_general_obj_out_cmd_hdr_get_obj_id(reply);
	part->size = (uint32_t)aso->kind->each << log;
	aso->parts++;
	aso->size += part->size;
	return 0;
}

static int lib_aso_empty(struct dvx_aso *aso)
{
	for (; aso->parts; aso->parts--) {
		struct dvx_flow_part *part = &aso->part[aso->parts - 1];
		int err = dvx_obj_destroy(part->obj);

		if (err)
			return err;
		aso->size -= part->size;
	}
	return 0;
}

static int lib_aso_check(struct dvx_aso_queue *queue, enum dvx_aso_kind kind, uint32_t n)
{
	if ((size_t)kind >= ASO_KINDS)
		return dvx_fail(EINVAL, "dvx_aso_create: kind %u is none of enum dvx_aso_kind",
				(unsigned int)kind);
	if (!n || n > 1u << ASO_MOST)
		return dvx_fail(ERANGE, "dvx_aso_create: n is %u, not 1 to %u", n, 1u << ASO_MOST);
	return lib_aso_check_device(dvx_aso_queue_dev(queue), &lib_aso_kinds[kind]);
}

static int lib_aso_fill(struct dvx_aso *aso, uint32_t n, uint32_t log)
{
	int err = 0;

	while (aso->size < n && !err)
		err = lib_aso_command(aso, log);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		lib_aso_empty(aso);
		dvx_restore(&why);
	}
	return err;
}

int dvx_aso_create(struct dvx_aso_queue *queue, enum dvx_aso_kind kind, uint32_t n,
		   struct dvx_aso **out)
{
	int err = dvx_check_not_null("dvx_aso_create", "queue", queue, "out", out, NULL);
	uint32_t log = 0, each;
	struct dvx_aso *aso;

	if (!err)
		err = lib_aso_check(queue, kind, n);
	if (!err)
		err = lib_aso_range(dvx_aso_queue_dev(queue), &lib_aso_kinds[kind], n, &log);
	if (err)
		return err;
	each = (uint32_t)lib_aso_kinds[kind].each << log;
	aso = calloc(1, sizeof(*aso) + (n + each - 1) / each * sizeof(aso->part[0]));
	if (!aso)
		return dvx_fail(ENOMEM, "no memory for %u %s", n, lib_aso_kinds[kind].name);
	aso->queue = queue;
	aso->kind = &lib_aso_kinds[kind];
	err = lib_aso_fill(aso, n, log);
	if (err) {
		free(aso);
		return err;
	}
	dvx_ref(dvx_aso_queue_refs(queue));
	*out = aso;
	return 0;
}

int dvx_aso_destroy(struct dvx_aso *aso)
{
	int err;

	if (!aso)
		return 0;
	if (dvx_in_use(&aso->refs))
		return dvx_fail(EBUSY, "%s: %d actions still use them", aso->kind->name, aso->refs);
	err = lib_aso_empty(aso);
	if (err)
		return err;
	dvx_unref(dvx_aso_queue_refs(aso->queue));
	free(aso);
	return 0;
}

uint32_t dvx_aso_size(const struct dvx_aso *aso)
{
	return aso->size;
}

struct dvx_flow_part *dvx_aso_part(struct dvx_aso *aso, uint32_t *index)
{
	struct dvx_flow_part *part = &aso->part[*index / aso->part[0].size];

	*index %= aso->part[0].size;
	return part;
}

int dvx_aso_check_index(const struct dvx_aso *aso, const char *call, uint32_t index)
{
	if (index < aso->size)
		return 0;
	return dvx_fail(ERANGE, "%s: index %u is not below the number of %s, %u", call, index,
			aso->kind->name, aso->size);
}

/* --- the action -------------------------------------------------------------------------------- */

static int lib_aso_check_action(const struct dvx_flow_domain *domain, const struct dvx_aso *aso,
				uint8_t reg_c, uint32_t flags)
{
	if (dvx_aso_queue_dev(aso->queue) != domain->dev)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_aso: aso is not of the domain's device");
	if (reg_c != 1 && reg_c != 3 && reg_c != 5)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_aso: reg_c is %u: results go into metadata "
				"register C 1, 3 or 5",
				reg_c);
	if (flags & ~(uint32_t)DVX_FLOW_ASO_RESPONDER)
		return dvx_fail(EINVAL, "dvx_flow_action_create_aso: flags 0x%x: unknown bits",
				flags);
	if (flags && aso->kind != &lib_aso_kinds[DVX_ASO_CONNECTIONS])
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_aso: flags has DVX_FLOW_ASO_RESPONDER, but "
				"%s have no sides",
				aso->kind->name);
	return 0;
}

int dvx_flow_action_create_aso(struct dvx_flow_domain *domain, struct dvx_aso *aso, uint32_t index,
			       uint8_t reg_c, uint32_t flags, struct dvx_flow_action **out)
{
	int err = dvx_check_not_null("dvx_flow_action_create_aso", "domain", domain, "aso", aso,
				     "out", out, NULL);
	struct dvx_flow_action want = {.domain = domain, .reg_c = reg_c, .responder = flags};
	const struct dvx_flow_part *part;

	if (!err)
		err = lib_aso_check_action(domain, aso, reg_c, flags);
	if (!err)
		err = dvx_aso_check_index(aso, "dvx_flow_action_create_aso", index);
	if (err)
		return err;
	want.kind = (enum action_kind)(ACTION_METER + (aso->kind - lib_aso_kinds));
	want.target = &aso->refs;
	part = dvx_aso_part(aso, &index);
	want.obj = part->obj;
	want.object = part->id;
	want.number = index;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_aso", out);
}
