/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bytes back from a line of a trace: "... create_cq_in opcode=CREATE_CQ(0x400) ...". */
#ifndef DVX_PRM_TRACE_H
#define DVX_PRM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include "src/prm/reflect.h"

#define TRACE_MAX_BYTES 8192

struct trace {
	const struct prm_struct *s;
	size_t len;
	size_t label_len; /* length of the text before the structure's name */
	uint8_t bytes[TRACE_MAX_BYTES];
};

/* Whether the line may be of a trace, by a cheap test: it has "name field=". */
bool trace_looks_like(const char *text, size_t len);

/* Reads a line. false if it names no structure, or if its fields do not fit. */
bool trace_read(struct trace *t, const char *text, size_t len);

#endif
