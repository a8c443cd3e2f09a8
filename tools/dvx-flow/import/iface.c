/* SPDX-License-Identifier: BSD-2-Clause */
#include "iface.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/words.h"
#include "values.h"

/* --- the kernel's names ------------------------------------------------------------------------ */

/*
 * phys_port_name, alone or behind the uplink's name: udev joins them by `n' (enp3s0f0npf0vf1), other
 * rules count VFs (enp3s0f0_1). P is the device's port, V a VF, C the controller of a DPU's host.
 */
static const struct iface_row {
	const char *pattern;
	uint32_t vport;	 /* the first one's that V counts */
	bool short_name; /* stands directly behind a digit, never alone */
} iface_rows[] = {
	{"pP", DVX_FLOW_UPLINK, false}, {"pfPvfV", 1, false},	 {"pfPhpf", DVX_FLOW_PF, false},
	{"cCpfPvfV", 1, false},	     {"cCpfP", DVX_FLOW_PF, false}, {"fP_V", 1, true},
	{"fP", DVX_FLOW_UPLINK, true},
};
#define IFACE_ROWS (sizeof(iface_rows) / sizeof(iface_rows[0]))

/* Matches a whole text with a pattern. */
static bool iface_matches(const char *text, const struct iface_row *row, struct iface *i)
{
	*i = (struct iface){.vport = row->vport, .port = -1, .device = ""};
	for (const char *p = row->pattern; *p; p++) {
		unsigned long n;
		char *end;

		if (!isupper((unsigned char)*p)) {
			if (*text++ != *p)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return false;
		n = strtoul(text, &end, 10);
		if (n > 999 || end - text > 3)
			return false;
		text = end;
		i->port = *p == 'P' ? (int)n : i->port;
		i->vport += *p == 'V' ? (uint32_t)n : 0;
	}
	return !*text;
}

/* Returns the length of the device's name before a pattern at `at`, or -1 if none can be there. */
static long iface_before(const char *name, const char *at, const struct iface_row *row)
{
	long n = at - name;

	if (row->short_name)
		return n && isdigit((unsigned char)at[-1]) ? n : -1;
	if (!n)
		return 0;
	return n > 1 && at[-1] == 'n' && isdigit((unsigned char)at[-2]) ? n - 1 : -1;
}

static bool iface_of_kernel(const char *name, struct iface *i)
{
	for (size_t r = 0; r < IFACE_ROWS; r++)
		for (const char *at = name; *at; at++) {
			const struct iface_row *row = &iface_rows[r];
			long before = iface_before(name, at, row);

			if (before < 0 || !iface_matches(at, row, i))
				continue;
			i->device = name;
			/* enp3s0f0 and enp3s0f0_1 have the port's number in common. */
			i->device_bytes = (size_t)before;
			if (row->pattern[0] == 'f')
				i->device_bytes += strcspn(at, "_");
			return true;
		}
	return false;
}

bool iface_meets(const struct iface *a, const struct iface *b)
{
	if (a->port >= 0 && b->port >= 0 && a->port != b->port)
		return false;
	return !a->device_bytes || !b->device_bytes ||
	       (a->device_bytes == b->device_bytes &&
		!memcmp(a->device, b->device, a->device_bytes));
}

enum node_tunnel iface_tunnel(const char *name, uint64_t port)
{
	int by_port = TUNNEL_NONE;

	for (int t = TUNNEL_NONE + 1; t < TUNNELS; t++) {
		if (!tunnel_rows[t].ifaces)
			continue;
		if (names_begin(tunnel_rows[t].ifaces, name))
			return (enum node_tunnel)t;
		if (port && tunnel_rows[t].port == port)
			by_port = t;
	}
	return (enum node_tunnel)by_port;
}

/* --- --port ------------------------------------------------------------------------------------ */

/* Takes text up to one of the ends into a buffer. Returns what follows it, or NULL. */
static const char *port_part(const char *text, const char *ends, char *part, size_t size)
{
	size_t n = strcspn(text, ends);

	if (!n || n >= size)
		return NULL;
	memcpy(part, text, n);
	part[n] = 0;
	return text + n;
}

/* Parses a vport's name or number. */
static bool port_vport(const char *text, uint32_t *vport)
{
	uint64_t n = 0;
	bool ok = number_parse(text, 0, UINT16_MAX, &n);

	*vport = (uint32_t)n;
	return ok || !dvx_flow_vport_number(text, vport);
}

/* Parses VPORT[,MAC,MAC] up to a blank. */
static bool port_parse(const char *text, struct iface *i)
{
	char part[32];

	*i = (struct iface){.port = -1, .device = ""};
	text = port_part(text, ", ", part, sizeof(part));
	if (!text || !port_vport(part, &i->vport))
		return false;
	if (*text != ',')
		return true;
	i->has_hop = true;
	text = port_part(text + 1, ", ", part, sizeof(part));
	if (!text || *text != ',' || !mac_parse(part, &i->hop_src))
		return false;
	text = port_part(text + 1, ", ", part, sizeof(part));
	return text && *text != ',' && mac_parse(part, &i->hop_dst);
}

bool iface_port_is_right(const char *port)
{
	const char *value = strchr(port, '=');
	struct iface i;

	return value && value > port && !strchr(port, ' ') && port_parse(value + 1, &i);
}

bool iface_find(const char *ports, const char *name, struct iface *i)
{
	size_t n = strlen(name);

	for (const char *p = ports ? ports : ""; n && *p; p += strcspn(p, " "), p += *p == ' ')
		if (!strncmp(p, name, n) && p[n] == '=')
			return port_parse(p + n + 1, i);
	return iface_of_kernel(name, i);
}

/* Writes the name of a pattern of port 0. */
static bool iface_print(const struct iface_row *row, uint32_t vport, char *name, size_t size)
{
	size_t n = 0;

	for (const char *p = row->pattern; *p && n + 8 < size; p++)
		n += (size_t)(isupper((unsigned char)*p)
				      ? snprintf(name + n, size - n, "%u",
						 *p == 'V' ? vport - row->vport : 0)
				      : snprintf(name + n, size - n, "%c", *p));
	return true;
}

bool iface_name(const char *ports, uint32_t vport, bool kernel, char *name, size_t size)
{
	struct iface i;

	for (const char *p = ports ? ports : ""; *p; p += strcspn(p, " "), p += *p == ' ')
		if (port_parse(strchr(p, '=') + 1, &i) && i.vport == vport && !i.has_hop)
			return port_part(p, "=", name, size);
	for (size_t r = 0; kernel && r < 3; r++) {
		const struct iface_row *row = &iface_rows[r];
		bool counts = strchr(row->pattern, 'V');

		if (counts ? vport - row->vport < 1000 : vport == row->vport)
			return iface_print(row, vport, name, size);
	}
	return false;
}

static uint64_t mac_number(const uint8_t *mac)
{
	uint64_t n = 0;

	for (int i = 0; i < 6; i++)
		n = n << 8 | mac[i];
	return n;
}

bool iface_tunnel_name(const char *ports, enum node_tunnel tunnel, const uint8_t *src,
		       const uint8_t *dst, char *name, size_t size)
{
	struct iface i;

	for (const char *p = ports ? ports : ""; *p; p += strcspn(p, " "), p += *p == ' ')
		if (port_parse(strchr(p, '=') + 1, &i) && i.has_hop &&
		    i.hop_src == mac_number(src) && i.hop_dst == mac_number(dst) &&
		    port_part(p, "=", name, size) && iface_tunnel(name, 0) == tunnel)
			return true;
	return false;
}
