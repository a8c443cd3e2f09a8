/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIM_MANY_H
#define DVX_SIM_MANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/dvx-sim/dvx-sim.h"
#include "src/sim/base/finding.h"
#include "src/sim/base/inject.h"

#define MANY_SECOND 1000000000ull /* ns */
#define MANY_FAULTS 2u
#define MANY_LEFT   16u	  /* objects of one run that are kept */
#define MANY_TEXT   1024u /* bytes of its last output */

enum many_end {
	MANY_NOT_RUN,	/* no process or no device could be started */
	MANY_EXITED,	/* with `code` */
	MANY_SIGNALED,	/* code is the signal */
	MANY_SANITIZER, /* a sanitizer printed a report */
	MANY_HUNG,	/* it was killed after the limit; text says what its queues waited for */
	MANY_DEVICE,	/* the device ended badly, which is a bug of dvx-sim */
};

/* One run of the command on a device of its own. */
struct many_run {
	struct inject_fault faults[MANY_FAULTS]; /* before: to set; after: what they counted */
	unsigned int nfaults;
	char hostile[24]; /* a seed; empty: as the command line says */
	enum many_end end;
	int code;
	uint64_t ns;
	struct lab_finding left[MANY_LEFT]; /* objects that its program left in a closed context */
	unsigned int nleft;
	char text[MANY_TEXT];
};

/* Returns room for n runs, zeroed, which workers share with this process; NULL after a message. */
struct many_run *many_new(size_t n);
void many_free(struct many_run *, size_t n);

/*
 * Runs all of them, as many at a time as there are processors, each for at most limit_ns, with its
 * output hidden. `progress` is called after each; found() says which ends are findings.
 */
void many_run_all(const struct sim_args *, struct many_run *, size_t n, uint64_t limit_ns,
		  bool (*found)(const struct many_run *));

/* Writes how a run ended: "exit code 3", "killed by SIGSEGV"... */
void many_describe(const struct many_run *, char *text, size_t size);

#endif
