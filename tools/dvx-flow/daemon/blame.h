/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the word of a rule that the device refused. Both return -1 and set the fault. */
#ifndef DVX_FLOW_BLAME_H
#define DVX_FLOW_BLAME_H

#include "fault.h"

/* libdvx's last error is about this word. */
int blame_location(struct flow_fault *f, const struct rule *r, struct source_location at);
/* libdvx's last error is about the field that it names as match.NAME, else about the whole rule. */
int blame_match(struct flow_fault *f, const struct rule *r);

#endif
