/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>

/*
 * Turns the heap's next 2 MiB in use into a huge page, so that an object among a million costs no
 * page walk. For processes that are just a chip; heap_has_more() tells whether there are 2 MiB.
 */
bool heap_has_more(void);
void heap_settle(void);

#endif
