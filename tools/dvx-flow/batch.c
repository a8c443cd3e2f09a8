/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "rules/arena.h"

/* --- names of rules ---------------------------------------------------------------------------- */

/* Parses a rule's ID, or a range of them: 5, 5-9. Returns NULL if the text is something else. */
static json_t *batch_ids(const char *text)
{
	unsigned long first, last;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	first = strtoul(text, &end, 10);
	if (!*end)
		return json_integer((json_int_t)first);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return NULL;
	last = strtoul(end + 1, &end, 10);
	return *end ? NULL : json_pack("[I, I]", (json_int_t)first, (json_int_t)last);
}

json_t *batch_id_or_name(const char *text)
{
	json_t *ids = batch_ids(text);

	return ids ? ids : json_string(text);
}

/* Returns whether the operands are one rule: names have no blank, and no rule is one word. */
static bool batch_is_rule(const char *text, char *const *words, int n)
{
	struct ruleset set;
	bool is = n == 1 && strchr(words[0], ' ');

	if (!rules_read_part(NULL, text, strlen(text), &set)) {
		is = true;
		ruleset_free(&set);
	}
	return is;
}

json_t *batch_rules(const char *text, char *const *words, int n)
{
	json_t *list = json_array();
	int ret = 0;

	if (batch_is_rule(text, words, n))
		ret = json_array_append_new(list, json_string(text));
	else
		for (int i = 0; i < n && !ret; i++)
			ret = json_array_append_new(list, batch_id_or_name(words[i]));
	if (ret)
		json_decref(list);
	return ret ? NULL : list;
}

/* --- lines ------------------------------------------------------------------------------------- */

#define BATCH_BLANKS " \t\r\f"

static const struct {
	const char *words; /* with one blank between them */
	const char *usage;
} batch_commands[BATCH_COMMANDS] = {
	[BATCH_ADD] = {"add", "add RULE"},
	[BATCH_INSERT] = {"insert before", "insert before ID|NAME RULE"},
	[BATCH_REPLACE] = {"replace", "replace ID|NAME RULE"},
	[BATCH_DEL] = {"del", "del ID...|NAME...|RULE"},
};

/* A line of the text; it is changed in place. */
struct batch_line {
	struct batch *b;
	char *p, *end; /* the next byte; behind the last one, without a comment */
	uint32_t line, column;
	struct flow_fault *f;
};

static void batch_step(struct batch_line *l)
{
	l->column += (*l->p++ & 0xc0) != 0x80;
}

static void batch_skip(struct batch_line *l)
{
	while (l->p < l->end && strchr(BATCH_BLANKS, *l->p))
		batch_step(l);
}

static int batch_fault(struct batch_line *l, enum batch_command command)
{
	flow_fault_set(l->f, EXIT_RULES, "write: %s", batch_commands[command].usage);
	l->f->line = l->line;
	l->f->column = l->column;
	return -1;
}

static size_t batch_word(const struct batch_line *l)
{
	size_t n = 0;

	while (l->p + n < l->end && !strchr(BATCH_BLANKS, l->p[n]))
		n++;
	return n;
}

/* Puts blanks in place of the next `n` bytes. */
static void batch_blank(struct batch_line *l, size_t n)
{
	for (char *to = l->p + n; l->p < to;) {
		char *at = l->p;

		batch_step(l);
		*at = ' ';
	}
}

/* Takes a command's words. Returns whether the line begins with them. */
static bool batch_take(struct batch_line *l, const char *words)
{
	struct batch_line at = *l;

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		batch_skip(&at);
		if (batch_word(&at) != n || strncmp(at.p, words, n) != 0)
			return false;
		at.p += n;
	}
	batch_blank(l, (size_t)(at.p - l->p));
	batch_skip(l);
	return true;
}

static int batch_no_memory(struct batch_line *l)
{
	return flow_fault_set(l->f, EXIT_INPUT, "%s", strerror(ENOMEM));
}

static int batch_keep(struct batch_line *l, struct batch_edit e)
{
	struct batch *b = l->b;

	if (!array_grow((void **)&b->edit, b->n, &b->room, sizeof(*b->edit))) {
		json_decref(e.which);
		return batch_no_memory(l);
	}
	b->edit[b->n++] = e;
	return 0;
}

/* Reads the rule that a command names. */
static int batch_place(struct batch_line *l, enum batch_command command)
{
	struct batch_edit e = {command, l->line, l->column, NULL};
	size_t n = batch_word(l);
	char *name = strndup(l->p, n);

	if (!name)
		return batch_no_memory(l);
	e.which = n ? batch_id_or_name(name) : NULL;
	free(name);
	batch_blank(l, n);
	batch_skip(l);
	if (e.which && !json_is_array(e.which) && l->p < l->end)
		return batch_keep(l, e);
	json_decref(e.which);
	l->column = e.column;
	return batch_fault(l, command);
}

/* Reads operands of del: `text' is a copy of the line's rest. */
static int batch_del_words(struct batch_line *l, char *text)
{
	struct batch_edit e = {BATCH_DEL, l->line, l->column, NULL};
	char **words = calloc(strlen(text) + 1, sizeof(*words)), *joined = strdup(text);
	int n = 0;

	for (char *save, *w = words ? strtok_r(text, BATCH_BLANKS, &save) : NULL; w;
	     w = strtok_r(NULL, BATCH_BLANKS, &save))
		words[n++] = w;
	if (words && joined && n) {
		words_join(joined, strlen(joined) + 1, words, n);
		e.which = batch_rules(joined, words, n);
	}
	free(joined);
	free(words);
	batch_blank(l, (size_t)(l->end - l->p));
	if (!n)
		return batch_fault(l, BATCH_DEL);
	return e.which ? batch_keep(l, e) : batch_no_memory(l);
}

static int batch_del(struct batch_line *l)
{
	char *text = strndup(l->p, (size_t)(l->end - l->p));
	int ret = text ? batch_del_words(l, text) : batch_no_memory(l);

	free(text);
	return ret;
}

static int batch_line(struct batch_line *l)
{
	int c = 0;

	batch_skip(l);
	while (c < BATCH_COMMANDS && !batch_take(l, batch_commands[c].words))
		c++;
	if (c == BATCH_DEL)
		return batch_del(l);
	if (c == BATCH_INSERT || c == BATCH_REPLACE)
		return batch_place(l, (enum batch_command)c);
	return c == BATCH_ADD && l->p == l->end ? batch_fault(l, BATCH_ADD) : 0;
}

/* Returns the end of the line without its comment. */
static char *batch_end(char *p, char *end)
{
	bool quoted = false;

	for (; p < end && (*p != '#' || quoted); p++)
		quoted ^= *p == '"';
	return p;
}

int batch_read(const char *text, size_t len, struct batch *b, struct flow_fault *f)
{
	bool goes_on = false;
	uint32_t line = 1;
	char *p, *next;
	int ret = 0;

	*b = (struct batch){.rules = malloc(len + 1), .len = len};
	if (!b->rules)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	memcpy(b->rules, text, len);
	b->rules[len] = 0;
	for (p = b->rules + rules_mark(text, len); p < b->rules + len && !ret; p = next, line++) {
		char *end = memchr(p, '\n', (size_t)(b->rules + len - p));
		struct batch_line l = {.b = b, .p = p, .line = line, .column = 1, .f = f};

		end = end ? end : b->rules + len;
		next = end + 1;
		l.end = batch_end(p, end);
		if (!goes_on)
			ret = batch_line(&l);
		while (end > p && strchr(BATCH_BLANKS, end[-1]))
			end--;
		goes_on = end > p && end[-1] == '\\' && l.end >= end;
	}
	return ret;
}

void batch_free(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		json_decref(b->edit[i].which);
	free(b->edit);
	free(b->rules);
}
