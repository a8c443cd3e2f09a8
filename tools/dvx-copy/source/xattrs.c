/* SPDX-License-Identifier: BSD-2-Clause */
#include "xattrs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/acl.h"

#define LIST_MAX  65536u
#define VALUE_MAX 65536u
#define PART	  4096u

/*
 * Returns the entry's path in /proc, to read values. That is slower than a call by name, but few
 * entries have attributes.
 */
static const char *xattrs_path(char to[PATH_MAX], const struct walk_item *item)
{
	snprintf(to, PATH_MAX, "/proc/self/fd/%d/%s", item->dir->fd, item->fs_name);
	return to;
}

/* listxattrat(), since Linux 6.13. The C library has no wrapper for it. */
enum { LISTXATTRAT = 465 };

/*
 * Lists the names of an entry's attributes. Every entry is asked, so the call matters: it takes a
 * third of the time of a path in /proc, which is for older kernels.
 */
static ssize_t xattrs_list(const struct walk_item *item, char *names, size_t n)
{
	static bool missing; /* to all threads */
	char path[PATH_MAX];
	ssize_t got;

	if (!__atomic_load_n(&missing, __ATOMIC_RELAXED)) {
		got = syscall(LISTXATTRAT, item->dir->fd, item->fs_name, AT_SYMLINK_NOFOLLOW, names,
			      n);
		/* EPERM: a container's seccomp filter does not know the call. */
		if (got >= 0 || (errno != ENOSYS && errno != EPERM))
			return got;
		__atomic_store_n(&missing, true, __ATOMIC_RELAXED);
	}
	return llistxattr(xattrs_path(path, item), names, n);
}

static int xattrs_part(struct copy_sender *s, const char *name, const uint8_t *value, size_t n)
{
	size_t at = 0;

	do {
		size_t part = n - at < PART ? n - at : PART;
		struct copy_msg m = {.type = MSG_XATTR,
				     .flags = at + part < n ? MSG_GOES_ON : 0,
				     .name = {(const uint8_t *)name, (uint32_t)strlen(name)},
				     .text = {value + at, (uint32_t)part}};

		if (link_queue(s->link, &m, s->f))
			return -1;
		at += part;
	} while (at < n);
	return 0;
}

/*
 * Whether the attribute is copied. As with rsync, root copies all but those that the kernel
 * derives, other users only "user.".
 */
static bool xattrs_ours(const char *name)
{
	if (!strncmp(name, "user.", 5))
		return true;
	return !geteuid() && strncmp(name, "system.", 7) != 0 &&
	       strcmp(name, "security.selinux") != 0;
}

enum { ACL_UNREAD = 1, XATTR_UNREAD };

/* Sends or counts one attribute. Returns 0; or ACL_UNREAD or XATTR_UNREAD, and sets errno. */
static int xattrs_one(struct copy_sender *s, const char *path, const char *name, uint32_t *mode,
		      bool seen[2])
{
	bool is_acl = acl_is_name(name), ours = is_acl || xattrs_ours(name);
	bool keep = s->options.bits & (is_acl ? OPTION_ACLS : OPTION_XATTRS);
	static _Thread_local uint8_t value[VALUE_MAX];
	ssize_t n;

	if (!ours)
		return 0;
	seen[is_acl] |= !keep;
	if (!keep && !is_acl)
		return 0;
	n = lgetxattr(path, name, value, sizeof(value));
	if (n < 0)
		return errno == ENODATA ? 0 : is_acl ? ACL_UNREAD : XATTR_UNREAD;
	if (keep)
		return xattrs_part(s, name, value, (size_t)n);
	if (!strcmp(name, ACL_ACCESS))
		*mode = acl_narrow(value, (size_t)n, *mode);
	return 0;
}

/*
 * The attributes could not be listed, so the group bits may be an ACL's mask: they are not sent.
 * ENOENT: the entry is gone.
 */
static int xattrs_unknown(struct copy_sender *s, const struct walk_item *item, uint32_t *mode)
{
	if (errno == ENOTSUP || errno == ENOENT)
		return 0;
	if (mode)
		*mode &= ~070u;
	return sender_skip(s, item->dir, item->name, "its ACL and attributes can't be read");
}

int xattrs_send(struct copy_sender *s, const struct walk_item *item, uint32_t *mode)
{
	char path[PATH_MAX], names[4096];
	bool seen[2] = {false, false};
	ssize_t n = xattrs_list(item, names, sizeof(names));
	char *list = names, *more = NULL;
	int bad = 0;

	if (n < 0 && errno != ERANGE)
		return xattrs_unknown(s, item, mode);
	if (n == 0)
		return 0;
	if (n < 0) {
		list = more = malloc(LIST_MAX);
		if (!more)
			return copy_fail(s->f, COPY_IO, "out of memory");
		n = xattrs_list(item, list, LIST_MAX);
	}
	xattrs_path(path, item);
	for (ssize_t at = 0; !bad && at < n; at += (ssize_t)strlen(list + at) + 1)
		bad = xattrs_one(s, path, list + at, mode, seen);
	if (n < 0 || bad > 0)
		bad = xattrs_unknown(s, item, bad == XATTR_UNREAD ? NULL : mode);
	free(more);
	s->lost.xattrs += seen[0];
	s->lost.acls += seen[1];
	return bad;
}
