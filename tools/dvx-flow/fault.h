/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, as a sentence and an exit code. */
#ifndef DVX_FLOW_FAULT_H
#define DVX_FLOW_FAULT_H

struct fault {
	int code; /* of dvx-flow.h; 0: nothing */
	char text[600];
};

/* Both return -1. */
int fault(struct fault *f, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What libdvx says of its last failure. */
int fault_device(struct fault *f);

#endif
