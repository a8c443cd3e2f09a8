/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_IDS_H
#define DVX_COPY_IDS_H

#include <sys/stat.h>

#include "sender.h"

/* The number that stands for all links to this inode, from 1. */
int ids_hard(struct copy_sender *s, const struct stat *st, uint32_t *id);

/* Tells the receiver the name of a user or group, once: it may have another number there. */
int ids_owner(struct copy_sender *s, uint32_t id, bool group);

void ids_free(struct copy_sender *s);

#endif
