/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes an access list for a daemon, packets for it, and how many of them each rule takes, in
 * order. Usage: acl SHAPE RULES PACKETS FOLDER, see acl_sets.h: writes FOLDER/rules,
 * FOLDER/packets.pcap and FOLDER/want, a JSON array that begins with the packets that no rule
 * takes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "acl_packets.h"
#include "acl_sets.h"
#include "tests/steer/flow_slow.h"

static FILE *flow_acl_file(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "wb");
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	return f;
}

static void flow_acl_close(FILE *f)
{
	if (ferror(f) || fclose(f))
		exit(2);
}

static void flow_acl_words(FILE *f, const uint32_t *word, size_t n)
{
	fwrite(word, sizeof(*word), n, f);
}

/* Writes a packet in the machine's byte order, which the first word shows. */
static void flow_acl_packet(FILE *f, const struct made_packet *p)
{
	flow_acl_words(f, (uint32_t[]){0, 0, p->len, p->len}, 4);
	fwrite(p->bytes, 1, p->len, f);
}

static size_t flow_acl_wanted(const struct ruleset *set, const struct made_packet *p)
{
	struct fields f = {.option = RANDOM_OPTION};
	const struct rule *rule;

	fields_of_frame(&f, p->bytes, p->len);
	rule = slow_match(set, RULE_IN, &f);
	return rule ? (size_t)(rule - set->rule) + 1 : 0;
}

static void flow_acl_packets(const struct ruleset *set, uint32_t packets, const char *folder)
{
	FILE *pcap = flow_acl_file(folder, "packets.pcap"), *want = flow_acl_file(folder, "want");
	uint32_t *count = calloc(set->n + 1, sizeof(*count));
	struct dice d = {99};

	flow_acl_words(pcap, (uint32_t[]){0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1}, 6);
	for (uint32_t i = 0; i < packets; i++) {
		struct made_packet p;

		corner_packet(&d, set, &p);
		flow_acl_packet(pcap, &p);
		count[flow_acl_wanted(set, &p)]++;
	}
	for (size_t i = 0; i <= set->n; i++)
		fprintf(want, "%c%u", i ? ',' : '[', count[i]);
	fputs("]\n", want);
	free(count);
	flow_acl_close(pcap);
	flow_acl_close(want);
}

int main(int argc, char **argv)
{
	struct ruleset set;
	FILE *rules;
	char *text;

	if (argc != 5)
		return 2;
	text = acl_set_text((enum acl_shape)atoi(argv[1]), (size_t)atol(argv[2]), 1);
	if (rules_parse(text, strlen(text), &set, NULL, NULL))
		return 2;
	rules = flow_acl_file(argv[4], "rules");
	fputs(text, rules);
	flow_acl_close(rules);
	flow_acl_packets(&set, (uint32_t)atol(argv[3]), argv[4]);
	ruleset_free(&set);
	free(text);
	return 0;
}
