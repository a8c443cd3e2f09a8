/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, as a sentence and an exit code. */
#ifndef DVX_FLOW_FAULT_H
#define DVX_FLOW_FAULT_H

#include "rules/rule.h"

struct flow_fault {
	int code; /* of dvx-flow.h; 0: nothing */
	uint32_t line, column; /* in the rules; 0: it is about no place of them */
	char text[600];
};

/* Both return -1. */
int fault_say(struct flow_fault *f, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What libdvx says of its last failure, without the name of the call. */
int fault_device(struct flow_fault *f);
/* Of either: a word of this rule is why. */
int fault_at(struct flow_fault *f, const struct rule *r, struct source_location at);
/* "line 2, column 9: " before the sentence, for who has no file to point into. */
void fault_place(struct flow_fault *f);
/* What libdvx says, without the name of the call and the number of an entry. */
const char *device_says(void);

#endif
