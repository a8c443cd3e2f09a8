/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <dvx/dvx.h>
#include <dvx/prm/cap.h>
#include "dump.h"
#include "dvx-info.h"
#include "tools/cli/library.h"

#define PAGE_BYTES 4096u

/*
 * Fields of the general page that the driver checks before it requests another page. Requesting an
 * unsupported page only adds noise to logs.
 */
static const struct gate {
	uint16_t type;
	const char *field;
	uint64_t bits; /* bits of a mask; 0: the whole field */
} gates[] = {
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "eth_net_offloads", 0},
	{PRM_HCA_CAP_TYPE_ODP, "pg", 0},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic", 0},
	{PRM_HCA_CAP_TYPE_ROCE, "roce", 0},
	{PRM_HCA_CAP_TYPE_IPOIB_OFFLOADS, "ipoib_basic_offloads", 0},
	{PRM_HCA_CAP_TYPE_IPOIB_ENHANCED_OFFLOADS, "ipoib_enhanced_offloads", 0},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "nic_flow_table", 0},
	{PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, "eswitch_manager", 0},
	{PRM_HCA_CAP_TYPE_ESWITCH, "eswitch_manager", 0},
	{PRM_HCA_CAP_TYPE_VECTOR_CALC, "vector_calc", 0},
	{PRM_HCA_CAP_TYPE_DEV_SHAMPO, "shampo", 0},
	{PRM_HCA_CAP_TYPE_QOS, "qos", 0},
	{PRM_HCA_CAP_TYPE_DEBUG, "debug", 0},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "device_memory", 0},
	{PRM_HCA_CAP_TYPE_TLS, "tls_tx", 0},
	{PRM_HCA_CAP_TYPE_IPSEC, "ipsec_offload", 0},
	{PRM_HCA_CAP_TYPE_CRYPTO, "crypto", 0},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "hca_cap_2", 0},
	{PRM_HCA_CAP_TYPE_PORT_SELECTION, "port_selection_cap", 0},
	{PRM_HCA_CAP_TYPE_ADV_VIRTUALIZATION, "adv_virtualization", 0},
	{PRM_HCA_CAP_TYPE_VDPA_EMULATION, "general_obj_types", 1ull << 13}, /* VIRTIO_NET_Q */
	{PRM_HCA_CAP_TYPE_MACSEC, "general_obj_types", 1ull << 39},
	{PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, "wqe_based_flow_table_update_cap", 0},
};

static const struct gate *closed_gate(const struct cap_source *s, uint16_t type)
{
	const struct page *general = source_page(s, PRM_HCA_CAP_TYPE_GENERAL);
	uint64_t on;

	for (size_t i = 0; general && general->bytes && i < sizeof(gates) / sizeof(gates[0]); i++)
		if (gates[i].type == type &&
		    !prm_field_get(page_layout(PRM_HCA_CAP_TYPE_GENERAL), general->bytes,
				   general->len, gates[i].field, &on) &&
		    !(gates[i].bits ? on & gates[i].bits : on))
			return &gates[i];
	return NULL;
}

static void say_closed(struct page *page, const struct gate *g)
{
	if (g->bits)
		snprintf(page->error, sizeof(page->error), "general capability %s lacks 0x%" PRIx64,
			 g->field, g->bits);
	else
		snprintf(page->error, sizeof(page->error), "general capability %s is 0", g->field);
}

static void source_read_page(struct cap_source *s, uint16_t type, bool ask)
{
	const struct gate *gate = ask ? NULL : closed_gate(s, type);
	struct page *page = source_add(s, type);
	const void *bytes;

	if (!page)
		return;
	if (gate) {
		say_closed(page, gate);
		return;
	}
	if (dvx_dev_cap_page(s->dev, type, &bytes)) {
		snprintf(page->error, sizeof(page->error), "%s", library_error());
		return;
	}
	page->bytes = malloc(PAGE_BYTES);
	if (!page->bytes) {
		snprintf(page->error, sizeof(page->error), "out of memory");
		return;
	}
	memcpy(page->bytes, bytes, PAGE_BYTES);
	page->len = PAGE_BYTES;
}

static void source_read_names(struct cap_source *s)
{
	struct dvx_dev_info *list;
	struct dvx_ident ident;
	size_t n;

	snprintf(s->device, sizeof(s->device), "%s", dvx_dev_name(s->dev));
	snprintf(s->name, sizeof(s->name), "%s", s->device);
	if (!dvx_dev_ident(s->dev, &ident)) {
		snprintf(s->firmware, sizeof(s->firmware), "%s", ident.firmware);
		snprintf(s->board, sizeof(s->board), "%s", ident.board);
	}
	if (dvx_dev_list(&list, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].name, s->device))
			continue;
		snprintf(s->pci, sizeof(s->pci), "%s", list[i].pci);
		snprintf(s->guid, sizeof(s->guid), "0x%016" PRIx64, list[i].guid);
	}
	dvx_dev_list_free(list);
}

static bool source_is_file(const char *path)
{
	struct stat st;

	return path && (!strcmp(path, "-") || (!stat(path, &st) && !S_ISDIR(st.st_mode)));
}

static void why_no_device(struct cap_source *s, const char *which)
{
	if (which && strpbrk(which, "/"))
		snprintf(s->error, sizeof(s->error),
			 "there is no such file, and no such device (%s)", library_error());
	else
		snprintf(s->error, sizeof(s->error), "%s", library_error());
}

static int open_dump(struct cap_source *s, const char *path, int only)
{
	char err[400];

	s->dump = true;
	snprintf(s->name, sizeof(s->name), "%s", path);
	if (!cap_dump_load(s, path, only, err, sizeof(err)))
		return EXIT_DONE;
	snprintf(s->error, sizeof(s->error), "%s: %s", s->name, err);
	return EXIT_INPUT;
}

int cap_source_open(struct cap_source *s, const char *which, int only)
{
	uint16_t type;

	memset(s, 0, sizeof(*s));
	if (source_is_file(which))
		return open_dump(s, which, only);
	if (dvx_dev_open(which, &s->dev)) {
		why_no_device(s, which);
		return EXIT_INPUT;
	}
	source_read_names(s);
	for (size_t i = 0; page_type_at(i, &type); i++)
		source_read_page(s, type, type == only);
	if (only >= 0)
		source_read_page(s, (uint16_t)only, true);
	return EXIT_DONE;
}

void cap_source_close(struct cap_source *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->pages[i].bytes);
	dvx_dev_close(s->dev);
	s->count = 0;
	s->dev = NULL;
}

/* Describes the source. Its texts may have any bytes if it is a dump. */
json_t *source_json(const struct cap_source *s)
{
	json_t *j = json_object();

	json_object_set_new(j, "source", json_text(s->name, strlen(s->name)));
	json_object_set_new(j, "kind", json_string(s->dump ? "dump" : "device"));
	json_object_set_new(j, "device", json_text(s->device, strlen(s->device)));
	json_object_set_new(j, "pci", json_text(s->pci, strlen(s->pci)));
	json_object_set_new(j, "guid", json_text(s->guid, strlen(s->guid)));
	json_object_set_new(j, "firmware", json_text(s->firmware, strlen(s->firmware)));
	json_object_set_new(j, "board", json_text(s->board, strlen(s->board)));
	return j;
}
