/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-info share. */
#ifndef DVX_INFO_H
#define DVX_INFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/cli/cli.h"
#include "tools/cli/json.h"
#include "tools/cli/say.h"

struct args {
	bool json;
	bool all;
	bool list;
	bool diff;
	const char *device, *save;
	const char *root; /* of doctor: where /proc, /sys, /dev and /boot are */
	int argc;
	char **argv;
};

int cmd_list(const struct args *a);
int cmd_gids(const struct args *a);
int cmd_caps(const struct args *a);
int cmd_whynot(const struct args *a);
int cmd_doctor(const struct args *a);

#endif
