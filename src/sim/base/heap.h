/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>

/*
 * The heap of a process that is a chip alone: what is full of it becomes a huge page, so that an
 * object among a million costs no walk through page tables. False: there is nothing to do now.
 */
bool heap_settle(void);

#endif
