/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that explain understands what users paste: for each block of explain.corpus (lines of
 * public reports) its answer contains the expected facts. One process handles all blocks.
 */
#include "tests/test.h"
#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include "explain.h"
#include "forms.h"
#include "paste.h"

#define BLOCKS 100 /* with fewer, the file was not read */

struct block {
	char source[256];
	char text[16384];
	char wants[4096];
};

static char *corpus_read(void)
{
	const char *top = getenv("top_srcdir");
	char path[1024], *text = calloc(1, 1 << 20);
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/prm/explain.corpus", top ? top : ".");
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(text);
	assert_in_range(fread(text, 1, (1 << 20) - 1, in), 1000, (1 << 20) - 2);
	fclose(in);
	return text;
}

static void corpus_add(char *to, size_t size, const char *line, size_t n)
{
	size_t used = strlen(to);

	assert_true(used + n + 2 < size);
	memcpy(to + used, line, n);
	strcpy(to + used + n, "\n");
}

/* Finds the next block that has lines; false at the end. */
static bool corpus_next(const char **at, struct block *b)
{
	memset(b, 0, sizeof(*b));
	while (**at) {
		size_t n = strcspn(*at, "\n");
		const char *line = *at;

		*at += n + (line[n] == '\n');
		if (!n && *b->text)
			return true;
		if (!n)
			memset(b, 0, sizeof(*b));
		else if (!strncmp(line, "# ", 2))
			snprintf(b->source, sizeof(b->source), "%.*s", (int)n - 2, line + 2);
		else if (!strncmp(line, "= ", 2) || !strncmp(line, "=! ", 3))
			corpus_add(b->wants, sizeof(b->wants), line, n);
		else
			corpus_add(b->text, sizeof(b->text), line, n);
	}
	return *b->text;
}

/* Returns the output of dvx-prm explain for the text. */
static char *corpus_explain(char *text, size_t *found)
{
	const struct prm_args a = {.json = false};
	const struct wanted wanted = {.kind = NULL};
	char *failures = NULL;
	size_t size, len = paste_plain(text, strlen(text));
	struct explain_out out = {.text = open_memstream(&failures, &size)};
	struct hex hex;

	assert_non_null(out.text);
	hex_parse_some(&hex, text, len, NULL);
	*found = explain_text(&hex, text, len, &wanted, &a, &out);
	fclose(out.text);
	hex_free(&hex);
	return failures;
}

static bool corpus_check(struct block *b)
{
	size_t found;
	char *failures = corpus_explain(b->text, &found), *line = b->wants;
	bool ok = found > 0;

	for (; *line; line += strlen(line) + 1) {
		char *end = strchr(line, '\n');
		bool not = line[1] == '!';

		*end = 0;
		if (!strstr(failures, line + (not ? 3 : 2)) != not ) {
			print_message("%s: %s\n", b->source, line);
			ok = false;
		}
	}
	if (!ok)
		print_message("--- %s\n%s--- is told as\n%s\n", b->source, b->text, failures);
	free(failures);
	return ok;
}

/* A form that does not compile would never match, without a message. */
TEST(none, each_form_compiles_and_has_its_groups)
{
	for (size_t i = 0; i < form_count; i++) {
		size_t groups = strlen(forms[i].groups) - (strchr(forms[i].groups, 'E') != NULL);
		regex_t r;

		assert_int_equal(regcomp(&r, forms[i].pattern, REG_EXTENDED | REG_ICASE), 0);
		assert_in_range(groups, 0, r.re_nsub);
		assert_in_range(r.re_nsub, 0, FORMS_GROUPS - 1);
		for (const char *p = forms[i].key; *p; p++)
			assert_false(isupper((unsigned char)*p));
		regfree(&r);
	}
}

TEST(none, each_report_is_understood)
{
	char *text = corpus_read();
	const char *at = text;
	struct block *b = malloc(sizeof(*b));
	size_t blocks = 0, bad = 0;

	assert_non_null(b);
	while (corpus_next(&at, b)) {
		assert_true(*b->source && *b->wants);
		bad += !corpus_check(b);
		blocks++;
	}
	free(b);
	free(text);
	assert_int_equal(bad, 0);
	assert_in_range(blocks, BLOCKS, 10000);
}
