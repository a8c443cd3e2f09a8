/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CLI_CRC32C_H
#define DVX_CLI_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Computes the CRC-32C (Castagnoli, RFC 3720 B.4) of a buffer, by the CPU's instruction if it has
 * one.
 */
uint32_t crc32c(const void *p, size_t len);

/* Computes it by tables: for CPUs without the instruction, and for the test that compares both. */
uint32_t crc32c_table(const void *p, size_t len);

#endif
