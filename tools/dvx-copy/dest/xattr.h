/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_XATTR_H
#define DVX_COPY_XATTR_H

#include "dest.h"

/* How the entry's attributes differ from those wanted: VERDICT_ACL and VERDICT_XATTR. */
uint32_t xattr_compare(const struct dest *d, const struct dest_dir *dir, const char *name,
		       const struct dest_xattr *want);

/* The mode up to the moment when the ACL is set: the group's bits are the ACL's mask until then. */
uint32_t xattr_narrow(const struct dest *d, const struct dest_xattr *want, uint32_t mode);

/* Makes them the wanted ones, through a path or, if that is NULL, a descriptor. */
int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_xattr *want);

void xattr_free(struct dest_xattr *list);

#endif
