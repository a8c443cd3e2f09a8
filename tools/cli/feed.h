/* SPDX-License-Identifier: BSD-2-Clause */
/* Another program that reads what this one writes: gnuplot, graphviz's dot. */
#ifndef TOOLS_CLI_FEED_H
#define TOOLS_CLI_FEED_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct feed {
	FILE *to;
	pid_t pid;
};

/*
 * Starts a program of the PATH that writes to `out`. Returns 0, or an errno: ENOENT if it is not
 * installed. The caller ignores SIGPIPE. apart: Ctrl-C on a terminal is not for the program.
 */
int feed_start(struct feed *f, char *const argv[], int out, bool apart);
/* Ends its input and waits for it. Returns whether it got all of it and succeeded. */
bool feed_end(struct feed *f);

#endif
