/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "tests/test.h"

/*
 * A target is one entry point for one thing that parses. libFuzzer calls it (make fuzz), and so
 * does replay.c (make check). An input starts from nothing and leaves nothing behind.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* The pieces of which replay.c makes inputs. */
struct fuzz_target {
	const char *corpus;  /* files (glob) below tests/, to damage. NULL: any bytes do */
	unsigned int inputs; /* check has a quarter, check long ten times as many */
	size_t longest;
	void (*judge)(unsigned int inputs); /* asserts that they got far enough; may be NULL */
};
extern const struct fuzz_target fuzz_target;

/* An input as a row of decisions: each takes bytes, and is 0 when there are none left. */
void fuzz_begin(const uint8_t *bytes, size_t len);
bool fuzz_more(void);
uint32_t any(uint32_t n); /* below n */
uint64_t any_value(void);
void any_bytes(uint8_t *to, size_t len);
/* More bytes than an input should have, made of four of it. */
void any_noise(uint8_t *to, size_t len);

/* Returns a number made of a whole text; decisions about an input that is a text depend on it. */
uint32_t fuzz_hash(const uint8_t *bytes, size_t len);
/* Returns the next number of a sequence that depends on the first state alone, which is not 0. */
uint32_t fuzz_random(uint32_t *state);

#endif
