/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists what the walk finds: one message per entry, with everything that the options keep of it. */
#include "sender.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/path.h"
#include "base/account.h"
#include "base/acl.h"

/* --- extended attributes --- */

#define LIST_MAX  65536u
#define VALUE_MAX 65536u
#define PART	  4096u

/* Returns the entry's path in /proc, to read values: slow, but few entries have any. */
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

/* Whether the attribute is copied, as by rsync: root's, or "user.". */
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

/* The group bits may be an unread ACL's mask: they are not sent. ENOENT: the entry is gone. */
static int xattrs_unknown(struct copy_sender *s, const struct walk_item *item, uint32_t *mode)
{
	if (errno == ENOTSUP || errno == ENOENT)
		return 0;
	if (mode)
		*mode &= ~070u;
	return sender_skip(s, item->dir, item->name, "its ACL and attributes can't be read");
}

static int xattrs_send(struct copy_sender *s, const struct walk_item *item, uint32_t *mode)
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
			return copy_no_memory(s->f);
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

/* --- ids --- */

#define IDS_NAMED 65536u /* as many as a receiver accepts */

static int ids_hard(struct copy_sender *s, const struct stat *st, uint32_t *id)
{
	uint32_t *known = idmap_put(&s->ids.hard, st->st_dev, st->st_ino);

	if (!known)
		return copy_no_memory(s->f);
	if (!*known)
		*known = ++s->ids.n_hard;
	*id = *known;
	return 0;
}

static int ids_send(struct copy_sender *s, uint32_t id, bool group)
{
	struct copy_msg m = {.type = MSG_OWNER, .flags = group ? MSG_IS_GROUP : 0, .id = id};
	char name[ACCOUNT_ROOM];

	if (!account_name(id, group, name))
		return 0; /* without a name, the number is used */
	if (s->ids.named++ == IDS_NAMED)
		return copy_fail(s->f, COPY_IO,
				 "the source has more than %u owners: --numeric-ids copies them",
				 IDS_NAMED);
	m.name = bytes_text(name);
	return link_queue(s->link, &m, s->f);
}

static int ids_owner(struct copy_sender *s, uint32_t id, bool group)
{
	uint32_t *sent;

	if (s->options.bits & OPTION_NUMERIC)
		return 0;
	sent = idmap_put(&s->ids.sent, group, id);
	if (!sent)
		return copy_no_memory(s->f);
	if (*sent)
		return 0;
	*sent = 1;
	return ids_send(s, id, group);
}

static int list_remember(struct copy_sender *s, const struct walk_item *item)
{
	size_t n = strlen(item->name);
	size_t more = item->event == WALK_LINK && s->report ? item->target_len : 0;
	struct listed *e = malloc(sizeof(*e) + n + more + 2);

	if (!e)
		return copy_no_memory(s->f);
	*e = (struct listed){.dir = item->dir,
			     .mtime = item->st.st_mtim,
			     .size = (uint64_t)item->st.st_size,
			     .ino = item->st.st_ino,
			     .mode = item->st.st_mode,
			     .sparse = (uint64_t)item->st.st_blocks * 512 <
				       (uint64_t)item->st.st_size};
	memcpy(e->name, item->name, n + 1);
	memcpy(e->name + n + 1, item->target, more);
	e->name[n + 1 + more] = '\0';
	walk_hold(item->dir);
	s->n_large += listed_is_large(e);
	s->ring[s->n_listed++ % MSG_WINDOW] = e;
	return 0;
}

/* Whether this is the top entry. It is sent without a name: the receiver has it from TOP. */
static bool list_is_top(const struct copy_sender *s, const struct walk_item *item)
{
	return item->dir == s->walk.base;
}

static int list_owners(struct copy_sender *s, const struct walk_item *item, struct copy_msg *m)
{
	m->uid = item->st.st_uid;
	m->gid = item->st.st_gid;
	if (s->options.bits & OPTION_OWNER && ids_owner(s, m->uid, false))
		return -1;
	return s->options.bits & OPTION_GROUP ? ids_owner(s, m->gid, true) : 0;
}

static void list_times(const struct walk_item *item, struct copy_msg *m)
{
	m->sec = item->st.st_mtim.tv_sec;
	m->nsec = (uint32_t)item->st.st_mtim.tv_nsec;
}

static int list_hard(struct copy_sender *s, const struct walk_item *item, struct copy_msg *m)
{
	if (item->event == WALK_DIR || item->st.st_nlink < 2)
		return 0;
	if (s->options.bits & OPTION_HARD)
		return ids_hard(s, &item->st, &m->id);
	s->lost.hard++;
	return 0;
}

static int list_digest(struct copy_sender *s, const struct walk_item *item, struct copy_msg *m,
		       uint8_t digest[DIGEST_BYTES])
{
	if (!(s->options.bits & OPTION_CHECKSUM) || item->event != WALK_FILE)
		return 0;
	/* Without a digest the file is sent, which reports why it can't be read. */
	if (!digest_at(item->dir->fd, item->fs_name, digest, &s->alive))
		m->text = (struct copy_bytes){digest, DIGEST_BYTES};
	return s->f->code ? -1 : 0;
}

static int list_entry(struct copy_sender *s, const struct walk_item *item, enum msg_type type)
{
	uint8_t digest[DIGEST_BYTES];
	struct copy_msg m = {.type = type, .mode = item->st.st_mode & 07777};

	/* "dir/" was replaced since source_resolve() looked at it. */
	if (list_is_top(s, item) && !*item->name && type != MSG_DIR)
		return sender_skip(s, item->dir, item->fs_name, "is no directory any more");
	if (!list_is_top(s, item))
		m.name = bytes_text(item->name);
	if (type == MSG_LINK)
		m.text = (struct copy_bytes){(const uint8_t *)item->target,
					     (uint32_t)item->target_len};
	if (type == MSG_SPECIAL) {
		m.mode = item->st.st_mode;
		m.off = item->st.st_rdev;
	}
	m.size = (uint64_t)item->st.st_size;
	list_times(item, &m);
	if (list_owners(s, item, &m) || list_hard(s, item, &m) ||
	    list_digest(s, item, &m, digest) || xattrs_send(s, item, &m.mode) ||
	    list_remember(s, item))
		return -1;
	return link_queue(s->link, &m, s->f);
}

/* Leaves an entry out. --delete must not delete the destination's entry of that name. */
static int list_leave_out(struct copy_sender *s, const struct walk_item *item, const char *why)
{
	struct copy_msg keep = {.type = MSG_KEEP, .name = bytes_text(item->name)};

	if (sender_skip(s, item->dir, item->name, why))
		return -1;
	if (!(s->options.bits & OPTION_DELETE) || list_is_top(s, item))
		return 0;
	return link_queue(s->link, &keep, s->f);
}

static int list_special(struct copy_sender *s, const struct walk_item *item)
{
	if (s->options.bits & OPTION_SPECIALS)
		return list_entry(s, item, MSG_SPECIAL);
	return list_leave_out(s, item, "is neither a file, a directory nor a symbolic link");
}

static int list_link(struct copy_sender *s, const struct walk_item *item)
{
	if (s->options.bits & OPTION_LINKS)
		return list_entry(s, item, MSG_LINK);
	return list_leave_out(s, item, "is a symbolic link, and these are copied with -l only");
}

int list_next(struct copy_sender *s)
{
	struct copy_msg up = {.type = MSG_UP};
	struct walk_item item;

	if (walk_step(&s->walk, &item, s->f))
		return -1;
	switch (item.event) {
	case WALK_END:
		s->walking = false;
		walk_stop(&s->walk);
		return 0;
	case WALK_DIR:
		return list_entry(s, &item, MSG_DIR);
	case WALK_FILE:
		return list_entry(s, &item, MSG_FILE);
	case WALK_LINK:
		return list_link(s, &item);
	case WALK_SPECIAL:
		return list_special(s, &item);
	case WALK_UP:
		up.flags = item.whole ? MSG_WHOLE : 0;
		return link_queue(s->link, &up, s->f);
	case WALK_HIDDEN: /* no message comes of it, and there may be millions */
		return alive_tick(&s->alive);
	case WALK_SKIP:
		break;
	}
	return sender_skip(s, item.dir, item.name, item.why);
}

void list_show(struct copy_sender *s, const struct listed *e)
{
	char path[PATH_MAX];

	if (!report_wants_items(s->report))
		return;
	path_join(path, e->dir->rel, e->name);
	report_item(s->report, e->verdict, e->mode, path,
		    S_ISLNK(e->mode) ? e->name + strlen(e->name) + 1 : NULL);
}

static int list_send_totals(struct copy_sender *s, const struct copy_msg *sum)
{
	if (!s->report)
		return link_send(s->link, sum, s->f);
	report_want(s->report, sum->files, sum->size);
	return alive_tick(&s->alive);
}

/* The sums so far are sent once a second: counting a huge tree takes long. */
int list_totals(struct copy_sender *s, const struct source_entry *e)
{
	struct copy_msg sum = {.type = MSG_TOTALS};
	time_t last = time(NULL), now;
	struct walk_item item = {.event = WALK_SKIP};
	struct walk w;
	const bool into_dirs = s->options.bits & OPTION_RECURSE;
	int bad = walk_start(&w, e->dir, e->entry, e->name, into_dirs, s->f);

	w.filter = s->options.filter;
	w.one_fs = s->options.bits & OPTION_ONE_FS;
	if (s->report)
		report_source(s->report);
	while (!bad && !(bad = walk_step(&w, &item, s->f)) && item.event != WALK_END) {
		off_t allocated = (off_t)item.st.st_blocks * 512; /* holes are not sent */

		if (item.event == WALK_FILE) {
			sum.files++;
			sum.size += (uint64_t)(allocated < item.st.st_size ? allocated
									   : item.st.st_size);
		}
		now = time(NULL);
		if (now != last)
			bad = list_send_totals(s, &sum);
		last = now;
	}
	walk_stop(&w);
	return bad || list_send_totals(s, &sum);
}
