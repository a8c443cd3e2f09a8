/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists what the walk finds: one message per entry, with everything that the options keep of it. */
#include "list.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digest.h"
#include "ids.h"
#include "xattrs.h"

static int list_remember(struct copy_sender *s, const struct walk_item *item)
{
	size_t n = strlen(item->name);
	size_t more = item->event == WALK_LINK && s->report ? item->target_len : 0;
	struct listed *e = malloc(sizeof(*e) + n + more + 2);

	if (!e)
		return copy_fail(s->f, COPY_IO, "out of memory");
	*e = (struct listed){.dir = item->dir,
			     .mtime = item->st.st_mtim,
			     .size = (uint64_t)item->st.st_size,
			     .ino = item->st.st_ino,
			     .kind = (uint8_t)item->event,
			     .is_device = S_ISBLK(item->st.st_mode) || S_ISCHR(item->st.st_mode),
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
	/*
	 * Without a digest the receiver wants the file; sending it then reports why it can't be
	 * read.
	 */
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
	static const char kinds[] = {[WALK_DIR] = 'd', [WALK_FILE] = 'f', [WALK_LINK] = 'L'};
	char kind = e->kind < sizeof(kinds) && kinds[e->kind] ? kinds[e->kind] : 'S';
	char path[PATH_MAX];

	if (!report_wants_items(s->report))
		return;
	if (e->kind == WALK_SPECIAL && e->is_device)
		kind = 'D';
	walk_path(path, e->dir, e->name);
	report_item(s->report, e->verdict, kind, path,
		    e->kind == WALK_LINK ? e->name + strlen(e->name) + 1 : NULL);
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
