/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_REPORT_H
#define DVX_COPY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "bytes.h"

/* What a pull did, as --json and the last line tell it. */
struct report {
	bool quiet, json;
	bool live; /* progress line: stderr is a terminal */
	double began, shown;
	uint64_t want_files, want_bytes; /* 0 until the server has counted */
	uint64_t shown_bytes, shown_work;
	double speed, pace; /* bytes and work a second, of late */
	uint64_t files, dirs, links, bytes;
	uint64_t chunks, copies; /* chunks verified, DMA work requests they took */
	uint64_t skipped;
	void *skips; /* json_t array */
};

void report_begin(struct report *r, bool quiet, bool json);

/* An entry that the server could not send whole. Names come as bytes. */
void report_skip(struct report *r, struct copy_bytes path, struct copy_bytes why);

/* Redraws the progress line, at most some times a second. */
void report_progress(struct report *r);

/* Prints the result and returns the exit code. The caller frees the report. */
int report_end(struct report *r, const struct copy_fault *f);
void report_free(struct report *r);

#endif
