/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks: the origin of lines in a text that was put together of files. The comment
 *
 *	#line 3 "web.flow"
 *
 * gives the file and number of the next line; without a name, the first file. There is no other
 * map, so the origin goes where the text goes: to the daemon, into the committed file, and through
 * edits.
 */
#ifndef DVX_FLOW_MARKS_H
#define DVX_FLOW_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mark {
	uint32_t line;	  /* the first line of the text that the mark is about */
	uint32_t at;	  /* that line's number in its file */
	const char *file; /* in the text, file_len bytes */
	size_t file_len;
};

struct marks {
	struct mark *mark;
	size_t n;
};

/* Finds the marks, which refer to the text. Returns false if there is no memory. */
bool marks_find(const char *text, size_t len, struct marks *out);
void marks_free(struct marks *m);

struct mark_place {
	uint32_t line;
	const char *file; /* file_len 0: the first one */
	size_t file_len;
};
struct mark_place marks_place(const struct marks *m, uint32_t line);

/* The origin of one line of a text. */
#define MARK_NAME_MAX 1024u
struct mark_name {
	uint32_t line;
	char file[MARK_NAME_MAX]; /* empty: the first one */
};
void marks_name(const char *text, size_t len, uint32_t line, struct mark_name *out);

/*
 * Returns a copy in which marks are ordinary comments, "# line 3 "web.flow"", so that its lines are
 * its own. NULL: no memory.
 */
char *marks_plain(const char *text, size_t len, size_t *out_len);

#endif
