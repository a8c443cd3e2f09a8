/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_REPORT_H
#define DVX_COPY_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "options.h"
#include "verdict.h"
#include "bytes.h"

/* What a copy did, as --json and the last line tell it. */
struct report {
	bool quiet, json;
	bool live;   /* progress line: stderr is a terminal */
	bool events; /* progress as lines of JSON on stdout */
	bool stats;
	double began, shown;
	uint64_t want_files, want_bytes; /* 0 until the sender has counted */
	uint64_t shown_bytes, shown_work;
	double speed, pace; /* bytes and work a second, of late */
	struct copy_counts counts;
	struct copy_lost lost;
	struct copy_counts before; /* the source that is being copied */
	uint64_t skipped;
	const char *rc; /* why bytes travel over a connection */
	bool sending, dry;
	int items;     /* 1: names of what is copied; 2: itemized */
	void *skips;   /* json_t array */
	bool list;     /* --list-only: its entries, and no counts */
	void *entries; /* json_t array */
};

void report_begin(struct report *r, bool quiet, bool json);

/* --progress: for who is no terminal, too. --stats: all counters at the end. */
void report_ask(struct report *r, bool progress, bool stats);

/* That bytes travel over a connection, and why; NULL if by the DMA engine. r may be NULL. */
void report_via(struct report *r, const char *why);

/* An entry that was not copied whole. Names come as bytes. */
void report_skip(struct report *r, struct copy_bytes path, struct copy_bytes why);

/* An entry that was deleted at the destination. */
void report_gone(struct report *r, struct copy_bytes path);

/* A judged entry. kind is one of f d L D S; target is a symbolic link's, or NULL. */
bool report_wants_items(const struct report *r);
void report_item(struct report *r, uint32_t verdict, char kind, const char *path,
		 const char *target);

/* An entry of a list, as ls -l and rsync show it. mode: as stat() has it. */
void report_entry(struct report *r, const char *path, uint32_t mode, uint64_t size, int64_t mtime,
		  const char *target);

/* What the options did not keep. */
void report_lost(struct report *r, const struct copy_lost *lost);

/* A source begins; what it holds, as far as it is counted. */
void report_source(struct report *r);
void report_want(struct report *r, uint64_t files, uint64_t bytes);

/* Redraws the progress line, at most some times a second. */
void report_progress(struct report *r);

/* Prints the result and returns the exit code. The caller frees the report. */
int report_end(struct report *r, const struct copy_fault *f);
void report_free(struct report *r);

#endif
