/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways to print the daemon's counts. */
#ifndef DVX_FLOW_STATS_H
#define DVX_FLOW_STATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Two answers of the daemon. */
struct stats_pair {
	const json_t *now, *before; /* before: NULL at first */
	double seconds;		    /* between them */
	bool rates;		    /* print rates */
	int tables;		    /* the width of their column, or 0 */
};

/* --- stats_table.c --- */

/* Prints all rules in their order, and all queues. */
void stats_table(FILE *to, const struct stats_pair *s);
/* Prints at most `lines` lines, for a screen: the busiest rules and queues come first. */
void stats_top(FILE *to, const struct stats_pair *s, unsigned int lines);

/* --- stats_screen.c: the terminal, drawn over in place. --- */

void screen_begin(void);
/* Returns 0, or -1 if the terminal can't be written. */
int screen_draw(const struct stats_pair *s);
void screen_end(void);

/* --- stats_prometheus.c --- */

/* Prints Prometheus' text format. */
void stats_prometheus(FILE *to, const json_t *now);

#endif
