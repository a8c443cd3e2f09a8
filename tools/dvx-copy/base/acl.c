/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX ACLs as the kernel's extended attributes hold them (linux/posix_acl_xattr.h). */
#include "acl.h"

#include <string.h>

#define ACL_HEAD      4u
#define ACL_ENTRY     8u
#define ACL_GROUP_OBJ 4u

bool acl_is_name(const char *name)
{
	return !strcmp(name, ACL_ACCESS) || !strcmp(name, ACL_DEFAULT);
}

uint32_t acl_narrow(const uint8_t *value, size_t n, uint32_t mode)
{
	for (size_t at = ACL_HEAD; at + ACL_ENTRY <= n; at += ACL_ENTRY) {
		uint32_t tag = value[at] | (uint32_t)value[at + 1] << 8;
		uint32_t perm = value[at + 2] & 7;

		if (tag == ACL_GROUP_OBJ)
			return (mode & ~070u) | (mode & perm << 3);
	}
	return mode & ~070u;
}
