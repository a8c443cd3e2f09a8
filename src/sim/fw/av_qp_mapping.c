/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings from an address to the QP whose congestion control is used for it (mlx5dv_map_ah_to_qp).
 * This device has no congestion control: it keeps the object and does nothing with it.
 */
#include <string.h>
#include "cmd.h"

struct av_qp_mapping {
	struct obj o;
	uint8_t mapping[PRM_AV_QP_MAPPING_BYTES];
};

/*
 * Does not require that the QP has the command's uid: [I] rdma-core's own test names a QP of
 * another context.
 */
static int fw_av_qp_mapping_check(struct fw_cmd *c, const void *mapping)
{
	const void *av = prm_av_qp_mapping_cat_remote_address_vector(mapping);
	uint32_t qpn = prm_av_qp_mapping_get_qpn(mapping);

	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: a mapping is one object of "
				 "its function");
	if (!obj_find(c->vhca, OBJ_QP, qpn))
		return fw_refuse(c, FW_SYN_NO_OBJECT,
				 "mapping.qpn 0x%x names no QP of this function", qpn);
	if (prm_ud_av_get_src_addr_index(av) >= VHCA_GIDS)
		return fw_refuse(
			c, FW_SYN_INDEX,
			"remote_address_vector.src_addr_index %u: the GID table has %u entries",
			prm_ud_av_get_src_addr_index(av), VHCA_GIDS);
	return 0;
}

int fw_create_av_qp_mapping(struct fw_cmd *c)
{
	const void *mapping = prm_create_av_qp_mapping_in_cat_mapping(c->in);
	struct av_qp_mapping *m;

	if (c->in_len < PRM_CREATE_AV_QP_MAPPING_IN_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT, "the mailbox has %zu bytes, %u are needed",
				 c->in_len, PRM_CREATE_AV_QP_MAPPING_IN_BYTES);
	if (fw_nothing_after(c, PRM_CREATE_AV_QP_MAPPING_IN_BYTES) ||
	    fw_av_qp_mapping_check(c, mapping))
		return -1;
	m = fw_new(c, OBJ_AV_QP_MAPPING, sizeof(*m));
	if (!m)
		return -1;
	memcpy(m->mapping, mapping, sizeof(m->mapping));
	return fw_made(c, &m->o, 0);
}

int fw_query_av_qp_mapping(struct fw_cmd *c)
{
	const struct av_qp_mapping *m = c->obj;

	if (fw_reply_fits(c, PRM_QUERY_AV_QP_MAPPING_OUT_BYTES))
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, m->o.id);
	memcpy(prm_query_av_qp_mapping_out_at_obj(c->out), m->mapping, sizeof(m->mapping));
	return 0;
}
