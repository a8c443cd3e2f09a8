/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended attributes of entries, ACLs among them. */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/xattr.h>

#include "base/acl.h"

#define ENTRY_MAX (256u << 10) /* per entry: a sender can't exhaust the memory */
#define VALUE_MAX 65536u
#define LIST_MAX  65536u

void xattr_free(struct dest_xattr *list)
{
	while (list) {
		struct dest_xattr *x = list;

		list = x->next;
		free(x->value);
		free(x);
	}
}

static struct dest_xattr *xattr_pending(struct dest *d, struct copy_bytes name)
{
	struct dest_xattr *x = d->xattrs;

	if (x && strlen(x->name) == name.n && !memcmp(x->name, name.p, name.n))
		return x;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	memcpy(x->name, name.p, name.n);
	x->next = d->xattrs;
	d->xattrs = x;
	return x;
}

/* Allows only what the options ask for, and nothing that the local kernel alone defines. */
static bool xattr_allowed(const struct dest *d, const char *name)
{
	if (acl_is_name(name))
		return d->options.bits & OPTION_ACLS;
	if (!(d->options.bits & OPTION_XATTRS))
		return false;
	if (!strncmp(name, "user.", 5))
		return true;
	return !geteuid() && strncmp(name, "system.", 7) != 0 &&
	       strcmp(name, "security.selinux") != 0;
}

/* Whether this attribute is compared and set. After too many attributes, only ACLs are. */
static bool xattr_kept(const struct dest *d, const struct dest_meta *want, const char *name)
{
	return xattr_allowed(d, name) && (acl_is_name(name) || !want->xattrs_lost);
}

/* Drops the pending attributes that are not ACLs. */
static void xattr_drop(struct dest *d)
{
	struct dest_xattr **at = &d->xattrs, *x;

	while ((x = *at)) {
		if (acl_is_name(x->name)) {
			at = &x->next;
			continue;
		}
		*at = x->next;
		x->next = NULL;
		xattr_free(x);
	}
	d->xattrs_lost = true;
}

static bool xattr_is_acl(const struct copy_msg *m)
{
	char name[256] = "";

	memcpy(name, m->name.p, m->name.n);
	return acl_is_name(name);
}

int xattr_report_lost(struct dest *d, const char *name)
{
	if (!d->xattrs_lost)
		return 0;
	return dest_skip(d, d->now, name,
			 "its extended attributes are not copied: they are more than 256 KiB");
}

int dest_add_xattr(struct dest *d, const struct copy_msg *m)
{
	const bool is_acl = xattr_is_acl(m);
	struct dest_xattr *x;
	uint8_t *more;
	bool full;

	d->xattr_bytes[is_acl] += d->xattrs_lost && !is_acl ? 0 : (uint32_t)sizeof(*x) + m->text.n;
	full = d->xattr_bytes[is_acl] > ENTRY_MAX;
	if ((full && is_acl) || memchr(m->name.p, '\0', m->name.n))
		return dest_breach(d, "sent extended attributes that no entry may have");
	if (full && !d->xattrs_lost)
		xattr_drop(d);
	if (d->xattrs_lost && !is_acl)
		return 0;
	x = xattr_pending(d, m->name);
	more = x ? realloc(x->value, x->n + m->text.n + 1) : NULL;
	if (!more)
		return copy_no_memory(d->f);
	memcpy(more + x->n, m->text.p, m->text.n);
	x->value = more;
	x->n += m->text.n;
	return 0;
}

static const struct dest_xattr *xattr_find(const struct dest_xattr *list, const char *name)
{
	while (list && strcmp(list->name, name) != 0)
		list = list->next;
	return list;
}

/* Lists the entry's attributes. Returns the length of the list of names. */
static ssize_t xattr_list(const char *path, int fd, int nofollow, char *names)
{
	ssize_t n = !path      ? flistxattr(fd, names, LIST_MAX)
		    : nofollow ? llistxattr(path, names, LIST_MAX)
			       : listxattr(path, names, LIST_MAX);

	return n < 0 ? 0 : n;
}

static uint32_t xattr_bit(const char *name)
{
	return acl_is_name(name) ? VERDICT_ACL : VERDICT_XATTR;
}

uint32_t xattr_compare(const struct dest *d, const struct dest_dir *dir, const char *name,
		       const struct dest_meta *want)
{
	char path[PATH_MAX], *names;
	uint8_t *value;
	uint32_t v = 0;
	ssize_t n;

	if (!(d->options.bits & (OPTION_ACLS | OPTION_XATTRS)))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir->fd, name ? name : ".");
	names = malloc(LIST_MAX);
	value = malloc(VALUE_MAX);
	n = names && value ? xattr_list(path, -1, 1, names) : 0;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (xattr_kept(d, want, names + at) && !xattr_find(want->xattrs, names + at))
			v |= xattr_bit(names + at);
	for (const struct dest_xattr *x = want->xattrs; x && value; x = x->next) {
		ssize_t have = xattr_allowed(d, x->name)
				       ? lgetxattr(path, x->name, value, VALUE_MAX)
				       : (ssize_t)x->n;

		if (have != (ssize_t)x->n ||
		    (xattr_allowed(d, x->name) && memcmp(value, x->value, x->n) != 0))
			v |= xattr_bit(x->name);
	}
	free(names);
	free(value);
	return v;
}

static int xattr_remove(const char *path, int fd, int nofollow, const char *name)
{
	return !path	  ? fremovexattr(fd, name)
	       : nofollow ? lremovexattr(path, name)
			  : removexattr(path, name);
}

static int xattr_set(const char *path, int fd, int nofollow, const struct dest_xattr *x)
{
	return !path	  ? fsetxattr(fd, x->name, x->value, x->n, 0)
	       : nofollow ? lsetxattr(path, x->name, x->value, x->n, 0)
			  : setxattr(path, x->name, x->value, x->n, 0);
}

uint32_t xattr_narrow(const struct dest *d, const struct dest_meta *want, uint32_t mode)
{
	const struct dest_xattr *x =
		xattr_allowed(d, ACL_ACCESS) ? xattr_find(want->xattrs, ACL_ACCESS) : NULL;

	return x ? acl_narrow(x->value, x->n, mode) : mode;
}

/* Removes attributes that the source does not have. Returns how many could not be removed. */
static int xattr_clear(const struct dest *d, const char *path, int fd, int nofollow,
		       const struct dest_meta *want, bool acls)
{
	char *names = malloc(LIST_MAX);
	ssize_t n = names ? xattr_list(path, fd, nofollow, names) : 0;
	int bad = 0;

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (acl_is_name(names + at) == acls && xattr_kept(d, want, names + at) &&
		    !xattr_find(want->xattrs, names + at))
			bad += xattr_remove(path, fd, nofollow, names + at) && errno != ENODATA;
	free(names);
	return bad;
}

int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_meta *want, bool acls)
{
	int bad;

	if (!(d->options.bits & (acls ? OPTION_ACLS : OPTION_XATTRS)))
		return 0;
	bad = xattr_clear(d, path, fd, nofollow, want, acls);
	for (const struct dest_xattr *x = want->xattrs; x; x = x->next)
		if (acl_is_name(x->name) == acls && xattr_allowed(d, x->name))
			bad += !!xattr_set(path, fd, nofollow, x);
	if (!bad)
		return 0;
	return dest_skip(d, dir, name ? name : ".",
			 acls ? "its ACL can't be set here"
			      : "its extended attributes can't all be set here");
}
