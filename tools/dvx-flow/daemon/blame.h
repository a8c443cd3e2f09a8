/* SPDX-License-Identifier: BSD-2-Clause */
/* Which word of a rule the device refused. Both return -1, with the fault. */
#ifndef DVX_FLOW_BLAME_H
#define DVX_FLOW_BLAME_H

#include "fault.h"

/* What libdvx said last is about this place. */
int blame_location(struct flow_fault *f, const struct rule *r, struct source_location at);
/* ... is about the field that it names as match.NAME, else about the whole rule. */
int blame_match(struct flow_fault *f, const struct rule *r);

#endif
