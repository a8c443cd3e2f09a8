/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HASH_H
#define SIM_BASE_HASH_H

/*
 * By default uthash exits when memory is short, and all programs would lose their device. Built
 * like this, it leaves out the element; check with hash_has().
 */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Is it in? To be checked after each HASH_ADD. */
#define hash_has(e, hh) ((e)->hh.tbl != NULL)

#endif
