/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists devices, a block for each; if one cannot be opened, the block has the reason. */
#include <inttypes.h>
#include <stdio.h>
#include <dvx/dvx.h>
#include "dvx-info.h"
#include "tools/cli/library.h"

static const char *list_state_name(enum dvx_port_state state)
{
	static const char *const names[] = {"NOP",   "DOWN",   "INIT",
					    "ARMED", "ACTIVE", "ACTIVE_DEFER"};

	return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static json_t *port_json(struct dvx_dev *dev, uint8_t number)
{
	struct dvx_port port;

	if (dvx_dev_port(dev, number, &port))
		return json_pack("{si ss}", "number", number, "error", library_error());
	return json_pack("{si ss ss si sI sI sI sI}", "number", number, "state",
			 list_state_name(port.state), "link_layer",
			 port.ethernet ? "Ethernet" : "InfiniBand", "lid", port.lid, "mtu",
			 (json_int_t)port.mtu, "max_mtu", (json_int_t)port.max_mtu, "mbps",
			 (json_int_t)port.mbps, "gid_entries", (json_int_t)port.gids);
}

static void add_opened(json_t *d, struct dvx_dev *dev)
{
	const struct dvx_caps *caps = dvx_dev_caps(dev);
	json_t *ports = json_array();
	struct dvx_ident ident;

	if (!dvx_dev_ident(dev, &ident)) {
		json_object_set_new(d, "firmware", json_string(ident.firmware));
		json_object_set_new(d, "board", json_string(ident.board));
		json_object_set_new(d, "part_id", json_integer(ident.part_id));
	}
	json_object_set_new(d, "vhca_id", json_integer(caps->vhca_id));
	json_object_set_new(d, "numa_node", json_integer(dvx_dev_node(dev)));
	for (unsigned int p = 1; p <= caps->num_ports; p++)
		json_array_append_new(ports, port_json(dev, (uint8_t)p));
	json_object_set_new(d, "ports", ports);
}

static json_t *device_json(const struct dvx_dev_info *info)
{
	struct dvx_dev *dev;
	char guid[24];
	json_t *d;

	snprintf(guid, sizeof(guid), "0x%016" PRIx64, info->guid);
	d = json_pack("{ss ss ss}", "name", info->name, "pci", info->pci, "guid", guid);
	if (dvx_dev_open(info->name, &dev)) {
		json_object_set_new(d, "error", json_string(library_error()));
		return d;
	}
	add_opened(d, dev);
	dvx_dev_close(dev);
	return d;
}

static const char *list_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && *s ? s : "?";
}

static int list_number(const json_t *o, const char *key)
{
	return (int)json_integer_value(json_object_get(o, key));
}

static void print_port(const json_t *p)
{
	if (json_object_get(p, "error")) {
		printf("  port %d: %s\n", list_number(p, "number"), list_text(p, "error"));
		return;
	}
	printf("  port %d: %s, %s, %g Gbit/s, MTU %d of %d, %d GID entries",
	       list_number(p, "number"), list_text(p, "state"), list_text(p, "link_layer"),
	       list_number(p, "mbps") / 1000.0, list_number(p, "mtu"), list_number(p, "max_mtu"),
	       list_number(p, "gid_entries"));
	if (list_number(p, "lid"))
		printf(", LID %d", list_number(p, "lid"));
	putchar('\n');
}

static void print_device(const json_t *d)
{
	size_t i;
	json_t *p;

	printf("%s  PCI %s  GUID %s\n", list_text(d, "name"), list_text(d, "pci"),
	       list_text(d, "guid"));
	if (json_object_get(d, "error")) {
		printf("  cannot be opened: %s (dvx-info doctor says more)\n",
		       list_text(d, "error"));
		return;
	}
	printf("  firmware %s, board %s, PCI device 0x%x, vhca_id %d, ", list_text(d, "firmware"),
	       list_text(d, "board"), (unsigned int)list_number(d, "part_id"),
	       list_number(d, "vhca_id"));
	if (list_number(d, "numa_node") < 0)
		puts("no NUMA node");
	else
		printf("NUMA node %d\n", list_number(d, "numa_node"));
	json_array_foreach(json_object_get(d, "ports"), i, p) print_port(p);
}

int info_cmd_list(const struct info_args *a)
{
	struct dvx_dev_info *infos;
	size_t n, i;
	json_t *all = json_array(), *d;

	if (dvx_dev_list(&infos, &n)) {
		message_print("%s", library_error());
		json_decref(all);
		return EXIT_INPUT;
	}
	for (i = 0; i < n; i++)
		json_array_append_new(all, device_json(&infos[i]));
	dvx_dev_list_free(infos);
	if (a->json)
		return json_out(all);
	json_array_foreach(all, i, d) print_device(d);
	json_decref(all);
	if (!n)
		puts("No mlx5 device; dvx-info doctor says what is missing.");
	return EXIT_DONE;
}
