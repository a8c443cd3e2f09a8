/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles the sender's messages, and answers its entries with verdicts. */
#include "receiver.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/filter.h"
#include "base/wild.h"

/* --- verdicts --- */

int receiver_flush_verdicts(struct receiver *r)
{
	struct copy_msg m = {.type = MSG_VERDICT, .text = {r->verdicts, 4 * r->n_verdicts}};

	if (!r->n_verdicts)
		return 0;
	r->n_verdicts = 0;
	return link_send(r->link, &m, r->f);
}

/* Offers the sender what an interrupted copy left of the file, by sums of its blocks. */
static int handle_part(struct receiver *r, const struct dest_file *file, uint32_t number)
{
	uint8_t sums[DIGEST_BLOCKS * DIGEST_BYTES];
	struct copy_msg m = {.type = MSG_FROM, .id = number, .off = file->part, .text.p = sums};

	m.text.n = part_sums(file, sums, &r->dest.alive);
	if (r->f->code)
		return -1;
	return m.text.n ? link_queue(r->link, &m, r->f) : 0;
}

static int handle_verdict(struct receiver *r, const struct dest_found *found)
{
	uint32_t number = r->n_entries++;

	if (found->file && found->file->part && handle_part(r, found->file, number))
		return -1;
	msg_verdict_put(r->verdicts + 4 * r->n_verdicts++, found->verdict);
	if (r->ring[number % MSG_WINDOW])
		return link_breach(r->link, r->f, "listed more than %u entries at once",
				   MSG_WINDOW);
	r->ring[number % MSG_WINDOW] = found->file;
	return r->n_verdicts == RECEIVER_VERDICTS ? receiver_flush_verdicts(r) : 0;
}

/* Returns the entry's type and mode, as stat() has them. */
static uint32_t handle_mode(const struct copy_msg *m)
{
	switch (m->type) {
	case MSG_DIR:
		return S_IFDIR | m->mode;
	case MSG_FILE:
		return S_IFREG | m->mode;
	case MSG_LINK:
		return S_IFLNK | 0777;
	default:
		return m->mode;
	}
}

/* Shows the entry to the user. dir is its directory; for a new directory, the directory itself. */
static void handle_show(struct receiver *r, const struct copy_msg *m, const struct dest_dir *dir,
			const struct dest_found *found)
{
	char path[PATH_MAX], name[NAME_MAX + 1], buf[PATH_MAX];
	const char *target = m->type == MSG_LINK ? buf : NULL;

	if (!r->report || (!r->report->list && !report_wants_items(r->report)))
		return;
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	if (target)
		snprintf(buf, sizeof(buf), "%.*s", (int)m->text.n, (const char *)m->text.p);
	if (m->type == MSG_DIR)
		strcpy(path, dir->path);
	else
		path_join(path, dir->path, m->name.n ? name : r->dest.top);
	if (r->report->list)
		report_entry(r->report, path, handle_mode(m), m->size, m->sec, target);
	else
		report_item(r->report, found->verdict, handle_mode(m), path, target);
}

/* --- the sender's messages --- */

int receiver_end_source(struct receiver *r)
{
	if (r->top_waits) /* it could not be listed */
		seen_fail(&r->dest);
	else if (r->dest.now && (receiver_drain(r) || dest_finish(&r->dest)))
		return -1;
	r->top_waits = false;
	return 0;
}

/* Takes the sums so far of the next source. */
static int handle_totals(struct receiver *r, const struct copy_msg *m)
{
	if (!r->report)
		return 0;
	if (!r->counting)
		report_source(r->report);
	r->counting = true;
	report_want(r->report, m->files, m->size);
	return 0;
}

static int handle_top(struct receiver *r, const struct copy_msg *m)
{
	if (receiver_end_source(r))
		return -1;
	r->counting = false;
	memcpy(r->top_name, m->name.p, m->name.n);
	r->top_name[m->name.n] = '\0';
	r->top = *m;
	r->top.name.p = (const uint8_t *)r->top_name;
	if (m->flags & MSG_LOST && r->tops) {
		r->tops--;
		seen_fail(&r->dest);
		return 0;
	}
	/* Without this check a sender could choose what is overwritten in DEST. */
	if (!r->tops-- || !(m->flags & MSG_CONTENTS) == !m->name.n)
		return link_breach(r->link, r->f, "sent \"%s\", a source that was not asked for",
				   SHOWN(r->top_name));
	if (r->expect && strcmp(r->expect, r->top_name) != 0 &&
	    (!m->name.n || !wild_match_name(r->expect, r->top_name)))
		return link_breach(r->link, r->f, "sent \"%s\" instead of \"%s\"",
				   SHOWN(r->top_name), SHOWN(r->expect));
	r->top_waits = true;
	return 0;
}

static int handle_first_entry(struct receiver *r, const struct copy_msg *m)
{
	if (!r->top_waits)
		return 0;
	r->top_waits = false;
	return dest_begin(&r->dest, &r->plan, &r->top, m->type == MSG_DIR);
}

/* Returns the path that filter rules are matched with, the same as in the sender's walk. */
static const char *handle_path(const struct receiver *r, const struct copy_msg *m,
			       char path[PATH_MAX])
{
	char name[NAME_MAX + 1];

	if (!m->name.n)
		return r->top_name;
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	return path_join(path, r->dest.now->path, name);
}

/* Refuses an entry that the filter excludes: an honest sender does not send it. */
static int handle_check_filter(struct receiver *r, const struct copy_msg *m)
{
	char buf[PATH_MAX];
	const char *path = handle_path(r, m, buf);

	if (!r->options.filter || !filter_hides(r->options.filter, path, m->type == MSG_DIR))
		return 0;
	return link_breach(r->link, r->f, "sent %s, which is excluded", SHOWN(path));
}

static int handle_entry(struct receiver *r, const struct copy_msg *m)
{
	struct dest_found found = {0};
	struct dest *d = &r->dest;
	int bad = handle_first_entry(r, m) || (d->now && handle_check_filter(r, m));

	if (bad)
		return -1;
	switch (m->type) {
	case MSG_DIR:
		bad = dest_add_dir(d, m, &found);
		break;
	case MSG_FILE:
		bad = dest_add_file(d, m, &found);
		break;
	case MSG_LINK:
		bad = dest_add_link(d, m, &found);
		break;
	default:
		bad = dest_add_special(d, m, &found);
		break;
	}
	if (bad)
		return -1;
	verdict_count(r->counts, found.verdict, handle_mode(m), m->size,
		      r->options.bits & OPTION_DRY);
	handle_show(r, m, d->now, &found);
	return handle_verdict(r, &found);
}

/* Handles a piece. A file's pieces come in order; after the last it leaves the window. */
static int handle_piece(struct receiver *r, const struct msg_piece *p, struct intake_slot *slot)
{
	struct dest_file **at = &r->ring[p->entry % MSG_WINDOW], *file = *at;

	if (!file || r->n_entries - p->entry > MSG_WINDOW || r->n_entries == p->entry)
		return link_breach(r->link, r->f, "sent data outside of a file");
	if (p->flags > (PIECE_LAST | PIECE_BROKEN | PIECE_FROM))
		return link_breach(r->link, r->f, "sent a piece with unknown flags");
	if (dest_expect(&r->dest, file, p))
		return -1;
	if (p->len)
		slot->pieces[slot->n++] = (struct intake_piece){file, p->off, p->len};
	if (!(p->flags & PIECE_LAST))
		return 0;
	*at = NULL;
	return dest_end_file(&r->dest, file, p->flags & PIECE_BROKEN);
}

static int handle_pieces(struct receiver *r, const struct copy_msg *m, struct intake_slot *slot)
{
	uint64_t sum = 0;

	for (uint32_t at = 0; at < m->text.n; at += MSG_PIECE_BYTES) {
		struct msg_piece p;

		msg_piece_get(&p, m->text.p + at);
		sum += p.len;
		if (sum > m->len)
			break; /* a message without a slot has no room for pieces with bytes */
		if (handle_piece(r, &p, slot))
			return -1;
	}
	return sum == m->len ? 0 : link_breach(r->link, r->f, "miscounted the pieces of a slot");
}

static int handle_data(struct receiver *r, const struct copy_msg *m)
{
	struct intake_slot none = {0}, *slot = &none;

	if (m->text.n % MSG_PIECE_BYTES)
		return link_breach(r->link, r->f, "sent half a piece");
	if (m->len && !(slot = intake_expect(&r->intake, m, r->f)))
		return -1;
	if (handle_pieces(r, m, slot))
		return -1;
	if (m->len)
		intake_queue(&r->intake, slot);
	return 0;
}

static int handle_done(struct receiver *r, const struct copy_msg *m)
{
	const struct copy_lost lost = {.acls = m->files, .xattrs = m->chunks, .hard = m->copies};

	if (r->report)
		report_lost(r->report, &lost);
	r->done = true;
	return 0;
}

/* The options that a message needs; any one of them suffices. */
static const uint32_t handle_needs[MSG_TYPES] = {
	[MSG_DIR] = OPTION_RECURSE,
	[MSG_LINK] = OPTION_LINKS,
	[MSG_SPECIAL] = OPTION_SPECIALS,
	[MSG_KEEP] = OPTION_DELETE,
	[MSG_OWNER] = OPTION_OWNER | OPTION_GROUP,
	[MSG_XATTR] = OPTION_ACLS | OPTION_XATTRS,
};

int receiver_handle(struct receiver *r, const struct copy_msg *m)
{
	if (handle_needs[m->type] && !(handle_needs[m->type] & r->options.bits))
		return link_breach(r->link, r->f, "sent %s, which was not asked for",
				   msg_name(m->type));
	switch (m->type) {
	case MSG_TOTALS:
		return handle_totals(r, m);
	case MSG_TOP:
		return handle_top(r, m);
	case MSG_OWNER:
		return dest_add_owner(&r->dest, m);
	case MSG_XATTR:
		return dest_add_xattr(&r->dest, m);
	case MSG_DIR:
	case MSG_FILE:
	case MSG_LINK:
	case MSG_SPECIAL:
		return handle_entry(r, m);
	case MSG_KEEP:
		return dest_keep(&r->dest, m);
	case MSG_UP:
		return dest_up(&r->dest, m);
	case MSG_DATA:
		return handle_data(r, m);
	case MSG_POOL:
		return receiver_import(r, m);
	case MSG_ALIVE:
		return 0;
	case MSG_NOTICE:
		if (r->report)
			report_skip(r->report, m->name, m->text);
		return 0;
	case MSG_DONE:
		return handle_done(r, m);
	default:
		return link_breach(r->link, r->f, "sent %s during a copy", msg_name(m->type));
	}
}
