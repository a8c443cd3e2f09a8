/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_FILTER_H
#define DVX_COPY_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "only.h"

/*
 * The entries of a tree that a copy leaves out, as with rsync's --exclude, --include, --exclude-from
 * and --include-from. Rules are in the order of the command line. The first one that matches
 * decides; an entry that none matches is copied.
 *
 * - "/" at the front ties a pattern to the top of the copy; at the end it means directories only.
 * - A pattern with a "/" elsewhere, or with "**", is compared with the path or its last names; any
 *   other pattern with the name only.
 * - "dir/" followed by three stars is the directory and everything in it.
 * - wild.h has the wildcards. In a pattern without one, "\" is an ordinary byte.
 *
 * Paths begin at the top of the copy, without a leading "/": the source "dir/" or "dir/." gives
 * "sub/file", the source "dir" gives "dir/sub/file". The top itself ("." and "") is never hidden. A
 * walk must not enter a hidden directory: rules are not tested below it. At the destination the same
 * rules protect entries from --delete.
 *
 * A struct filter belongs to one thread: filter_hides() uses its buffer.
 */
struct filter_rule;
struct filter {
	struct filter_rule *rules;
	size_t n, room;
	char *path; /* the path to be tested, with a slash before and behind it */
	size_t path_room;
	struct only *only; /* tested before the rules: leaves out what it does not list; or NULL */
};

#define FILTER_PATTERN_MAX 4096 /* bytes of a rule */
#define FILTER_RULES_MAX   16384

/*
 * Adds the argument of --include or --exclude: PATTERN, or with an explicit sign "+ PATTERN" or "-
 * PATTERN". "!" drops all rules so far.
 */
int filter_add(struct filter *f, const char *arg, bool include, struct copy_fault *fault);

/*
 * Calls each() for the lines of a file, except empty ones and those that begin with "#" or ";",
 * which are comments. "-" is stdin. `zero` is the message about a byte of zero.
 */
int lines_each(const char *file, const char *zero, int (*each)(void *arg, const char *line),
	       void *arg, struct copy_fault *f);

/* Adds the rules of a file, one per line. */
int filter_add_file(struct filter *f, const char *file, bool include, struct copy_fault *fault);

/*
 * Returns the i-th rule as "+ PATTERN" or "- PATTERN"; behind the rules, the texts of only_text();
 * then NULL. Rules travel to the other end in this form, and filter_take() reads it.
 */
const char *filter_text(const struct filter *f, size_t i);
int filter_take(struct filter *f, const char *text, struct copy_fault *fault);

/* Whether the entry is left out. is_dir is false for a symbolic link, even to a directory. */
bool filter_hides(struct filter *f, const char *path, bool is_dir);

void filter_free(struct filter *f);

#endif
