/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_MESSAGE_H
#define DVX_TOOLS_MESSAGE_H

/* Prints a message to stderr, after the program's name. */
void message_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Sets that name; by default it is the name that the program was started with. */
void message_set_name(const char *tool);

/* Records a message that the caller prints by itself, for message_recorded(). */
void message_record(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The place in a text that a message is about, for the error object of --json. */
struct message_place {
	unsigned int line, column; /* from 1; 0: unknown */
	char file[256];		   /* empty: unknown */
};
/* Sets the place; only the first call counts. file is NULL if the text has no name. */
void message_set_place(const char *file, unsigned int line, unsigned int column);
struct message_place message_get_place(void);

/* Returns all messages so far, one per line, for the error object of --json. */
const char *message_recorded(void);

/* Returns the last message. */
const char *message_last(void);

#endif
