/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_IDS_H
#define DVX_COPY_IDS_H

#include <sys/stat.h>

#include "sender.h"

/* Gives all links to this inode one id, from 1 up. */
int ids_hard(struct copy_sender *s, const struct stat *st, uint32_t *id);

/* Sends the name of a user or group, once: the receiver may have it under another number. */
int ids_owner(struct copy_sender *s, uint32_t id, bool group);

void ids_free(struct copy_sender *s);

#endif
