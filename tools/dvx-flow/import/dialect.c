/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognizes the tool that a text is for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "rules/arena.h"
#include "rules/words.h"

static bool own_looks(const struct tokens *line)
{
	return line->n > 1 && word_is_direction(line->token[1].text) &&
	       word_find(line->token[0].text, strlen(line->token[0].text));
}

#define DIALECT_BLANKS " \t\r\f"

static const struct dialect_row {
	const char *name;
	bool (*looks)(const struct tokens *line);
	void (*read)(struct import *im, struct token_reader *r);
	const char *marks, *blanks; /* as in struct token_reader */
} dialects[DIALECTS] = {
	[DIALECT_TC] = {"tc", tc_looks, tc_read, "", DIALECT_BLANKS},
	[DIALECT_ETHTOOL] = {"ethtool", ethtool_looks, ethtool_read, "", DIALECT_BLANKS},
	[DIALECT_TESTPMD] = {"testpmd", testpmd_looks, testpmd_read, "", DIALECT_BLANKS},
	[DIALECT_IPTABLES] = {"iptables", iptables_looks, iptables_read, "", DIALECT_BLANKS},
	[DIALECT_IP6TABLES] = {"ip6tables", ip6tables_looks, ip6tables_read, "", DIALECT_BLANKS},
	[DIALECT_NFT] = {"nft", nft_looks, nft_read, "{}();,&|<>=!",
			 /* A shell's quotes and escapes around commands. */
			 DIALECT_BLANKS "'\\"},
	[DIALECT_OVS] = {"ovs", ovs_looks, ovs_read, "", DIALECT_BLANKS},
	[DIALECT_DPCTL] = {"dpctl", dpctl_looks, dpctl_read, "", DIALECT_BLANKS},
	[DIALECT_OWN] = {"dvx-flow", own_looks, NULL, "", DIALECT_BLANKS},
};

static const struct {
	const char *id, *text;
} reasons[IMPORT_REASONS] = {
#define REASON(name, id, text) {id, text},
#include "reasons.def"
};

const char *reason_text(enum import_reason reason)
{
	return reasons[reason].text;
}

const char *reason_id(enum import_reason reason)
{
	return reasons[reason].id;
}

const char *dialect_name(enum import_dialect d)
{
	return dialects[d].name;
}

enum import_dialect dialect_find(const char *name)
{
	int d = 0;

	while (d < DIALECT_OWN && strcmp(dialects[d].name, name))
		d++;
	return d < DIALECT_OWN ? (enum import_dialect)d : DIALECTS;
}

static enum import_dialect dialect_of(const struct tokens *line)
{
	int d = 0;

	while (d < DIALECTS && !dialects[d].looks(line))
		d++;
	return (enum import_dialect)d;
}

void dialect_leave_line(struct import *im, const struct tokens *line)
{
	import_leave(im, &line->token[0], &line->token[0],
		     dialect_of(line) == DIALECTS ? REASON_UNKNOWN : REASON_DIALECT);
}

/* Returns whether lines of iptables-save, from here on, have words of IPv6 and none of IPv4. */
static bool dialect_is_six(struct token_reader r, bool *no_memory)
{
	struct tokens line = {0};
	unsigned int versions = 0;

	while (tokens_line(&r, &line))
		versions |= iptables_versions(&line);
	free(line.token);
	*no_memory |= r.no_memory;
	return versions == 2;
}

/*
 * Returns the dialect of a text: iptables-save and ip6tables-save write the same lines. Their
 * comments distinguish them, or else addresses and names.
 */
static enum import_dialect dialect_family(enum import_dialect d, enum import_dialect wanted,
					  const struct token_reader *r, bool *no_memory)
{
	uint8_t first = iptables_section(r->p, r->end);

	if (d != DIALECT_IPTABLES)
		return d;
	if (first ? first == 6 : wanted == DIALECT_IP6TABLES)
		return DIALECT_IP6TABLES;
	if (!first && wanted == DIALECTS && dialect_is_six(*r, no_memory))
		return DIALECT_IP6TABLES;
	return d;
}

/* Returns the dialect of the first line that has one, or `wanted` if a line is of that. */
static enum import_dialect dialect_guess(const struct token_reader *reader,
					 enum import_dialect wanted, bool *no_memory)
{
	struct token_reader r = *reader;
	enum import_dialect first = DIALECTS;
	struct tokens line = {0};

	r.marks = "";
	r.blanks = DIALECT_BLANKS;
	while (tokens_line(&r, &line)) {
		if (wanted != DIALECTS && dialects[wanted].looks(&line)) {
			first = wanted;
			break;
		}
		if (first == DIALECTS)
			first = dialect_of(&line);
		if (first != DIALECTS && wanted == DIALECTS)
			break;
	}
	free(line.token);
	*no_memory = r.no_memory;
	r.p = reader->p;
	return dialect_family(first, wanted, &r, no_memory);
}

static int dialect_compare(const void *a, const void *b)
{
	const struct import_item *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int import_text(const struct import_ask *ask, const char *text, size_t len,
		struct import_result *out)
{
	struct import im = {.ask = ask, .out = out};
	struct token_reader r = {
		.p = text, .end = text + len, .line = 1, .column = 1, .memory = arena_new()};

	*out = (struct import_result){.memory = r.memory, .dialect = DIALECTS};
	if (!r.memory)
		return -ENOMEM;
	out->dialect = dialect_guess(&r, ask->from, &im.no_memory);
	if (im.no_memory)
		return -ENOMEM;
	if (out->dialect >= DIALECT_OWN || (ask->from != DIALECTS && out->dialect != ask->from))
		return -EPROTOTYPE;
	r.marks = dialects[out->dialect].marks;
	r.blanks = dialects[out->dialect].blanks;
	dialects[out->dialect].read(&im, &r);
	if (out->n)
		qsort(out->item, out->n, sizeof(*out->item), dialect_compare);
	im.no_memory |= !import_tables(out);
	return im.no_memory || r.no_memory ? -ENOMEM : 0;
}

void import_free(struct import_result *out)
{
	free(out->item);
	arena_free(out->memory);
	*out = (struct import_result){0};
}
