/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended attributes of entries, ACLs among them. */
#include "xattr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/xattr.h>

#include "base/acl.h"

#define ENTRY_MAX (256u << 10) /* of one entry's attributes: a sender can't fill the memory */
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

/* Nothing that the options don't ask for, and nothing that only this kernel may say. */
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

int dest_add_xattr(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_xattr *x;
	uint8_t *more;

	d->xattr_bytes += (uint32_t)sizeof(*x) + m->text.n;
	if (d->xattr_bytes > ENTRY_MAX || memchr(m->name.p, '\0', m->name.n))
		return copy_fail(f, COPY_PROTOCOL,
				 "the sender sent extended attributes that no entry may have");
	x = xattr_pending(d, m->name);
	more = x ? realloc(x->value, x->n + m->text.n + 1) : NULL;
	if (!more)
		return copy_fail(f, COPY_IO, "out of memory");
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

/* What is there: the length of a list of names. */
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
		       const struct dest_xattr *want)
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
		if (xattr_allowed(d, names + at) && !xattr_find(want, names + at))
			v |= xattr_bit(names + at);
	for (const struct dest_xattr *x = want; x && value; x = x->next) {
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

uint32_t xattr_narrow(const struct dest *d, const struct dest_xattr *want, uint32_t mode)
{
	const struct dest_xattr *x =
		xattr_allowed(d, ACL_ACCESS) ? xattr_find(want, ACL_ACCESS) : NULL;

	return x ? acl_narrow(x->value, x->n, mode) : mode;
}

int xattr_apply(struct dest *d, const struct dest_dir *dir, const char *name, const char *path,
		int fd, int nofollow, const struct dest_xattr *want)
{
	char *names, where[PATH_MAX];
	int bad = 0;
	ssize_t n;

	if (!(d->options.bits & (OPTION_ACLS | OPTION_XATTRS)))
		return 0;
	names = malloc(LIST_MAX);
	n = names ? xattr_list(path, fd, nofollow, names) : 0;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (xattr_allowed(d, names + at) && !xattr_find(want, names + at))
			(void)!xattr_remove(path, fd, nofollow, names + at);
	free(names);
	for (; want && !bad; want = want->next)
		if (xattr_allowed(d, want->name) && xattr_set(path, fd, nofollow, want))
			bad = errno == EPERM || errno == ENOTSUP || errno == ENOSPC ? 1 : -1;
	if (bad > 0)
		bad = d->skip(d->arg, dest_path(where, dir, name ? name : "."),
			      "its ACL or extended attributes can't be set here");
	return bad;
}
