/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_XATTR_H
#define DVX_COPY_XATTR_H

#include "dest.h"

/* Compares the entry's attributes with the wanted ones. Returns VERDICT_ACL and VERDICT_XATTR. */
uint32_t xattr_compare(const struct dest *d, const struct dest_dir *dir, const char *name,
		       const struct dest_meta *want);

/*
 * Returns the mode to use until the ACL is set: without the group bits that only the ACL's mask
 * grants.
 */
uint32_t xattr_narrow(const struct dest *d, const struct dest_meta *want, uint32_t mode);

/*
 * Sets the ACLs, or the other attributes, through a path or, if that is NULL, a descriptor.
 * Failures are reported; -1 if the report failed.
 */
int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_meta *want, bool acls);

/* Reports the next entry if some of its attributes are not kept. */
int xattr_report_lost(struct dest *d, const char *name);

void xattr_free(struct dest_xattr *list);

#endif
