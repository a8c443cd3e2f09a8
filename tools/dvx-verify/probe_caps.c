/* SPDX-License-Identifier: BSD-2-Clause */
/* Capability pages. */
#include <dvx/prm/cap.h>
#include <infiniband/verbs.h>
#include "verify.h"
#include "src/prm/reflect.h"

#define CAPS_BYTES 4096u

/* Pages, and the fields of the general page that announce them, as dvx-info has them. */
static const struct {
	uint16_t type;
	const char *field;
} caps_gates[] = {
	{PRM_HCA_CAP_TYPE_IPOIB_OFFLOADS, "ipoib_basic_offloads"},
	{PRM_HCA_CAP_TYPE_IPOIB_ENHANCED_OFFLOADS, "ipoib_enhanced_offloads"},
	{PRM_HCA_CAP_TYPE_VECTOR_CALC, "vector_calc"},
	{PRM_HCA_CAP_TYPE_DEV_SHAMPO, "shampo"},
	{PRM_HCA_CAP_TYPE_DEBUG, "debug"},
	{PRM_HCA_CAP_TYPE_TLS, "tls_tx"},
	{PRM_HCA_CAP_TYPE_IPSEC, "ipsec_offload"},
	{PRM_HCA_CAP_TYPE_CRYPTO, "crypto"},
	{PRM_HCA_CAP_TYPE_ODP, "pg"},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "device_memory"},
	{PRM_HCA_CAP_TYPE_PORT_SELECTION, "port_selection_cap"},
	{PRM_HCA_CAP_TYPE_ADV_VIRTUALIZATION, "adv_virtualization"},
	{PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, "wqe_based_flow_table_update_cap"},
};

static bool caps_page_is_empty(struct bench *b, uint16_t type)
{
	const uint8_t *page;
	const void *at;

	if (dvx_dev_cap_page(b->dev, type, &at))
		return true;
	page = at;
	for (uint32_t i = 0; i < CAPS_BYTES; i++)
		if (page[i])
			return false;
	return true;
}

void probe_caps_page_gates(struct bench *b)
{
	const struct prm_struct *layout = prm_capability(PRM_HCA_CAP_TYPE_GENERAL);
	const void *general;
	uint64_t on;

	NEED(dvx_dev_cap_page(b->dev, PRM_HCA_CAP_TYPE_GENERAL, &general));
	for (size_t i = 0; i < sizeof(caps_gates) / sizeof(caps_gates[0]); i++) {
		if (prm_field_get(layout, general, CAPS_BYTES, caps_gates[i].field, &on) || on)
			continue;
		EXPECT(caps_page_is_empty(b, caps_gates[i].type),
		       "page 0x%x has set bits, and %s is 0", caps_gates[i].type,
		       caps_gates[i].field);
	}
}

void probe_num_lag_ports(struct bench *b)
{
	struct ibv_device_attr attr;
	const void *general;
	uint32_t n;

	NEED(-ibv_query_device(dvx_dev_ibv(b->dev), &attr));
	if (attr.phys_port_cnt != 1)
		conclude(VERDICT_OPEN, "the device has %u ports", attr.phys_port_cnt);
	NEED(dvx_dev_cap_page(b->dev, PRM_HCA_CAP_TYPE_GENERAL, &general));
	n = (uint32_t)prm_cmd_hca_cap_get_num_lag_ports(general);
	EXPECT(!n, "num_lag_ports is %u with a single port", n);
}
