/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of the e-switch: their names, where packets come from, where they go. */
#include <stdio.h>
#include "priv.h"

#define VF_NAME	 "vf"
#define VF_FIRST 1u
#define VFS_MAX	 1000u /* SFs have higher numbers: esw_sf_base_id */

static const struct {
	const char *name;
	uint32_t number;
} vport_names[] = {
	{"pf", DVX_FLOW_PF},
	{"ecpf", DVX_FLOW_ECPF},
	{"uplink", DVX_FLOW_UPLINK},
};
#define VPORT_NAMES (sizeof(vport_names) / sizeof(vport_names[0]))

/* Returns a VF's number in its name, or VFS_MAX. */
static uint32_t vport_vf(const char *name)
{
	unsigned int vf;
	int end = 0;

	if (sscanf(name, VF_NAME "%3u%n", &vf, &end) != 1 || name[end] ||
	    name[sizeof(VF_NAME) - 1] < '0' || name[sizeof(VF_NAME) - 1] > '9')
		return VFS_MAX;
	return vf;
}

int dvx_flow_vport_number(const char *name, uint32_t *vport)
{
	int err = dvx_check_not_null("dvx_flow_vport_number", "name", name, "vport", vport, NULL);
	uint32_t vf;

	if (err)
		return err;
	for (size_t i = 0; i < VPORT_NAMES; i++)
		if (!strcmp(vport_names[i].name, name)) {
			*vport = vport_names[i].number;
			return 0;
		}
	vf = vport_vf(name);
	if (vf == VFS_MAX)
		return dvx_fail(ENOENT,
				"dvx_flow_vport_number: no vport is called %.40s; names are pf, "
				"ecpf, uplink and vf0 to vf%u",
				name, VFS_MAX - 1);
	*vport = VF_FIRST + vf;
	return 0;
}

size_t dvx_flow_vport_name(uint32_t vport, char *buf, size_t size)
{
	int n;

	for (size_t i = 0; i < VPORT_NAMES; i++)
		if (vport_names[i].number == vport)
			return (size_t)snprintf(buf, size, "%s", vport_names[i].name);
	n = vport - VF_FIRST < VFS_MAX ? snprintf(buf, size, VF_NAME "%u", vport - VF_FIRST)
				       : snprintf(buf, size, "vport %u", vport);
	return (size_t)n;
}

static int vport_check(const char *call, uint32_t vport)
{
	if (vport <= UINT16_MAX)
		return 0;
	return dvx_fail(ERANGE, "%s: vport 0x%x has more than 16 bits", call, vport);
}

int dvx_flow_match_vport(struct dvx_flow_match *m, uint32_t vport)
{
	int err = dvx_check_not_null("dvx_flow_match_vport", "match", m, NULL);

	if (!err)
		err = vport_check("dvx_flow_match_vport", vport);
	return err ? err : dvx_flow_match_set(m, "misc_parameters.source_port", vport, UINT16_MAX);
}

int dvx_flow_action_create_vport(struct dvx_flow_domain *domain, uint32_t vport,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_VPORT, .number = vport};
	int err = dvx_check_not_null("dvx_flow_action_create_vport", "domain", domain, "out", out,
				     NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_FDB, "dvx_flow_action_create_vport");
	if (!err)
		err = vport_check("dvx_flow_action_create_vport", vport);
	return err ? err : dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_vport", out);
}
