/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads numbers from the command line. A number that is wrong or out of range ends the program. */
#ifndef DVX_TOOLS_NUMBER_H
#define DVX_TOOLS_NUMBER_H

#include <argp.h>
#include <stdint.h>

uint64_t cli_number(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		    uint64_t most);

/* Reads a number that K, M or G may follow. */
uint64_t cli_size(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		  uint64_t most);

/* Reads seconds, up to a day. */
double cli_seconds(struct argp_state *state, const char *option, const char *arg, double least);

#endif
