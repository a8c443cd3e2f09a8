/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's memory for share.c's scenes: which pages are shared, and their contents. */
#ifndef TESTS_SHARE_MEM_H
#define TESTS_SHARE_MEM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

#define CHECK(cond)                                                                    \
	do {                                                                           \
		if (!(cond)) {                                                         \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #cond, \
				strerror(errno));                                      \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

/* The thread sanitizer is slow, keeps a thread after the program's own, and makes vfork() a
 * fork. */
#ifdef __SANITIZE_THREAD__
#define MEM_TSAN true
#else
#define MEM_TSAN false
#endif
#ifdef __SANITIZE_ADDRESS__
#define MEM_ASAN true
#else
#define MEM_ASAN false
#endif

extern bool mem_shares; /* pages are expected to be shared at all */

/*
 * Returns the number of rounds: n with DVX_TEST_LONG, otherwise a third. Under a sanitizer `tsan`,
 * or a third of it, or a tenth of n: races show in the build that is not slowed down.
 */
int mem_rounds(int tsan, int n);
void *mem_pages(size_t len);
/* Counts the mappings in [va, va + len) that are shared with the device; len 0: all. */
int mem_shared(const void *va, size_t len);
void mem_expect_shared(const void *va, size_t len);
bool mem_all(const char *at, int value, size_t len);

#endif
