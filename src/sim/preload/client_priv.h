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

/* Returns whether one file is open. */
bool client_is_last(void);
/* Frees the file's slot. Called with the lock held, as client_is_last(). */
void client_release(struct cfile *);

#endif
