/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of doorbells share: a host in a time of its own, BARs, and programs' stores. */
#ifndef TESTS_UNIT_HOST_BAR_RIG_H
#define TESTS_UNIT_HOST_BAR_RIG_H

#include "tests/test.h"
#include <pthread.h>
#include "host/mm.h"
#include "host/uar.h"

#define SECOND 1000000000ull
#define DEEP   (SECOND / 10) /* only a loop without an awake page sleeps longer */

extern struct host *host;
extern uint64_t now;

/* What the device was told, the last 64 times. */
struct rang {
	uint32_t uar, offset;
	uint64_t value;
};
extern struct rang rang[64];
extern unsigned int nrang;

void bars_rang(void *host, uint32_t uar, uint32_t offset, uint64_t value);
int bars_setup(void **state);
int bars_teardown(void **state);
/* The program's side of a BAR, from its first page on. */
uint8_t *bar_map(struct bar *, unsigned int pages);
int new_uffd(void);
/* False: there is no userfaultfd here. */
bool bar_watch(struct bar *, uint8_t *map, unsigned int pages);
void store(uint8_t *at, uint64_t value);
/* A thread that stores 42. */
pthread_t start_store(uint8_t *at);
int readable(int ms);
/* As the loop does it, without ever sleeping; true once nothing is awake. */
bool settle(void);

#endif
