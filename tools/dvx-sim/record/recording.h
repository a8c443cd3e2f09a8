/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings of dvx-sim record, in memory (doc/design/0104). */
#ifndef DVX_SIM_RECORDING_H
#define DVX_SIM_RECORDING_H

#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/record/record.h"

struct recording {
	const char *path;
	uint64_t *bytes; /* the file */
	struct record_reader reader;
	const struct record_head **events; /* in the order of time */
	size_t n;
	const struct record_head **processes; /* those of kind RECORD_PROCESS, by number and time */
	size_t nprocesses;
};
/* Reads the file as far as it can be read. Returns false after an error message. */
bool recording_load(struct recording *, const char *path);
/* Prints what the recording lacks. Returns the exit code for it: EXIT_DONE, EXIT_NO or EXIT_INPUT. */
int recording_judge(const struct recording *);
void recording_free(struct recording *);
/* Writes who did it: "device", or "NAME:PID" of a program. */
void recording_who(const struct recording *, const struct record_head *, char *text, size_t size);

/* --- recorded.c: an event as text --- */
#define RECORDED_TEXT 16384u
void recorded_clean(char *text); /* replaces control characters */
const char *recorded_kind(const struct record_head *);
/* Writes a line for a person; reply: the reply of a command. Returns false if there is no such line. */
bool recorded_text(const struct record_head *, bool reply, char *text, size_t size);
/* Returns the name of a ring's queue, and of its entries: "qp" "sq". */
const char *recorded_queue(unsigned int ring);
const char *recorded_ring(unsigned int ring);
/* Returns a name of verbs, or "?". receive: the request has no opcode. */
const char *recorded_opcode(const struct record_post *);
/* Returns the layout of a command's reply, and where it begins in the reply. */
const struct prm_struct *recorded_reply(const struct record_command *, size_t *at);
/* Returns where the mailboxes of a command are. */
static inline const uint8_t *recorded_in(const struct record_command *c)
{
	return (const uint8_t *)(c + 1);
}
static inline const uint8_t *recorded_out(const struct record_command *c)
{
	return recorded_in(c) + c->in_kept;
}
const char *recorded_layout(const struct record_cqe *);

/* --- show_chrome.c --- Writes Chrome's trace JSON. Returns false after an error message. */
bool show_chrome(const struct recording *, const char *path);

/* --- recorded_json.c --- */
json_t *recorded_json(const struct recording *, const struct record_head *);

#endif
