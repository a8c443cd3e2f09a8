/* SPDX-License-Identifier: BSD-2-Clause */
/* Random changes for random rules. Most of their values are those of random packets. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "flow_random_values.h"

static const uint16_t change_ports[] = {1, 53, 80, 443, 5000, 65535, 4789, 4790, 6081};
static const uint8_t change_ttls[] = {1, 64, 255};
static const char *const change_dscps[] = {"af41", "ef", "cs0", "63"};

struct change_line {
	struct dice *d;
	char *text;
	size_t size;
};

static bool change_chance(struct change_line *l, uint32_t percent)
{
	return chance(l->d, percent);
}

static void __attribute__((format(printf, 2, 3)))
change_printf(struct change_line *l, const char *fmt, ...)
{
	size_t at = strlen(l->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text + at, l->size - at, fmt, ap);
	va_end(ap);
}

static const char *change_side(struct change_line *l)
{
	return change_chance(l, 50) ? "src" : "dst";
}

static void change_ip(struct change_line *l, bool six)
{
	if (six)
		change_printf(l, " set ipv6 %s 2001:db8:0:1::%x", change_side(l),
			   1 + dice_roll(l->d, 0xffff));
	else
		change_printf(l, " set ipv4 %s 10.%u.%u.%u", change_side(l), dice_roll(l->d, 2),
			   dice_roll(l->d, 256), dice_roll(l->d, 4));
	if (change_chance(l, 30))
		change_printf(l, " dec ttl");
	else if (change_chance(l, 30))
		change_printf(l, " set ttl %u", PICK(l->d, change_ttls));
	if (change_chance(l, 30))
		change_printf(l, " set dscp %s", PICK(l->d, change_dscps));
}

static void change_tags(struct change_line *l, bool tagged)
{
	if (tagged && change_chance(l, 60))
		change_printf(l, " pop vlan");
	if (change_chance(l, 40))
		change_printf(l, " push vlan %u pcp %u", 1 + dice_roll(l->d, 5), dice_roll(l->d, 8));
}

/* Rewrites fields. A port may become a tunnel's: the packet is then parsed anew. */
static void change_fields(struct change_line *l, bool tagged)
{
	bool six = strstr(l->text, " ipv6"), tcp = strstr(l->text, " tcp");

	if (change_chance(l, 30))
		change_printf(l, " set eth %s 02:00:00:00:01:%02x", change_side(l),
			   dice_roll(l->d, 4));
	if ((six || strstr(l->text, " ipv4")) && change_chance(l, 60))
		change_ip(l, six);
	if ((tcp || strstr(l->text, " udp")) && change_chance(l, 60))
		change_printf(l, " set %s %s port %u", tcp ? "tcp" : "udp", change_side(l),
			   PICK(l->d, change_ports));
	if (tagged && change_chance(l, 25))
		change_printf(l, " set vlan %u", 1 + dice_roll(l->d, 5));
}

void random_changes(struct dice *d, char *text, size_t size, bool all)
{
	struct change_line l = {d, text, size};
	bool tagged = strstr(text, "vlan");

	if (strstr(text, "drop") || change_chance(&l, 40))
		return;
	if (all &&
	    (strstr(text, " vxlan") || strstr(text, " geneve") || strstr(text, " nvgre") ||
	     strstr(text, " gretap")) &&
	    change_chance(&l, 70)) {
		change_printf(&l, " decap");
		return;
	}
	change_fields(&l, tagged);
	if (all)
		change_tags(&l, tagged);
}
