/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_REPORT_H
#define DVX_COPY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "options.h"
#include "verdict.h"
#include "bytes.h"

/* The results of a copy, for --json and the last line. */
struct report {
	bool quiet, json;
	bool live;   /* progress line: stderr is a terminal */
	bool events; /* progress as lines of JSON on stdout */
	bool stats;
	double began, shown;
	uint64_t want_files, want_bytes; /* 0 until the sender has counted */
	uint64_t shown_bytes, shown_work;
	double speed, pace; /* bytes and work per second, smoothed */
	struct copy_counts counts;
	struct copy_lost lost;
	struct copy_counts before; /* the counts before the current source */
	uint64_t skipped;
	const char *via; /* the way that bytes travel, "dma" or "rc"; NULL: none did */
	const char *rc;	 /* why bytes travel over a connection, or NULL */
	bool sending, dry;
	int items;     /* 1: names of what is copied; 2: itemized */
	void *skips;   /* json_t array */
	bool list;     /* --list-only: its entries, and no counts */
	void *entries; /* json_t array */
};

void report_begin(struct report *r, bool quiet, bool json);

/* Turns on --progress, also without a terminal, and --stats, all counters at the end. */
void report_enable(struct report *r, bool progress, bool stats);

/* Notes why bytes travel over a connection; NULL: the DMA engine moves them. r may be NULL. */
void report_via(struct report *r, const char *why);

/* Reports an entry that was not copied whole. Names come as bytes. */
void report_skip(struct report *r, struct copy_bytes path, struct copy_bytes why);

/* Reports an entry that was deleted at the destination. */
void report_gone(struct report *r, struct copy_bytes path);

/* Whether report_item() prints anything. mode is stat()'s; target a symbolic link's, or NULL. */
bool report_wants_items(const struct report *r);
void report_item(struct report *r, uint32_t verdict, uint32_t mode, const char *path,
		 const char *target);

/* Reports an entry of a list, in the form of ls -l and rsync. mode is stat()'s. */
void report_entry(struct report *r, const char *path, uint32_t mode, uint64_t size, int64_t mtime,
		  const char *target);

/* Reports attributes that the options did not keep. */
void report_lost(struct report *r, const struct copy_lost *lost);

/* Begins a source. report_want() sets what it holds, as far as it is counted. */
void report_source(struct report *r);
void report_want(struct report *r, uint64_t files, uint64_t bytes);

/* Redraws the progress line, a few times a second at most. */
void report_progress(struct report *r);

/* Prints the result and returns the exit code. The caller frees the report. */
int report_end(struct report *r, const struct copy_fault *f);
void report_free(struct report *r);

#endif
