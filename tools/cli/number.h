/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers on the command line; one that is none, or out of range, ends the program. */
#ifndef DVX_TOOLS_NUMBER_H
#define DVX_TOOLS_NUMBER_H

#include <argp.h>
#include <stdint.h>

uint64_t cli_number(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		    uint64_t most);

/* The same, with K, M or G behind it if it likes. */
uint64_t cli_size(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		  uint64_t most);

/* Up to a day. */
double cli_seconds(struct argp_state *state, const char *option, const char *arg, double least);

#endif
