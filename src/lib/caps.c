/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/alias.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "priv.h"

#define PAGE_BYTES (PRM_QUERY_HCA_CAP_OUT_BYTES - 16u)

/* Pages are read on first use and cached: capabilities do not change while the device is open. */
struct cap_page {
	struct cap_page *next;
	uint16_t type;
	uint8_t bytes[PAGE_BYTES];
};

static int lib_caps_query(struct dvx_dev *dev, uint16_t type, struct cap_page **out)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};
	uint8_t reply[PRM_QUERY_HCA_CAP_OUT_BYTES];
	struct cap_page *page;
	int err;

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(in, (uint32_t)type << 1 | PRM_HCA_CAP_MODE_CUR);
	err = dvx_cmd(dev, in, sizeof(in), reply, sizeof(reply));
	if (err)
		return err;
	page = malloc(sizeof(*page));
	if (!page)
		return dvx_fail(ENOMEM, "no memory for a capability page");
	page->type = type;
	memcpy(page->bytes, reply + sizeof(reply) - PAGE_BYTES, PAGE_BYTES);
	*out = page;
	return 0;
}

int dvx_dev_cap_page(struct dvx_dev *dev, uint16_t type, const void **out)
{
	int err = dvx_check_not_null("dvx_dev_cap_page", "dev", dev, "page", out, NULL);
	struct cap_page *page;

	if (err)
		return err;
	if (type >= 1u << 15)
		return dvx_fail(EINVAL, "dvx_dev_cap_page: type 0x%x has more than 15 bits", type);
	pthread_mutex_lock(&dev->lock);
	for (page = dev->cap_pages; page && page->type != type; page = page->next)
		;
	if (!page) {
		err = lib_caps_query(dev, type, &page);
		if (!err) {
			page->next = dev->cap_pages;
			dev->cap_pages = page;
		}
	}
	pthread_mutex_unlock(&dev->lock);
	if (!err)
		*out = page->bytes;
	return err;
}

static void caps_from_general(struct dvx_caps *caps, const void *cap)
{
	uint32_t log_mmo = prm_cmd_hca_cap_get_log_dma_mmo_max_size(cap);

	caps->vhca_id = (uint16_t)prm_cmd_hca_cap_get_vhca_id(cap);
	caps->roce = prm_cmd_hca_cap_get_port_type(cap) == PRM_PORT_TYPE_ETH;
	caps->bf = prm_cmd_hca_cap_get_bf(cap);
	caps->log_bf_reg_size = (uint8_t)prm_cmd_hca_cap_get_log_bf_reg_size(cap);
	caps->log_max_qp_blocks = (uint8_t)prm_cmd_hca_cap_get_log_max_qp_sz(cap);
	caps->log_max_cq_entries = (uint8_t)prm_cmd_hca_cap_get_log_max_cq_sz(cap);
	caps->max_wqe_bytes = (uint16_t)prm_cmd_hca_cap_get_max_wqe_sz_sq(cap);
	caps->num_ports = (uint8_t)prm_cmd_hca_cap_get_num_ports(cap);
	caps->dma_mmo = prm_cmd_hca_cap_get_dma_mmo_qp(cap);
	caps->dma_mmo_max = log_mmo ? 1ull << log_mmo : DVX_MAX_SEGMENT;
	caps->relaxed_write = prm_cmd_hca_cap_get_relaxed_ordering_write(cap);
	caps->relaxed_read = prm_cmd_hca_cap_get_relaxed_ordering_read(cap) ||
			     prm_cmd_hca_cap_get_relaxed_ordering_read_pci_enabled(cap);
	if (caps->dma_mmo_max > DVX_MAX_SEGMENT)
		caps->dma_mmo_max = DVX_MAX_SEGMENT;
}

static uint8_t lib_caps_log_rd_atomic(const void *cap)
{
	uint32_t req = prm_cmd_hca_cap_get_log_max_ra_req_qp(cap);
	uint32_t res = prm_cmd_hca_cap_get_log_max_ra_res_qp(cap);

	return (uint8_t)(req < res ? req : res);
}

static void caps_from_general_2(struct dvx_caps *caps, const void *cap)
{
	caps->mkey_export = prm_cmd_hca_cap_2_get_allowed_object_for_other_vhca_access(cap) &
			    PRM_ALLOWED_OBJECT_MKEY;
	caps->mkey_import = prm_cmd_hca_cap_2_get_cross_vhca_object_to_object_supported(cap) &
			    PRM_CROSS_VHCA_OBJECT_LOCAL_MKEY_TO_REMOTE_MKEY;
	caps->min_mkey_log_entity = (uint8_t)prm_cmd_hca_cap_2_get_log_min_mkey_entity_size(cap);
}

/*
 * Tells whether the e-switch is in switchdev mode. Only then does the kernel report a port's vport
 * and register value; this query needs no rights, unlike devlink. If it fails, the mode is unknown.
 */
static bool caps_switchdev(struct dvx_dev *dev)
{
	struct mlx5dv_port port = {.flags = 0};

	return mlx5dv_query_port(dev->ctx, 1, &port) || port.flags;
}

int dvx_caps_read(struct dvx_dev *dev)
{
	const void *general, *page;
	int err;

	dev->caps.switchdev = caps_switchdev(dev);
	err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &general);
	if (err)
		return err;
	caps_from_general(&dev->caps, general);
	dev->log_rd_atomic = lib_caps_log_rd_atomic(general);
	dev->log_max_msg = (uint8_t)prm_cmd_hca_cap_get_log_max_msg(general);
	if (prm_cmd_hca_cap_get_hca_cap_2(general)) {
		err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL_2, &page);
		if (err)
			return err;
		caps_from_general_2(&dev->caps, page);
	}
	/* A device with timestamp formats needs DEFAULT (1); older devices have only 0. */
	if (prm_cmd_hca_cap_get_roce(general) &&
	    !dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_ROCE, &page))
		dev->qp_ts_format = prm_roce_cap_get_qp_ts_format(page) != 0;
	return 0;
}

void dvx_caps_free(struct dvx_dev *dev)
{
	struct cap_page *page;

	while ((page = dev->cap_pages)) {
		dev->cap_pages = page->next;
		free(page);
	}
}
