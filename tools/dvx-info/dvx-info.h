/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the commands of dvx-info share. */
#ifndef DVX_INFO_H
#define DVX_INFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define CLI_ARGS info_args
#include "tools/cli/cli.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"

struct info_args {
	bool json;
	bool all;
	bool list;
	bool diff;
	const char *device, *save;
	const char *root; /* for doctor: the directory that /proc, /sys and /dev are read below */
	int argc;
	char **argv;
};

int info_cmd_list(const struct info_args *a);
int info_cmd_gids(const struct info_args *a);
int info_cmd_caps(const struct info_args *a);
int info_cmd_whynot(const struct info_args *a);
int info_cmd_doctor(const struct info_args *a);

#endif
