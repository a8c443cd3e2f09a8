/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(m)    #m, offsetof(struct profile, m), sizeof(((struct profile *)0)->m)
#define FLAG(m)	     MEMBER(m), 0, 1
#define NAME_MAX_LEN 32u
#define SETTING_CHIP "chip"

/*
 * Settings. Their ranges allow only chips that can exist: field widths of the PRM, room for the
 * numbers that obj.c reserves, and id spaces of 24 bits without all ones. QPs have numbers below
 * those of other queues (types.def, fw/reserved_qpn.c).
 */
static const struct setting {
	const char *name;
	size_t at, bytes; /* its place: a bool, a byte or a uint16_t */
	uint16_t min, max;
	const char *meaning;
} settings[] = {
	{FLAG(dma_mmo), "DMA copy engine of QPs (dma_mmo_qp)"},
	{MEMBER(log_dma_mmo_max_size), 0, 31, "its longest copy; 0: reports no limit"},
	{FLAG(cross_vhca), "aliases of other functions' mkeys"},
	{FLAG(allow_mkey), "mkeys may be exported to functions"},
	{FLAG(alias_bad_status), "a refused alias is made, but bad"},
	{MEMBER(min_mkey_log_entity_size), 0, 31, "least mkc.log_page_size; 0: 12"},
	{MEMBER(log_max_qp), 7, 21, "QPs of a function, 64 reserved"},
	{MEMBER(log_max_cq), 1, 23, "CQs of a function, 1 reserved"},
	{MEMBER(log_max_mkey), 4, 23, "mkeys of a function, 8 reserved"},
	{MEMBER(log_max_pd), 3, 23, "PDs of a function, 1 reserved"},
	{MEMBER(log_max_qp_sz), 4, 15, "blocks of a send queue"},
	{MEMBER(log_max_cq_sz), 4, 22, "entries of a CQ"},
	{MEMBER(log_max_msg), 12, 30, "bytes of a message"},
	{MEMBER(log_ste_icm), 26, 34, "bytes of steering memory"},
	{MEMBER(log_max_flow_counter), 8, 20, "flow counters, block 0 reserved"},
	{FLAG(sw_owner_rx), "software writes receive tables"},
	{FLAG(sw_owner_tx), "software writes transmit tables"},
	{FLAG(match_definers), "entries that match by definers"},
	{FLAG(parse_graph), "flex parsers of software's headers"},
	{FLAG(fl_rc_qp), "QPs that force loopback (ads.fl)"},
	{FLAG(crypto), "encrypted mkeys (AES-XTS)"},
	{FLAG(crypto_wrapped), "keys come wrapped, after a login"},
	{FLAG(wqe_inline_l2), "raw sends must carry layer 2 inline"},
	{FLAG(strict_doorbells), "a doorbell starts its queue only"},
	{MEMBER(sq_ts_format), 0, 2, "SQs: 0 ticks, 1 time, 2 both"},
	{MEMBER(rq_ts_format), 0, 2, "RQs: clocks of timestamps"},
	{MEMBER(qp_ts_format), 0, 2, "QPs: clocks of timestamps"},
	{MEMBER(vfs), 0, PROFILE_MAX_VFS, "virtual functions of the host's PF"},
	{MEMBER(sfs), 0, PROFILE_MAX_VFS, "sub-functions of the switch's manager"},
	{FLAG(switchdev), "e-switch by rules, not by address"},
	{MEMBER(vxlan_port), 0, 65535, "UDP port of VXLAN beside 4789"},
	{FLAG(old_kernel), "< 5.19: hides status and syndrome"},
	{FLAG(memlock), "RLIMIT_MEMLOCK counts"},
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static const struct setting *setting_find(const char *name)
{
	for (size_t i = 0; i < NSETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

static int unknown(const char *name, char *why)
{
	int n = snprintf(why, SETTING_WHY, "there is no setting \"%s\"; there are " SETTING_CHIP,
			 name);

	for (size_t i = 0; i < NSETTINGS && n < SETTING_WHY; i++)
		n += snprintf(why + n, SETTING_WHY - (size_t)n, ", %s", settings[i].name);
	return -1;
}

static int setting_set(struct profile *p, const struct setting *s, const char *value, char *why)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || v < s->min || v > s->max) {
		snprintf(why, SETTING_WHY, "%s=%.32s: the value must be a number from %u to %u",
			 s->name, value, s->min, s->max);
		return -1;
	}
	if (s->bytes == sizeof(uint16_t))
		*(uint16_t *)((char *)p + s->at) = (uint16_t)v;
	else
		*((uint8_t *)p + s->at) = (uint8_t)v;
	return 0;
}

static int setting_chip(struct profile *p, const char *value, char *why)
{
	const struct profile *chip;
	int n;

	for (size_t i = 0; (chip = profile_chip(i)) != NULL; i++)
		if (!strcmp(chip->name, value)) {
			*p = *chip;
			return 0;
		}
	n = snprintf(why, SETTING_WHY, SETTING_CHIP "=%.32s: the chips are", value);
	for (size_t i = 0; (chip = profile_chip(i)) != NULL && n < SETTING_WHY; i++)
		n += snprintf(why + n, SETTING_WHY - (size_t)n, "%s %s", i ? "," : "", chip->name);
	return -1;
}

/* Applies an item if it is a chip, or if it is none. */
static int apply_one(struct profile *p, const char *item, size_t len, bool chips, char *why)
{
	char text[2 * NAME_MAX_LEN], *value;
	const struct setting *s;
	bool chip;

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text)), item);
	value = strchr(text, '=');
	if (len >= sizeof(text) || !value || value == text) {
		snprintf(why, SETTING_WHY, "\"%s\" is not NAME=VALUE", text);
		return -1;
	}
	*value++ = 0;
	chip = !strcmp(text, SETTING_CHIP);
	if (chip != chips)
		return 0;
	if (chip)
		return setting_chip(p, value, why);
	s = setting_find(text);
	return s ? setting_set(p, s, value, why) : unknown(text, why);
}

static int apply_all(struct profile *p, const char *text, bool chips, char *why)
{
	for (;;) {
		size_t len = strcspn(text, ",");

		if (apply_one(p, text, len, chips, why))
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

int settings_apply(struct profile *p, const char *text, char *why)
{
	struct profile changed = *p;

	if (apply_all(&changed, text, true, why) || apply_all(&changed, text, false, why))
		return -1;
	if (changed.vfs + changed.sfs > PROFILE_MAX_VFS) {
		snprintf(why, SETTING_WHY, "vfs=%u and sfs=%u: together at most %u", changed.vfs,
			 changed.sfs, PROFILE_MAX_VFS);
		return -1;
	}
	*p = changed;
	return 0;
}

int settings_check(const char *text, char *why)
{
	struct profile p = profile_bluefield2;

	return settings_apply(&p, text, why);
}

void settings_print(FILE *to)
{
	fprintf(to, "%-24s %7s %6s  %s\n", "NAME", "DEFAULT", "RANGE", "MEANING");
	fprintf(to, "%-24s %7s  one of", SETTING_CHIP, profile_bluefield2.name);
	for (size_t i = 0; profile_chip(i); i++)
		fprintf(to, " %s", profile_chip(i)->name);
	fputc('\n', to);
	for (size_t i = 0; i < NSETTINGS; i++) {
		const struct setting *s = &settings[i];
		uint8_t v = *((const uint8_t *)&profile_bluefield2 + s->at);
		char range[16];

		snprintf(range, sizeof(range), "%u-%u", s->min, s->max);
		fprintf(to, "%-24s %7u %6s  %s\n", s->name, v, range, s->meaning);
	}
	fprintf(to, "log_...: the number's base-2 logarithm.\n");
}
