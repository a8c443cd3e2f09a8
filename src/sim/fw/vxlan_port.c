/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP ports of VXLAN, a setting of the chip. The parser always knows 4789: [I] adding it changes
 * nothing, as Linux's driver adds it once more. [I] A port is added once, whoever adds it.
 */
#include "cmd.h"
#include "obj/device.h"

#define FW_VXLAN_PORT 4789u

/* Returns the port's place, or that of the first free one. */
static uint16_t *fw_vxlan_find(struct device *dev, uint32_t port)
{
	uint16_t *at = dev->vxlan_ports;

	while (*at && *at != port)
		at++;
	return at;
}

int fw_add_vxlan_port(struct fw_cmd *c)
{
	const uint32_t port = prm_add_vxlan_udp_dport_in_get_vxlan_udp_port(c->in);
	struct device *dev = c->vhca->dev;
	uint16_t *at = fw_vxlan_find(dev, port);

	if (!port)
		return fw_refuse(c, FW_SYN_SIZE, "vxlan_udp_port 0 is no port");
	if (port == FW_VXLAN_PORT || *at)
		return 0;
	if (at == &dev->vxlan_ports[VHCA_MAX_VXLAN_PORTS])
		return fw_refuse_as(c, PRM_STATUS_NO_RES, FW_SYN_LIMIT,
				    "vxlan_udp_port %u: the chip has max_vxlan_udp_ports (%u) "
				    "beside %u",
				    port, VHCA_MAX_VXLAN_PORTS, FW_VXLAN_PORT);
	*at = (uint16_t)port;
	return 0;
}

int fw_delete_vxlan_port(struct fw_cmd *c)
{
	const uint32_t port = prm_delete_vxlan_udp_dport_in_get_vxlan_udp_port(c->in);
	uint16_t *at = fw_vxlan_find(c->vhca->dev, port);

	if (port == FW_VXLAN_PORT)
		return 0;
	if (!port || !*at)
		return fw_refuse(c, FW_SYN_INDEX, "vxlan_udp_port %u was not added", port);
	for (; *at; at++)
		at[0] = at[1];
	return 0;
}
