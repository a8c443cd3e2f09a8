/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_DM_OP_H
#define SIM_PRELOAD_DM_OP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The thread sanitizer's runtime calls sigaction() before it can trace anything. */
#define NOT_TRACED __attribute__((no_sanitize("thread")))

/*
 * Operations of device memory by address (mlx5dv_dm_map_op_addr): storing a byte to a page adds it
 * to the memory; loading takes the byte and leaves 0xff. All accesses to such a page fault. The
 * handler performs the operation on the memory itself, where the device's accesses go, too.
 */

/* Handles a new mapping of the device's file. Returns 0 if it has no such pages, or -errno. */
int dm_op_mapped(int fd, void *va, size_t len, int prot, off_t offset);
void dm_op_unmapped(void *va, size_t len);
/* Drops all mappings in a fork child, which does not inherit them. */
void dm_op_in_child(void);
/* Returns whether our SIGSEGV handler stands in front of the program's. */
NOT_TRACED bool dm_op_trapping(void);
/* Gets and sets the program's handler like sigaction(), while dm_op_trapping(). */
void dm_op_sigaction(const struct sigaction *new, struct sigaction *old);

#endif
