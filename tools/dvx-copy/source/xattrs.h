/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_XATTRS_H
#define DVX_COPY_XATTRS_H

#include "sender.h"

/*
 * Sends the entry's extended attributes that the options keep, ACLs included, and counts the
 * others. If an ACL is not sent, the group bits of *mode, which are the ACL's mask, become the
 * owning group's bits: a copy must not grant more than its source.
 */
int xattrs_send(struct copy_sender *s, const struct walk_item *item, uint32_t *mode);

#endif
