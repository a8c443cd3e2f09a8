/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-sim stat: what messages cost (doc/design/0102). */
#ifndef DVX_SIM_STAT_H
#define DVX_SIM_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "src/check/count.h"
#include "src/sim/base/stat.h"

/* Bytes of a PCIe packet without its data: MWr and MRd, CplD. */
#define STAT_REQUEST	24.0
#define STAT_COMPLETION 20.0

/* A number of which only the least and the most may be known. */
struct bounds {
	double least, most;
};

/* PCIe packets (TLPs) and bytes: at the NIC that has the queue, or at the one of the remote key. */
enum stat_side { STAT_AT_HERE, STAT_AT_TARGET, STAT_SIDES };
enum stat_way { STAT_UP, STAT_DOWN, STAT_WAYS }; /* up: from the NIC */
struct stat_traffic {
	struct bounds tlps[STAT_SIDES][STAT_WAYS], bytes[STAT_SIDES][STAT_WAYS];
	struct bounds lines[STAT_SIDES][STAT_WAYS]; /* 64-byte lines written (up) and read (down) */
};

/* The messages of one class: of one queue, or (object "all") of all queues. */
struct stat_line {
	char object[8], function[8];
	uint32_t id;
	unsigned int class; /* enum stat_class */
	double n[STAT_COUNTS];
	bool known; /* the program's calls were seen */
	double calls, requests, blueflame;
	struct stat_traffic traffic;
};
/* The calls for one completion queue. */
struct stat_cq {
	uint32_t context, handle; /* of the open device, in the order of a run; of the CQ there */
	double n[4];		  /* enum count_polls */
};
/* A run's sums, of which the spread is printed. */
struct stat_run {
	double messages, bytes, seconds;
};

#define STAT_RUNS 1000u
struct stat_result {
	struct stat_pcie pcie;
	bool pcm, exact;	 /* exact: doorbells were counted at the registers ... */
	uint64_t untrapped;	 /* ... but not in so many pages of them */
	struct stat_line *lines; /* of queues, then of classes */
	size_t nlines, nqueues;
	struct stat_cq *cqs;
	size_t ncqs;
	double device[STAT_PAGES + 1];
	struct stat_run runs[STAT_RUNS];
	size_t nruns;
};

/* --- stat_join.c: adds a run's rows, of the device and of the program. false: out of memory --- */
bool stat_join(struct stat_result *, const struct stat_row *, size_t n, const struct count_file *);
/* Adds the lines of classes. */
bool stat_sum_classes(struct stat_result *);
void stat_free(struct stat_result *);
/* Writes what a CQ is called. */
void stat_cq_name(char *text, size_t size, const struct stat_result *, const struct stat_cq *);
const char *stat_class_name(unsigned int class);
/* Returns the class of a name, or STAT_CLASSES. */
unsigned int stat_class_named(const char *name, size_t len);

/* --- stat_model.c: PCIe --- */
void stat_model(struct stat_line *, const struct stat_pcie *);
struct bounds stat_bytes_of(const struct stat_line *); /* all of a line */

/* --- stat_columns.c: the columns of tables and of JSON --- */
struct stat_column {
	const char *key, *head;
	enum { STAT_COUNT, STAT_MEAN, STAT_SHARE, STAT_COST } kind; /* COST: more is worse */
	bool pcm;
	struct bounds (*of)(const struct stat_line *); /* NAN: does not apply */
};
extern const struct stat_column stat_columns[];
extern const size_t stat_ncolumns;
const struct stat_column *stat_column_named(const char *key, size_t len);
/* Writes a number, or both: "88", "84..108", "-". */
void stat_text(char *text, size_t size, const struct stat_column *, struct bounds);

/* --- stat_print.c, stat_advice.c, stat_compare.c, stat_budget.c --- */
void stat_print(FILE *, const struct stat_result *);
int stat_print_json(const struct stat_result *, int code);
/* Passes each advice, a sentence with its gain. */
void stat_advise(const struct stat_result *, void (*)(void *ctx, const char *), void *ctx);
int stat_compare(const char *a, const char *b);
/* Reads a file of budgets; false after an error message. */
bool stat_budget_read(const char *path);
/* Prints what is over its budget; returns how many are. */
unsigned int stat_budget_check(const struct stat_result *);

#endif
