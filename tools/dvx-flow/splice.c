/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * include: the client puts the text of all files together, because the daemon opens no file that a
 * client names. A file may name files in the first one's folder and below it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "rules/arena.h"
#include "rules/marks.h"
#include "dvx-flow.h"

/* Levels of files that include files. */
#define INCLUDES_DEEP 16u
#define INCLUDES_MAX  4096u

void rules_text_free(struct rules_text *s)
{
	free((char *)(uintptr_t)s->text);
	s->text = NULL;
}

/* A file whose lines are being taken, and the file that includes it. */
struct splice_file {
	const struct splice_file *by; /* NULL: this is the first file */
	const char *name;	      /* from the first file's folder; "": the first file */
	dev_t dev;
	ino_t ino;
	unsigned int depth;
	const char *text, *end; /* `end` is behind the last byte */
	/* the current line */
	const char *line, *line_end; /* without the newline */
	uint32_t number;
};

struct splice {
	const struct rules_text *first;
	char folder[PATH_MAX]; /* of the first file, with links resolved */
	char *out;
	size_t used, room;
	unsigned int files;
	int mistakes, failed; /* failed: an exit code */
};

/* --- messages ----------------------------------------------------------------------------------- */

static uint32_t splice_column(const struct splice_file *f, const char *p)
{
	uint32_t c = 1;

	for (const char *q = f->line; q < p; q++)
		c += (*q & 0xc0) != 0x80;
	return c;
}

/* Reports a mistake at from..to of the current line. */
static void splice_mistake(struct splice *s, const struct splice_file *f, const char *from,
			   const char *to, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static void splice_mistake(struct splice *s, const struct splice_file *f, const char *from,
			   const char *to, const char *fmt, ...)
{
	struct mistake m = {.line = f->number,
			    .column = splice_column(f, from),
			    .source = f->line,
			    .source_len = (size_t)(f->line_end - f->line)};
	char name[PATH_MAX];
	va_list ap;

	if (s->mistakes++ >= MISTAKES_MAX)
		return;
	m.width = splice_column(f, to) - m.column;
	m.width += !m.width;
	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	mistake_print(rules_file_name(s->first->name, f->name, name, sizeof(name)), &m);
}

/* --- the text ------------------------------------------------------------------------------------ */

static void splice_put(struct splice *s, const char *bytes, size_t n)
{
	while (!s->failed && s->used + n >= s->room) {
		size_t room = s->room ? s->room * 2 : 65536;
		char *grown = room > 2 * RULES_BYTES_MAX ? NULL : realloc(s->out, room);

		if (!grown) {
			message_print("%s: %s", s->first->name,
				      room > 2 * RULES_BYTES_MAX ? strerror(EFBIG)
								 : strerror(ENOMEM));
			s->failed = EXIT_INPUT;
			return;
		}
		s->out = grown;
		s->room = room;
	}
	if (s->failed)
		return;
	memcpy(s->out + s->used, bytes, n);
	s->used += n;
	s->out[s->used] = 0;
}

/* Adds a mark with the file and line of the next line. */
static void splice_mark(struct splice *s, const struct splice_file *f)
{
	char mark[PATH_MAX + 32];
	int n;

	if (s->used && s->out[s->used - 1] != '\n')
		splice_put(s, "\n", 1);
	if (f->name[0])
		n = snprintf(mark, sizeof(mark), "#line %u \"%s\"\n", f->number + 1, f->name);
	else
		n = snprintf(mark, sizeof(mark), "#line %u\n", f->number + 1);
	splice_put(s, mark, (size_t)n);
}

/* Returns whether the line goes on in the next one. */
static bool splice_goes_on(const struct splice_file *f)
{
	bool quoted = false;
	const char *end = f->line_end;

	for (const char *p = f->line; p < end; p++) {
		quoted ^= *p == '"';
		if (*p == '#' && !quoted)
			return false;
	}
	if (end > f->line && end[-1] == '\r')
		end--;
	return end > f->line && end[-1] == '\\';
}

static const char *splice_blanks(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\f", *p))
		p++;
	return p;
}

/* --- names --------------------------------------------------------------------------------------- */

/* Adds a part of a path. Returns false if it leads out of the folder. */
static bool splice_part(char *path, size_t size, const char *part, size_t n)
{
	char *slash = strrchr(path, '/');
	size_t used = strlen(path);

	if (!n || (n == 1 && part[0] == '.'))
		return true;
	if (n == 2 && !memcmp(part, "..", 2)) {
		if (!used)
			return false;
		*(slash ? slash : path) = 0;
		return true;
	}
	return (size_t)snprintf(path + used, size - used, "%s%.*s", used ? "/" : "", (int)n, part) <
	       size - used;
}

/* Writes the name, from the first file's folder, of the file that `by` calls `given`. */
static bool splice_name(const struct splice_file *by, const char *given, char *out, size_t size)
{
	const char *slash = strrchr(by->name, '/');

	snprintf(out, size, "%.*s", slash ? (int)(slash - by->name) : 0, by->name);
	while (*given) {
		size_t n = strcspn(given, "/");

		if (!splice_part(out, size, given, n))
			return false;
		given += n + (given[n] == '/');
	}
	return out[0];
}

/* Returns whether the path is in the folder, with all links resolved. */
static bool splice_inside(const struct splice *s, const char *real)
{
	size_t n = strlen(s->folder);

	return !strcmp(s->folder, "/") || (!strncmp(real, s->folder, n) && real[n] == '/');
}

static bool splice_find_folder(struct splice *s)
{
	char path[PATH_MAX];
	const char *slash = strrchr(s->first->name, '/');
	int n = slash ? (int)(slash - s->first->name) : 0;

	if (slash)
		snprintf(path, sizeof(path), "%.*s", n ? n : 1, s->first->name);
	return realpath(slash ? path : ".", s->folder);
}

/* --- include ------------------------------------------------------------------------------------- */

static void splice_file_lines(struct splice *s, struct splice_file *f);

/* Returns the including file that is this one, or NULL: an inclusion of it would never end. */
static const struct splice_file *splice_find_includer(const struct splice_file *f,
						      const struct stat *st)
{
	while (f && !(f->dev == st->st_dev && f->ino == st->st_ino))
		f = f->by;
	return f;
}

static void splice_text(struct splice *s, const struct splice_file *by, struct splice_file *f,
			const char *real)
{
	size_t len, plain_len;
	char *text, *plain;
	int ret = file_load(real, &text, &len);

	if (ret) {
		splice_mistake(s, by, by->line, by->line_end, "%s: %s", f->name, strerror(-ret));
		return;
	}
	plain = marks_plain(text + rules_mark(text, len), len - rules_mark(text, len), &plain_len);
	free(text);
	if (!plain) {
		s->failed = EXIT_INPUT;
		return;
	}
	f->text = plain;
	f->end = plain + plain_len;
	splice_mark(s, f);
	splice_file_lines(s, f);
	if (splice_goes_on(f))
		splice_mistake(s, f, f->line, f->line_end,
			       "the included file ends in the middle of a rule");
	free(plain);
}

/* Reports that the file `loop` would include itself by way of `by`. */
static void splice_loop(struct splice *s, const struct splice_file *by,
			const struct splice_file *loop, const char *from, const char *to)
{
	char a[PATH_MAX], b[PATH_MAX];
	const char *way = rules_file_name(s->first->name, by->name, b, sizeof(b));

	splice_mistake(s, by, from, to, "%.100s includes itself%s%.100s",
		       rules_file_name(s->first->name, loop->name, a, sizeof(a)),
		       loop == by ? "" : " by way of ", loop == by ? "" : way);
}

/* Includes a file. `from` to `to` is its name in the line. */
static void splice_include(struct splice *s, const struct splice_file *by, const char *given,
			   const char *from, const char *to)
{
	char name[MARK_NAME_MAX], path[2 * PATH_MAX], real[PATH_MAX];
	struct splice_file f = {.by = by, .name = name, .depth = by->depth + 1};
	const struct splice_file *loop;
	struct stat st;

	if (given[0] == '/')
		splice_mistake(s, by, from, to,
			       "an included file is named from the folder of the file that "
			       "includes it, without / at the beginning");
	else if (!splice_name(by, given, name, sizeof(name)))
		splice_mistake(s, by, from, to,
			       "\"%.80s\" leaves the folder of the first file; included files "
			       "are in it or below it",
			       given);
	else if (f.depth > INCLUDES_DEEP || s->files == INCLUDES_MAX)
		splice_mistake(s, by, from, to,
			       f.depth > INCLUDES_DEEP
				       ? "files include each other more than %u deep"
				       : "more than %u files are included",
			       f.depth > INCLUDES_DEEP ? INCLUDES_DEEP : INCLUDES_MAX);
	else if ((size_t)snprintf(path, sizeof(path), "%s/%s", s->folder, name) >= sizeof(path) ||
		 !realpath(path, real) || stat(real, &st))
		splice_mistake(s, by, from, to, "%.150s: %s", name, strerror(errno));
	else if (!splice_inside(s, real))
		splice_mistake(s, by, from, to,
			       "\"%.80s\" is a link out of the folder of the first file", name);
	else if (!S_ISREG(st.st_mode))
		splice_mistake(s, by, from, to, "\"%.80s\" is not a file", name);
	else if ((loop = splice_find_includer(by, &st)))
		splice_loop(s, by, loop, from, to);
	else {
		f.dev = st.st_dev;
		f.ino = st.st_ino;
		s->files++;
		splice_text(s, by, &f, real);
	}
}

/* Returns whether the line is an include; *p is behind the word then. */
static bool splice_is_include(const struct splice_file *f, const char **p)
{
	static const char word[] = "include";
	const char *at = splice_blanks(f->line, f->line_end);

	*p = at + sizeof(word) - 1;
	return f->line_end - at >= (ptrdiff_t)sizeof(word) - 1 &&
	       !strncasecmp(at, word, sizeof(word) - 1) &&
	       (*p == f->line_end || strchr(" \t\r\f\"#", **p));
}

/* Returns whether the name has no control characters, unfit for the terminal and the marks. */
static bool splice_name_is_right(const char *from, const char *to)
{
	for (const char *p = from; p < to; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return from < to && to - from < NAME_MAX * 4;
}

static void splice_statement(struct splice *s, const struct splice_file *f, const char *p)
{
	const char *end = f->line_end, *from = splice_blanks(p, end), *to, *rest;
	char given[NAME_MAX * 4];

	to = from < end && *from == '"' ? memchr(from + 1, '"', (size_t)(end - from - 1)) : NULL;
	rest = to ? splice_blanks(to + 1, end) : end;
	if (!to || !splice_name_is_right(from + 1, to)) {
		splice_mistake(s, f, from, end,
			       "expected a file's name in quotes: include \"web.flow\"");
	} else if (rest < end && *rest != '#') {
		splice_mistake(s, f, rest, end, "expected the line's end, not \"%.*s\"",
			       (int)(end - rest > 40 ? 40 : end - rest), rest);
	} else {
		snprintf(given, sizeof(given), "%.*s", (int)(to - from - 1), from + 1);
		splice_put(s, "# ", 2);
		splice_put(s, f->line, (size_t)(end - f->line));
		splice_put(s, "\n", 1);
		splice_include(s, f, given, from, to + 1);
		splice_mark(s, f);
	}
}

static void splice_file_lines(struct splice *s, struct splice_file *f)
{
	const char *p = f->text, *word;
	bool goes_on = false;

	for (f->number = 0; p < f->end && !s->failed; p = f->line_end + 1) {
		f->line = p;
		f->line_end = memchr(p, '\n', (size_t)(f->end - p));
		if (!f->line_end)
			f->line_end = f->end;
		f->number++;
		if (!goes_on && splice_is_include(f, &word))
			splice_statement(s, f, word);
		else
			splice_put(s, p, (size_t)(f->line_end - p) + (f->line_end < f->end));
		goes_on = splice_goes_on(f);
	}
}

/* Puts the included files into the text. Returns EXIT_DONE, or an exit code after messages. */
static int splice_includes(struct rules_text *s)
{
	struct splice splice = {.first = s};
	struct splice_file f = {.name = ""};
	struct stat st;
	size_t mark = rules_mark(s->text, s->len), len;
	char *text = marks_plain(s->text + mark, s->len - mark, &len);

	if (!text || !splice_find_folder(&splice)) {
		message_print("%s: %s", s->name, strerror(errno));
		free(text);
		return EXIT_INPUT;
	}
	if (!stat(s->name, &st)) {
		f.dev = st.st_dev;
		f.ino = st.st_ino;
	}
	f.text = text;
	f.end = text + len;
	splice_put(&splice, "", 0);
	splice_file_lines(&splice, &f);
	free(text);
	if (splice.failed || splice.mistakes) {
		free(splice.out);
		return splice.failed ? splice.failed : EXIT_RULES;
	}
	rules_text_free(s);
	s->text = splice.out;
	s->len = splice.used;
	return EXIT_DONE;
}

int rules_load(const char *path, struct rules_text *s)
{
	char *text;
	int ret;

	*s = (struct rules_text){.name = path};
	if (file_read(path, &text, &s->len))
		return EXIT_INPUT;
	s->text = text;
	if (rules_utf16(text, s->len))
		return EXIT_DONE;
	ret = splice_includes(s);
	if (ret)
		rules_text_free(s);
	return ret;
}
