/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of shared pages have in common: a host, and a client some of whose pages are. */
#ifndef TESTS_UNIT_HOST_SHARE_RIG_H
#define TESTS_UNIT_HOST_SHARE_RIG_H

#include "tests/test.h"
#include <fcntl.h>
#include <sys/types.h>
#include "host/mm.h"

#define PAGE  4096u
#define PAGES 16u
#define AREA  (PAGES * PAGE)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

extern struct host *host;

int rig_setup(void **state);
int rig_teardown(void **state);

/* A file as programs make them: all pages there, then sealed. */
int sealed(size_t len, unsigned int flags, unsigned int seals);

/*
 * A client whose memory the test sees too, between two pages without access. Of one that shares,
 * pages 2-5 and 8-9 are shared with the device, each on a file of its own, and the rest on another.
 * A process of its own, or the embedded client.
 */
struct client {
	struct mm *mm;
	uint8_t *area;
	size_t len;
	pid_t pid;
	bool self;
};

bus_t at(const struct client *c, size_t off);
void lay(void *va, size_t len, int fd);
void client_open(struct client *c, bool self, size_t len, bool shares);
void client_start(struct client *c, bool self); /* AREA bytes, and it shares */
void client_kill(struct client *c);
void client_stop(struct client *c);
void each_kind_of(size_t len, bool shares, void (*test)(struct client *));
void each_kind(void (*test)(struct client *)); /* of those of client_start() */
void fill(uint8_t *p, size_t len, unsigned int seed);

#endif
