/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's side of the device, private to client.c and client_map.c. */
#ifndef SIM_PRELOAD_CLIENT_PRIV_H
#define SIM_PRELOAD_CLIENT_PRIV_H

#include "client.h"

const struct backend *client_backend(void);

/* The lock of files and mappings. */
void client_enter(struct lock_saved *);
void client_leave(const struct lock_saved *);

/* This process did not open it, or attach to it: a parent did, before the fork. */
bool client_foreign(const struct cfile *);

/* Under the lock: the file's mappings are not kept any more; in a fork child, none are. */
void client_map_forget(const struct cfile *);
void client_map_in_child(void);

#endif
