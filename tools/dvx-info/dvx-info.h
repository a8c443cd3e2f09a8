/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-info share. */
#ifndef DVX_INFO_H
#define DVX_INFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes, documented in dvx-info(1). */
enum {
	EXIT_DONE = 0,
	EXIT_NO = 1,	/* something is missing (why-not, doctor), or A and B differ (--diff) */
	EXIT_USAGE = 2, /* wrong command line, unknown page or feature */
	EXIT_INPUT =
		3, /* no such device, it cannot be asked, a file that cannot be read or written */
};

struct args {
	bool json;
	bool all;
	bool list;
	bool diff;
	const char *save;
	const char *root; /* of doctor: where /proc, /sys, /dev and /boot are */
	int argc;
	char **argv;
};

/* One sentence to stderr, after the program's name. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints and frees root; EXIT_DONE, or EXIT_INPUT if standard output takes no more. */
int json_out(json_t *root);

/* Numbers above 2^53 are strings, "0x...". */
json_t *json_word(uint64_t v);

int cmd_list(const struct args *a);
int cmd_gids(const struct args *a);
int cmd_caps(const struct args *a);
int cmd_whynot(const struct args *a);
int cmd_doctor(const struct args *a);

#endif
