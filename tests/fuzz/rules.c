/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of dvx-flow: accepted ones compile, and a rule's text parses to the same rule. */
#include "fuzz.h"
#include "rules/compile.h"

static unsigned int accepted;

static void tell(void *arg, const struct mistake *m)
{
	const char *const *text = arg;

	assert_true(m->line >= 1 && m->column >= 1 && m->width >= 1);
	assert_true(m->text[0] && m->source >= *text);
}

static void again(const struct rule *r)
{
	struct ruleset set;

	assert_int_equal(rules_parse(r->text, strlen(r->text), &set, NULL, NULL), 0);
	assert_int_equal(set.n, 1);
	assert_string_equal(set.rule[0].text, r->text);
	assert_int_equal(set.rule[0].nfields, r->nfields);
	assert_int_equal(set.rule[0].verdict, r->verdict);
	ruleset_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	struct ruleset set;
	struct program p;
	size_t wrong;

	if (rules_parse(text, len, &set, tell, &text))
		return 0;
	accepted += set.n != 0;
	for (size_t r = 0; r < set.n; r++)
		again(&set.rule[r]);
	if (!rules_compile(&set, &p, &wrong))
		program_free(&p);
	ruleset_free(&set);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(accepted > inputs / 100);
}

const struct fuzz_target fuzz_target = {
	.corpus = "fuzz/corpus/rules/*", .inputs = 6000, .judge = judge};
