/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HASH_H
#define SIM_BASE_HASH_H

/*
 * uthash ends the process when memory is short, and with it every program's device; built so, it
 * leaves out what it has no memory for.
 */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* To be asked after each HASH_ADD. */
#define hash_has(e, hh) ((e)->hh.tbl != NULL)

#endif
