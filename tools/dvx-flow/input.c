/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/arena.h"
#include "rules/compile.h"
#include "rules/marks.h"
#include "dvx-flow.h"

#define STEP (64ul << 10)

static int input_read_all(int fd, char **text, size_t *len)
{
	size_t room = 0;
	ssize_t n;

	*text = NULL;
	*len = 0;
	do {
		if (room - *len < STEP) {
			char *grown = realloc(*text, room = room ? room * 2 : 2 * STEP);

			if (!grown)
				return -ENOMEM;
			*text = grown;
		}
		n = read(fd, *text + *len, room - *len - 1);
		if (n > 0)
			*len += (size_t)n;
		if (*len > RULES_BYTES_MAX)
			return -EFBIG;
	} while (n > 0 || (n < 0 && errno == EINTR));
	(*text)[*len] = 0;
	return n ? -errno : 0;
}

int file_load(const char *path, char **text, size_t *len)
{
	bool input = !strcmp(path, "-");
	int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int ret = fd < 0 ? -errno : input_read_all(fd, text, len);

	if (fd >= 0 && ret)
		free(*text);
	if (fd >= 0 && !input)
		close(fd);
	return ret;
}

int file_read(const char *path, char **text, size_t *len)
{
	int ret = file_load(path, text, len);

	if (ret)
		message_print("%s: %s", path, strerror(-ret));
	return ret;
}

const char *rules_file_name(const char *first, const char *file, char *buf, size_t size)
{
	const char *slash = strrchr(first, '/');

	if (!file[0])
		return first;
	snprintf(buf, size, "%.*s%s", slash ? (int)(slash + 1 - first) : 0, first, file);
	return buf;
}

/* Prints a mistake's line. Control characters of a file must not reach the terminal. */
static void mistake_print_source(const struct mistake *m)
{
	for (size_t i = 0; i < m->source_len; i++) {
		unsigned char c = (unsigned char)m->source[i];

		fputc(c == '\r' ? ' ' : (c < ' ' && c != '\t') || c == 0x7f ? '?' : c, stderr);
	}
}

/* Prints a caret below the word. Tabs of the line are repeated, so that columns agree. */
static void mistake_print_line(const struct mistake *m)
{
	const char *p = m->source, *end = p + m->source_len;

	fputs("    ", stderr);
	mistake_print_source(m);
	fputs("\n    ", stderr);
	for (uint32_t c = 1; c < m->column && p < end; p++)
		if ((*p & 0xc0) != 0x80) {
			fputc(*p == '\t' ? '\t' : ' ', stderr);
			c++;
		}
	fputc('^', stderr);
	for (uint32_t i = 1; i < m->width; i++)
		fputc('~', stderr);
	fputc('\n', stderr);
}

#define LINE_SHOWN 400

void mistake_print(const char *name, const struct mistake *m)
{
	fprintf(stderr, "%s:%u:%u: %s\n", name, m->line, m->column, m->text);
	message_set_place(name, m->line, m->column);
	message_record("%s:%u:%u: %s", name, m->line, m->column, m->text);
	if (m->source_len <= LINE_SHOWN)
		mistake_print_line(m);
}

/* Prints a mistake. Its line in the whole text becomes the line of its file. */
static void input_print(const struct rules_text *s, struct mistake *m)
{
	char name[PATH_MAX + MARK_NAME_MAX];
	struct mark_name at;

	marks_name(s->text, s->len, m->line, &at);
	m->line = at.line;
	mistake_print(rules_file_name(s->name, at.file, name, sizeof(name)), m);
}

static void input_on_mistake(void *arg, const struct mistake *m)
{
	struct mistake copy = *m;

	input_print(arg, &copy);
}

static void take_line(const struct rules_text *s, uint32_t line, struct mistake *m)
{
	const char *p = s->text + rules_mark(s->text, s->len), *end = s->text + s->len, *stop;

	if (line && line <= s->nlines)
		p = s->line[line - 1];
	else
		while (--line && (p = memchr(p, '\n', (size_t)(end - p))))
			p++;
	m->source = p ? p : end;
	stop = memchr(m->source, '\n', (size_t)(end - m->source));
	m->source_len = (size_t)((stop ? stop : end) - m->source);
}

bool rules_find_lines(struct rules_text *s)
{
	const char *p = s->text + rules_mark(s->text, s->len), *end = s->text + s->len;

	while (p) {
		if (!array_grow((void **)&s->line, s->nlines, &s->room, sizeof(*s->line)))
			return false;
		s->line[s->nlines++] = p;
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	return true;
}

/* Returns the number of characters of the word at this column. */
static uint32_t word_width(const struct mistake *m)
{
	const char *p = m->source, *end = p + m->source_len;
	uint32_t width = 0;

	for (uint32_t c = 1; p < end && (c < m->column || !strchr(" \t\r", *p)); p++)
		if ((*p & 0xc0) != 0x80) {
			width += c >= m->column;
			c++;
		}
	return width ? width : 1;
}

void rules_point(const struct rules_text *s, uint32_t line, uint32_t column, const char *what)
{
	struct mistake m = {.line = line, .column = column};

	snprintf(m.text, sizeof(m.text), "%s", what);
	take_line(s, line, &m);
	m.width = word_width(&m);
	if (s->nlines) /* another tool's text, which includes no file of dvx-flow */
		mistake_print(s->name, &m);
	else
		input_print(s, &m);
}

static int input_result(const char *name, int ret)
{
	if (name && ret < 0)
		message_print("%s: %s", name, strerror(-ret));
	if (name && ret == MISTAKES_MAX)
		message_print("%s: the first %d mistakes are listed; there may be more", name,
			      MISTAKES_MAX);
	return ret;
}

int rules_read(const char *name, const char *text, size_t len, struct ruleset *set)
{
	struct rules_text s = {.name = name, .text = text, .len = len};

	return input_result(name, rules_parse(text, len, set, name ? input_on_mistake : NULL, &s));
}

int rules_read_part(const char *name, const char *text, size_t len, struct ruleset *set)
{
	struct rules_text s = {.name = name, .text = text, .len = len};

	return input_result(
		name, rules_parse_part(text, len, NULL, set, name ? input_on_mistake : NULL, &s));
}

void compile_why(const struct ruleset *set, int err, size_t wrong, char *why, size_t size)
{
	struct program p;
	struct ruleset one = {.rule = &(struct rule){0}, .n = 1};
	size_t unused;

	if (err == -EMLINK)
		snprintf(why, size,
			 "packets would pass more than %u tables (each mirror and each goto begins "
			 "one)",
			 TABLES_DEEP);
	else if (err != -E2BIG)
		snprintf(why, size, "%s", strerror(-err));
	if (err != -E2BIG)
		return;
	/* Is this rule alone too much? */
	one.rule[0] = set->rule[wrong];
	one.rule[0].table = 0;
	one.rule[0].verdict = RULE_DROP;
	err = rules_compile(&one, &p, &unused);
	program_free(&p);
	if (err)
		snprintf(why, size,
			 "the lists, ranges and negations of this rule multiply to more than %u "
			 "entries (what is excepted can be a rule above instead)",
			 RULE_ENTRIES_MAX);
	else
		snprintf(why, size,
			 "the rules up to here need more than %u matchers; rules that compare the "
			 "same fields next to each other need fewer",
			 MATCHERS_MAX);
}
