/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_REPORT_H
#define DVX_PERF_REPORT_H

#include <stdio.h>
#include "options.h"
#include "result.h"

/* The subject of a report. */
struct report_of {
	const struct perf_args *args;
	const struct perf_site *site;
	const char *peer; /* the server's address; NULL: the queues are connected to this process */
};

/* A format of reports. The calls return exit codes; they may be NULL. */
struct perf_report {
	int (*begin)(const struct report_of *, const struct perf_result *);
	int (*add)(const struct report_of *, const struct perf_result *);
	int (*end)(const struct report_of *, const struct perf_results *);
};
extern const struct perf_report report_table, report_csv, report_json;

/* Flushes the output. Returns an exit code, after an error message if that fails. */
int report_flush(void);
/* Returns ", the emulator's figures, not a NIC's", or "". */
const char *report_caution(const struct perf_site *);

#endif
