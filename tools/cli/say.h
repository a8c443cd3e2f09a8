/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_SAY_H
#define DVX_TOOLS_SAY_H

/* One sentence to stderr, after the program's name. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Sets that name; until then it is the one that the program was started by. */
void say_as(const char *tool);

/* Records a sentence that the caller prints by itself, for say_recorded(). */
void say_record(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The place in a text that a sentence is about, for the same error object. */
struct say_where {
	unsigned int line, column; /* from 1; 0: unknown */
	char file[256];		   /* empty: unknown */
};
/* Only the first call counts. file NULL: the text has no name. */
void say_place(const char *file, unsigned int line, unsigned int column);
struct say_where say_placed(void);

/* All sentences so far, one a line, for the error object of --json. */
const char *say_recorded(void);

/* The last one alone. */
const char *say_last(void);

#endif
