/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-verify.h"
#include <jansson.h>
#include <stdio.h>
#include "config.h"
#include "tools/cli/json.h"

const char *const verdict_names[VERDICTS] = {"settled", "contradicted", "open"};

void results_row(const struct statement *r, const struct answer *a)
{
	printf("%-12s  %s\n", verdict_names[a->verdict], r->id);
	if (a->verdict == VERDICT_CONTRADICTED)
		printf("              stated: %s\n", r->claim);
	if (a->verdict != VERDICT_SETTLED)
		printf("              %s %s\n",
		       a->verdict == VERDICT_OPEN ? "reason:" : "  seen:", a->text);
	fflush(stdout);
}

/* Counts rows of the whole table that only a person can settle. */
static size_t results_by_hand(void)
{
	size_t n = 0;

	for (size_t i = 0; i < row_count; i++)
		n += !row_has_check(&rows[i]);
	return n;
}

void results_end(const struct results *r, const char *file)
{
	const struct subject *s = &r->subject;

	printf("\nPCI device 0x%x, firmware %s, board %s\n", s->part_id, s->firmware, s->board);
	printf("%zu settled, %zu contradicted, %zu open; %zu more are for the hand (--list)\n",
	       r->by_verdict[VERDICT_SETTLED], r->by_verdict[VERDICT_CONTRADICTED],
	       r->by_verdict[VERDICT_OPEN], results_by_hand());
	printf("Please send %s: it has all of this, and no names or addresses.\n", file);
}

static json_t *results_row_json(const struct statement *r, const struct answer *a)
{
	return json_pack("{s:s, s:s, s:s, s:i, s:s}", "row", r->id, "verdict",
			 verdict_names[a->verdict], "text", a->text, "weight", (int)r->weight,
			 "claim", r->claim);
}

static json_t *results_subject_json(const struct subject *s)
{
	return json_pack("{s:i, s:i, s:s, s:s, s:s, s:s}", "pci_device", (int)s->part_id, "hw_ver",
			 (int)s->hw_ver, "firmware", s->firmware, "board", s->board, "kernel",
			 s->kernel, "machine", s->machine);
}

json_t *results_json(const struct results *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(list, results_row_json(r->rows[i], &r->answers[i]));
	return json_pack("{s:s, s:o, s:I, s:I, s:I, s:o}", "version", PACKAGE_VERSION, "device",
			 results_subject_json(&r->subject), "settled",
			 (json_int_t)r->by_verdict[VERDICT_SETTLED], "contradicted",
			 (json_int_t)r->by_verdict[VERDICT_CONTRADICTED], "open",
			 (json_int_t)r->by_verdict[VERDICT_OPEN], "rows", list);
}

int results_list(const struct results *r)
{
	const char *group = "";

	for (size_t i = 0; i < r->count; i++) {
		const struct statement *row = r->rows[i];

		if (row->group != group)
			printf("%s%s\n", i ? "\n" : "", row->group);
		group = row->group;
		printf("  %s (weight %u)\n    %s\n", row->id, row->weight, row->claim);
		if (!row_has_check(row))
			printf("    by hand: %s%s%s%s\n", row->hand, row->needs ? " (needs " : "",
			       row->needs ? row->needs : "", row->needs ? ")" : "");
	}
	return EXIT_DONE;
}

int results_list_json(const struct results *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->count; i++) {
		const struct statement *row = r->rows[i];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:i, s:b, s:s, s:s, s:s, s:s*}", "row", row->id,
					"group", row->group, "weight", (int)row->weight, "checked",
					row_has_check(row), "claim", row->claim, "where",
					row->where, "hand", row->hand, "needs", row->needs));
	}
	return json_out(list);
}
