/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbolic links, devices, FIFOs and sockets: made under a temporary name, then renamed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dest.h"

/* A listed entry. target is a symbolic link's, else NULL. */
struct node {
	const char *name, *target;
	mode_t mode;
	dev_t rdev;
};

static bool node_same(const struct dest_dir *dir, const struct node *n, const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t len;

	if ((st->st_mode & S_IFMT) != (n->mode & S_IFMT))
		return false;
	if (S_ISBLK(n->mode) || S_ISCHR(n->mode))
		return st->st_rdev == n->rdev;
	if (!n->target)
		return true;
	len = readlinkat(dir->fd, n->name, target, sizeof(target));
	return len == (ssize_t)strlen(n->target) && !memcmp(target, n->target, (size_t)len);
}

static int node_compare(struct dest *d, const struct node *n, struct dest_meta *meta,
			uint32_t *verdict)
{
	struct stat st;
	int way = 1;

	if (d->now->origin == ORIGIN_NEW ||
	    fstatat(d->now->fd, n->name, &st, AT_SYMLINK_NOFOLLOW)) {
		*verdict =
			VERDICT_NEW | VERDICT_MADE | meta_compare(d, d->now, n->name, NULL, meta);
		return 0;
	}
	if (node_same(d->now, n, &st)) {
		*verdict = meta_compare(d, d->now, n->name, &st, meta);
		return 0;
	}
	if (S_ISDIR(st.st_mode) && (way = delete_in_way(d, n->name)) <= 0) {
		*verdict = VERDICT_LEFT;
		return way;
	}
	if ((st.st_mode & S_IFMT) == (n->mode & S_IFMT))
		*verdict = VERDICT_SUM | meta_compare(d, d->now, n->name, &st, meta);
	else
		*verdict = VERDICT_NEW | meta_compare(d, d->now, n->name, NULL, meta);
	*verdict |= VERDICT_MADE;
	return 0;
}

static int node_put(struct dest *d, const struct node *n, const char *temp)
{
	const int dir = d->now->fd;

	return n->target ? symlinkat(n->target, dir, temp)
			 : mknodat(dir, temp, (n->mode & S_IFMT) | 0600, n->rdev);
}

/* Makes the entry. Returns NULL, or what could not be done. */
static const char *node_make(struct dest *d, const struct node *n, const struct dest_meta *meta)
{
	const int dir = d->now->fd;
	char temp[TEMP_BYTES];
	int err;

	if (temp_name(temp) || node_put(d, n, temp))
		return "made";
	if (meta_apply_at(d, d->now, temp, n->target, meta) >= 0 &&
	    !renameat(dir, temp, dir, n->name))
		return NULL;
	err = errno;
	unlinkat(dir, temp, 0);
	errno = err;
	return FAULT_NAME;
}

static int node_left(struct dest *d, const struct node *n, const char *why, uint32_t *verdict)
{
	const bool device = S_ISBLK(n->mode) || S_ISCHR(n->mode);

	*verdict = VERDICT_LEFT;
	if (d->f->code)
		return -1;
	if (device && errno == EPERM)
		return dest_skip(d, d->now, n->name, "only root can make devices");
	return dest_fault(d, d->now, why, n->name) < 0 ? -1 : 0;
}

/* Makes or updates the entry as the verdict asks. */
static int node_settle(struct dest *d, const struct node *n, const struct dest_meta *meta,
		       uint32_t *verdict)
{
	const char *why;
	int bad;

	if (!*verdict || *verdict & VERDICT_LEFT || d->options.bits & OPTION_DRY)
		return 0;
	if (*verdict & VERDICT_MADE) {
		why = node_make(d, n, meta);
		return why ? node_left(d, n, why, verdict) : 0;
	}
	bad = meta_apply_at(d, d->now, n->name, n->target, meta);
	if (bad > 0)
		*verdict = VERDICT_LEFT;
	return bad < 0 ? -1 : 0;
}

static int node_add(struct dest *d, const struct copy_msg *m, struct node *n,
		    struct dest_found *found)
{
	char name[NAME_MAX + 1];
	struct dest_meta meta;
	int later = dest_name(d, m, name), ret = 0;

	meta_take(d, m, &meta);
	if (later) {
		found->verdict = VERDICT_LEFT;
		meta_free(&meta);
		return later < 0 ? -1 : 0;
	}
	n->name = name;
	later = hard_later(d, m, n->name, found);
	if (later)
		ret = later < 0 ? -1 : 0;
	else if (node_compare(d, n, &meta, &found->verdict))
		ret = -1;
	else
		ret = node_settle(d, n, &meta, &found->verdict);
	if (found->verdict & VERDICT_MADE) {
		d->now->dirty = true;
		d->renamed++;
	}
	if (!later)
		hard_judged(d, m->id, found->verdict);
	meta_free(&meta);
	return ret;
}

int dest_add_link(struct dest *d, const struct copy_msg *m, struct dest_found *found)
{
	char target[PATH_MAX];
	struct node n = {.target = target, .mode = S_IFLNK};

	if (memchr(m->text.p, '\0', m->text.n))
		return dest_breach(d, "sent a link target with a zero byte");
	memcpy(target, m->text.p, m->text.n);
	target[m->text.n] = '\0';
	return node_add(d, m, &n, found);
}

int dest_add_special(struct dest *d, const struct copy_msg *m, struct dest_found *found)
{
	struct node n = {.mode = m->mode, .rdev = m->off};
	struct copy_msg plain = *m;

	if (!S_ISBLK(m->mode) && !S_ISCHR(m->mode) && !S_ISFIFO(m->mode) && !S_ISSOCK(m->mode))
		return dest_breach(d, "sent a special file of no kind that there is");
	plain.mode &= 07777;
	return node_add(d, &plain, &n, found);
}
