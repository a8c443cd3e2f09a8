/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_XATTR_H
#define DVX_COPY_XATTR_H

#include "dest.h"

/* How the entry's attributes differ from those wanted: VERDICT_ACL and VERDICT_XATTR. */
uint32_t xattr_compare(const struct dest *d, const struct dest_dir *dir, const char *name,
		       const struct dest_meta *want);

/* The mode up to the moment when the ACL is set: the group's bits are the ACL's mask until then. */
uint32_t xattr_narrow(const struct dest *d, const struct dest_meta *want, uint32_t mode);

/*
 * Makes the ACLs, or the other attributes, the wanted ones, through a path or, if that is NULL, a
 * descriptor. What can't be set is told; -1 if that could not be.
 */
int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_meta *want, bool acls);

/* Names the entry that comes next, if some of its attributes are not kept. */
int xattr_tell_lost(struct dest *d, const char *name);

void xattr_free(struct dest_xattr *list);

#endif
