/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's half of the device, private to client.c and client_map.c. */
#ifndef SIM_PRELOAD_CLIENT_PRIV_H
#define SIM_PRELOAD_CLIENT_PRIV_H

#include "cfile.h"
#include "client.h"

/* Takes and releases the lock of files and mappings. */
void client_enter(struct lock_saved *);
void client_leave(const struct lock_saved *);

/* Returns whether this process neither opened the file nor attached to it: a parent did. */
bool client_foreign(const struct cfile *);

/* Drops the file's mappings, in a fork child all mappings. Called with the lock held. */
void client_map_forget(const struct cfile *);
void client_map_in_child(void);

#endif
