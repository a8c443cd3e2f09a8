/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_TARGET_H
#define DVX_COPY_TARGET_H

#include "base/fault.h"

#define TARGET_PORT "18525"

struct copy_target {
	char host[256], port[6];
	const char *path; /* in the argument itself */
	char base[256];	  /* last component of path; "" if it names a directory's contents */
};

/* Parses ADDR[:PORT]:PATH; ADDR may be [v6]. */
int target_parse(struct copy_target *t, const char *arg, struct copy_fault *f);

/* Parses ADDR[:PORT] of --listen. */
int target_parse_listen(struct copy_target *t, const char *arg, struct copy_fault *f);

#endif
