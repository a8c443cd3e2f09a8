/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_RECEIVER_H
#define DVX_COPY_RECEIVER_H

#include "base/report.h"
#include "dest.h"
#include "intake.h"
#include "wire/role.h"

/* Verdicts in a message. With more, the sender would wait for them at the end of its window. */
#define RECEIVER_VERDICTS 256u

/* The role that compares and writes. */
struct receiver {
	struct link *link;
	struct copy_device *device;
	struct copy_options options;
	struct copy_counts *counts;
	struct report *report; /* or NULL */
	struct copy_fault *f;
	struct dest_plan plan;
	const char *expect; /* the name that the client asked for, or a pattern for it; or NULL */
	uint32_t tops;	    /* sources that may still come */

	uint32_t slots, slot_bytes; /* that SETUP asked for */
	struct intake intake;
	struct dest dest;
	struct dest_file **ring; /* files with data to come, by entry number; MSG_WINDOW of them */
	uint32_t n_entries;
	bool counting;	/* TOTALS came for the next source */
	bool top_waits; /* TOP came, the source's first entry did not */
	struct copy_msg top;
	char top_name[NAME_MAX + 1];
	uint32_t n_verdicts;
	uint8_t verdicts[4 * RECEIVER_VERDICTS];
	bool done;
};

/* Asks the sender for a pool of this shape, which it makes for its first data. */
int receiver_open(struct receiver *r, struct copy_role *role, const struct dest_plan *plan);

/* Handles the sender's POOL: makes a pool of the same shape and connects the two. */
int receiver_import(struct receiver *r, const struct copy_msg *m);

/* Takes sources up to DONE, and sends FINISHED when all are written. */
int receiver_run(struct receiver *r);

/* Frees the receiver. After a failure it removes unfinished files. */
void receiver_close(struct receiver *r);

/* --- handle.c --- */

/* Handles a message of the sender. */
int receiver_handle(struct receiver *r, const struct copy_msg *m);

/* Sends the verdicts so far: the sender may wait for them. */
int receiver_flush_verdicts(struct receiver *r);

/* Ends a source that the sender has sent completely; its last data may still be on its way. */
int receiver_end_source(struct receiver *r);

/* --- of receiver.c --- */

/* Works until all announced data has arrived. */
int receiver_drain(struct receiver *r);

#endif
