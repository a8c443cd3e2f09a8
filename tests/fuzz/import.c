/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of other tools: whatever an import prints parses, and what it leaves out has a place; and
 * the rules' export comes back without a mistake.
 */
#include "fuzz.h"
#include "import/export.h"
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

static unsigned int accepted;

static void tell(void *arg, const struct rule *r, struct source_location at, const char *why)
{
	(void)arg;
	assert_true(r->line >= 1 && at.column >= 1);
	assert_true(why[0]);
}

/* Interfaces of vports, of which tc, testpmd and Open vSwitch have some. */
static const char all_ports[] = "0=uplink 1=vf0 2=vf1 3=vf2 eth0=vf3 "
				"vxlan0=uplink,02:00:00:00:00:01,02:00:00:00:00:02";
static const char *ports; /* of this input */

static void import_commands(const char *text, size_t len)
{
	struct import_ask ask = {.from = DIALECTS, .ports = ports};
	struct import_result r;

	if (!import_text(&ask, text, len, &r))
		assert_int_equal(r.left_out, 0);
	import_free(&r);
}

static void export_to(const char *tool, const struct ruleset *set)
{
	struct export_ask ask = {.tool = export_find(tool), .ports = ports};
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_true(export_rules(&ask, set, f, tell, NULL) >= 0);
	fclose(f);
	import_commands(text, n);
	free(text);
}

static void item(const struct import_item *i)
{
	struct ruleset set;

	assert_true(i->line >= 1 && i->column >= 1);
	if (!i->rule) {
		assert_true(i->reason < IMPORT_REASONS);
		return;
	}
	/* The table that a rule leads to is another item's. */
	assert_int_equal(
		(i->leads ? rules_parse_part(i->rule, strlen(i->rule), NULL, &set, NULL, NULL)
			  : rules_parse(i->rule, strlen(i->rule), &set, NULL, NULL)),
		0);
	assert_int_equal(set.n, 1);
	if (!i->leads) {
		export_to("tc", &set);
		export_to("testpmd", &set);
	}
	ruleset_free(&set);
	accepted++;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct import_ask ask = {.from = DIALECTS, .ports = ports = len & 1 ? all_ports : NULL};
	struct import_result r;
	int ret = import_text(&ask, (const char *)bytes, len, &r);

	assert_true(!ret || ret == -EPROTOTYPE);
	for (size_t i = 0; i < r.n && i < 5; i++)
		item(&r.item[i]);
	import_free(&r);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(accepted > inputs / 100);
}

const struct fuzz_target fuzz_target = {
	.corpus = "fuzz/corpus/import/*", .inputs = 300, .judge = judge};
