/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_XATTRS_H
#define DVX_COPY_XATTRS_H

#include "sender.h"

/*
 * Sends the entry's extended attributes that the options keep, ACLs among them, and counts those
 * that they don't. Where an ACL stays behind, the group's bits of *mode, which are the ACL's mask,
 * become the group's own: a copy must not grant more than its source.
 */
int xattrs_send(struct copy_sender *s, const struct walk_item *item, uint32_t *mode);

#endif
