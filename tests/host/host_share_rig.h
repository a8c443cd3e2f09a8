/* SPDX-License-Identifier: BSD-2-Clause */
/* A rig for tests of shared pages: a host, and a client with shared pages. */
#ifndef TESTS_HOST_SHARE_RIG_H
#define TESTS_HOST_SHARE_RIG_H

#include "tests/test.h"
#include <fcntl.h>
#include <sys/types.h>
#include "host/client.h"

#define PAGE  4096u
#define PAGES 16u
#define AREA  (PAGES * PAGE)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

extern struct host *host;

int rig_setup(void **state);
int rig_teardown(void **state);
#define FIXTURE_host(name) FIXTURE(name, void *no_state, rig_setup, rig_teardown)

/* Makes a file as programs do: all pages exist, then it is sealed. */
int sealed(size_t len, unsigned int flags, unsigned int seals);

/*
 * A client whose memory the test sees, too, between two pages without access. If it shares, pages
 * 2-5 and 8-9 are shared with the device, each range on its own file, and the rest is on a third
 * file. It is a separate process, or this one.
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
void client_start(struct client *c, bool self); /* AREA bytes, with shared pages */
void client_kill(struct client *c);
void client_stop(struct client *c);
void each_kind_of(size_t len, bool shares, void (*test)(struct client *));
void each_kind(void (*test)(struct client *)); /* runs the test for each kind of client_start() */
void fill(uint8_t *p, size_t len, unsigned int seed);

#endif
