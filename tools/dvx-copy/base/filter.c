/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wild.h"

struct filter_rule {
	char *text;	      /* "+ PATTERN" */
	char *pattern;	      /* without the slash at either end */
	bool include;	      /* includes what matches */
	bool dirs_only;	      /* the pattern ended in "/" */
	bool anchored;	      /* the pattern began with "/" */
	bool wild;	      /* has a wildcard */
	bool across;	      /* has "**", which matches slashes */
	bool leads, trails;   /* begins with "**", ends in "***" */
	unsigned int slashes; /* inside the pattern */
};

static void filter_forget(struct filter *f)
{
	while (f->n) {
		struct filter_rule *r = &f->rules[--f->n];

		free(r->text);
		free(r->pattern);
	}
}

void filter_free(struct filter *f)
{
	filter_forget(f);
	free(f->rules);
	only_free(f->only);
	free(f->path);
	*f = (struct filter){0};
}

/* Prepares the fields that filter_matches() reads from the pattern at text + 2. */
static int filter_parse(struct filter_rule *r)
{
	const char *p = r->text + 2;
	size_t n = strlen(p);

	r->include = r->text[0] == '+';
	r->leads = n > 1 && !memcmp(p, "**", 2);
	r->anchored = *p == '/';
	r->dirs_only = n > 1 && p[n - 1] == '/';
	r->pattern = strndup(p + r->anchored, n - r->anchored - r->dirs_only);
	if (!r->pattern)
		return -1;
	for (p = r->pattern; (p = strchr(p, '/')); p++)
		r->slashes++;
	r->wild = strpbrk(r->pattern, "*?[");
	r->across = strstr(r->pattern, "**");
	n = strlen(r->pattern);
	r->trails = n > 2 && !strcmp(r->pattern + n - 3, "***");
	return 0;
}

static int filter_push(struct filter *f, const char *pattern, bool include)
{
	size_t room = f->room ? 2 * f->room : 16, size = strlen(pattern) + 3;
	struct filter_rule *r;

	if (f->n == f->room) {
		r = realloc(f->rules, room * sizeof(*r));
		if (!r)
			return -1;
		f->rules = r;
		f->room = room;
	}
	r = &f->rules[f->n++];
	*r = (struct filter_rule){.text = malloc(size)};
	if (!r->text)
		return -1;
	snprintf(r->text, size, "%c %s", include ? '+' : '-', pattern);
	return filter_parse(r);
}

int filter_add(struct filter *f, const char *arg, bool include, struct copy_fault *fault)
{
	if (!strcmp(arg, "!")) {
		filter_forget(f);
		return 0;
	}
	if ((arg[0] == '+' || arg[0] == '-') && arg[1] == ' ') {
		include = arg[0] == '+';
		arg += 2;
	}
	if (!*arg)
		return copy_fail(fault, COPY_USAGE, "--%s: the pattern is empty",
				 include ? "include" : "exclude");
	if (strlen(arg) >= FILTER_PATTERN_MAX)
		return copy_fail(fault, COPY_USAGE, "--%s: the pattern is longer than %d bytes",
				 include ? "include" : "exclude", FILTER_PATTERN_MAX - 1);
	if (f->n == FILTER_RULES_MAX)
		return copy_fail(fault, COPY_USAGE, "more than %d rules to include and exclude",
				 FILTER_RULES_MAX);
	if (filter_push(f, arg, include))
		return copy_no_memory(fault);
	return 0;
}

int lines_each(const char *file, const char *zero, int (*each)(void *arg, const char *line),
	       void *arg, struct copy_fault *f)
{
	FILE *from = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int ret = 0;

	if (!from)
		return copy_fail(f, COPY_IO, "%s: %s", file, strerror(errno));
	while (!ret && (n = getline(&line, &room, from)) >= 0) {
		if (strlen(line) != (size_t)n)
			ret = copy_fail(f, COPY_USAGE, "%s", zero);
		line[strcspn(line, "\r\n")] = '\0';
		if (!ret && *line && *line != '#' && *line != ';')
			ret = each(arg, line);
	}
	free(line);
	if (!ret && ferror(from))
		ret = copy_fail(f, COPY_IO, "%s: cannot be read", file);
	if (from != stdin)
		fclose(from);
	return ret;
}

struct filter_lines {
	struct filter *filter;
	bool include;
	struct copy_fault *fault;
};

static int filter_add_line(void *arg, const char *line)
{
	const struct filter_lines *l = arg;

	return filter_add(l->filter, line, l->include, l->fault);
}

int filter_add_file(struct filter *f, const char *file, bool include, struct copy_fault *fault)
{
	struct filter_lines l = {f, include, fault};

	return lines_each(file,
			  include ? "--include-from: a byte of zero; each pattern is a line"
				  : "--exclude-from: a byte of zero; each pattern is a line",
			  filter_add_line, &l, fault);
}

const char *filter_text(const struct filter *f, size_t i)
{
	return i < f->n ? f->rules[i].text : only_text(f->only, i - f->n);
}

int filter_take(struct filter *f, const char *text, struct copy_fault *fault)
{
	const char sign = text[0], *known = "+-=~/";

	if (!sign || !strchr(known, sign) || text[1] != ' ')
		return copy_fail(fault, COPY_PROTOCOL,
				 "the client sent a filter rule that is neither \"+ PATTERN\" nor "
				 "\"- PATTERN\", nor a path of a list");
	return sign == '+' || sign == '-' ? filter_add(f, text, false, fault)
					  : only_add(&f->only, text, fault);
}

/* Returns where the last n names of a path begin, NULL if it has fewer. */
static const char *last_names(const char *path, unsigned int n)
{
	const char *p = path + strlen(path);

	while (p > path)
		if (*--p == '/' && !--n)
			return p + 1;
	return n == 1 ? path : NULL;
}

static bool filter_compare(const struct filter_rule *r, const char *text)
{
	return r->wild ? wild_match(r->pattern, text) : !strcmp(r->pattern, text);
}

/* Tries the pattern at every component of the path. */
static bool filter_compare_all(const struct filter_rule *r, const char *path)
{
	do {
		if (filter_compare(r, path))
			return true;
		path = strchr(path, '/');
	} while (path++);
	return false;
}

/* path has n bytes and a slash before them; one more byte may be written behind them. */
static bool filter_matches(const struct filter_rule *r, char *path, size_t n, bool is_dir)
{
	const char *names;

	if (r->dirs_only && !is_dir)
		return false;
	/* The slash at the end lets "a/" and three stars match the directory itself. */
	path[n] = is_dir && r->trails ? '/' : '\0';
	path[n + 1] = '\0';
	if (r->anchored)
		return filter_compare(r, path);
	if (r->leads) /* the slash before the path lets two stars and "/a" match at the top */
		return filter_compare(r, path - 1);
	if (r->across)
		return filter_compare_all(r, path);
	names = last_names(path, r->slashes + 1);
	return names && filter_compare(r, names);
}

/* Without memory the entry is hidden: what the user excluded must not be copied. */
bool filter_hides(struct filter *f, const char *path, bool is_dir)
{
	size_t n = strlen(path);

	if (!n || !strcmp(path, "."))
		return false;
	if (f->only && only_hides(f->only, path, is_dir))
		return true;
	if (!f->n)
		return false;
	if (f->path_room < n + 3) {
		free(f->path);
		f->path_room = 2 * n + 256;
		f->path = malloc(f->path_room);
		if (!f->path) {
			f->path_room = 0;
			return true;
		}
		f->path[0] = '/';
	}
	memcpy(f->path + 1, path, n);
	for (size_t i = 0; i < f->n; i++)
		if (filter_matches(&f->rules[i], f->path + 1, n, is_dir))
			return !f->rules[i].include;
	return false;
}
