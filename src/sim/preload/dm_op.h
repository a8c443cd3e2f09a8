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
 * Device memory's operations by address (mlx5dv_dm_map_op_addr): a store of a byte to a page adds
 * it to the memory, or a load takes the byte and leaves 0xff. No access to such a page succeeds:
 * the fault's handler performs the operation on the memory itself, where the device's accesses are,
 * too.
 */

/* What was just mapped from the device's file. 0 if it has no such pages, or -errno. */
int dm_op_mapped(int fd, void *va, size_t len, int prot, off_t offset);
void dm_op_unmapped(void *va, size_t len);
/* A fork child has none of these mappings. */
void dm_op_in_child(void);
/* Whether our handler of SIGSEGV is in the way of the program's own. */
NOT_TRACED bool dm_op_trapping(void);
/* The program's own handler, as sigaction() has it, while dm_op_trapping(). */
void dm_op_sigaction(const struct sigaction *new, struct sigaction *old);

#endif
