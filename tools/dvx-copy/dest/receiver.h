/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_RECEIVER_H
#define DVX_COPY_RECEIVER_H

#include <signal.h>

#include "base/report.h"
#include "dest.h"
#include "intake.h"
#include "wire/link.h"

/* The role that compares and writes. */
struct receiver {
	struct link *link;
	struct copy_device *device;
	struct copy_options options;
	struct copy_counts *counts;
	struct report *report; /* of the client; NULL in a server, which tells the client */
	struct copy_fault *f;
	const volatile sig_atomic_t *stop;
	uint32_t window; /* entries that may be under way */
	struct dest_plan plan;
	const char *expect; /* a client knows the source's name, or a pattern for it; or NULL */
	uint32_t tops;	    /* sources that may still come */

	struct intake intake;
	struct dest dest;
	struct dest_file **ring; /* files whose data is to come, by number; MSG_WINDOW of them */
	unsigned int jobs;	 /* threads that write small files */
	uint32_t n_entries;
	bool counting;	/* TOTALS came for the next source */
	bool top_waits; /* TOP came, its first entry did not */
	struct copy_msg top;
	char top_name[NAME_MAX + 1];
	uint32_t n_verdicts;
	uint8_t verdicts[4 * MSG_VERDICTS];
	bool done;
};

/* Asks for a pool, and makes its own of the same shape. */
int receiver_open(struct receiver *r, uint32_t slots, uint32_t slot_bytes);

/* Takes sources up to DONE, and says when all is at its place. */
int receiver_run(struct receiver *r);

/* After a failure unfinished files are removed. */
void receiver_close(struct receiver *r);

#endif
