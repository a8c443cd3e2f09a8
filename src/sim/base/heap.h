/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>

/*
 * For a process that is a chip alone: the next 2 MiB of the heap that are in use become a huge page,
 * so that an object among a million costs no walk through page tables. False: there are none.
 */
bool heap_settle(void);

#endif
