/* SPDX-License-Identifier: BSD-2-Clause */
/* A failure: a message and an exit code. */
#ifndef DVX_FLOW_FAULT_H
#define DVX_FLOW_FAULT_H

#include "rules/rule.h"

struct flow_fault {
	int code;	       /* of dvx-flow.h; 0: nothing */
	uint32_t line, column; /* in the rules; 0: not about a place in them */
	char text[600];
};

/* Sets a fault without a place. Returns -1. */
int flow_fault_set(struct flow_fault *f, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Sets the fault to libdvx's last message, without the name of the call. Returns -1. */
int flow_fault_device(struct flow_fault *f);
/* Adds the place of a word of this rule to the fault. Returns -1. */
int flow_fault_at(struct flow_fault *f, const struct rule *r, struct source_location at);
/* Puts "line 2, column 9: " before the message, for users without the file. */
void flow_fault_place(struct flow_fault *f);
/* Returns libdvx's last message, without the name of the call and the number of an entry. */
const char *device_last_error(void);

#endif
