/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HASH_H
#define SIM_BASE_HASH_H

/*
 * uthash exits by default when memory is short, and all programs would lose their device. With this
 * option it only fails to add the element; check with hash_has().
 */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Returns whether the element was added. Check it after each HASH_ADD. */
#define hash_has(e, hh) ((e)->hh.tbl != NULL)

#endif
