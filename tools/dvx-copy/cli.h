/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CLI_H
#define DVX_COPY_CLI_H

#include <signal.h>

#include "fault.h"

/* Set by SIGINT and SIGTERM. */
extern volatile sig_atomic_t stop_asked;

int cli_serve(int argc, char **argv);
int cli_pull(int argc, char **argv);

/* A size with K, M or G behind it, within [min, max]; ends the program if it is none. */
struct argp_state;
unsigned long cli_number(const char *arg, const char *option, unsigned long min, unsigned long max,
			 struct argp_state *state);

#endif
