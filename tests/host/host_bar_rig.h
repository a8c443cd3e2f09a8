/* SPDX-License-Identifier: BSD-2-Clause */
/* A rig for tests of doorbells: a host with its own time, BARs, and programs' stores. */
#ifndef TESTS_HOST_BAR_RIG_H
#define TESTS_HOST_BAR_RIG_H

#include "tests/test.h"
#include <pthread.h>
#include "host/client.h"
#include "host/uar.h"

#define SECOND 1000000000ull
#define DEEP   (SECOND / 10) /* only a loop without an awake page sleeps longer */

extern struct host *host;
extern uint64_t now;

/* The last 64 doorbells that the device got. */
struct rang {
	uint32_t uar, offset;
	uint64_t value;
};
extern struct rang rang[64];
extern unsigned int nrang;

void bars_rang(void *host, uint32_t uar, uint32_t offset, uint64_t value);
int bars_setup(void **state);
int bars_teardown(void **state);
/* Maps a BAR as a program does, from its first page on. */
uint8_t *bar_map(struct bar *, unsigned int pages);
int new_uffd(void);
/* Returns false if there is no userfaultfd. */
bool bar_watch(struct bar *, uint8_t *map, unsigned int pages);
void store(uint8_t *at, uint64_t value);
/* Starts a thread that stores 42. */
pthread_t start_store(uint8_t *at);
int readable(int ms);
/* Runs like the loop but without sleeping; returns true once no page is awake. */
bool settle(void);

#endif
