/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SENDER_H
#define DVX_COPY_SENDER_H

#include <stdbool.h>

#include "base/alive.h"
#include "base/bwlimit.h"
#include "base/idmap.h"
#include "base/options.h"
#include "base/workers.h"
#include "base/report.h"
#include "engine/engine.h"
#include "resolve.h"
#include "walk.h"
#include "wire/role.h"

/*
 * The role that walks and reads. It lists entries, and the receiver answers each with a verdict.
 * The data of wanted entries goes into slots of the pool: a piece of a large file, or many small
 * files.
 */
struct listed; /* an entry that waits for its verdict or its data to be sent */

struct copy_sender {
	struct copy_role *role;
	struct link *link; /* this and the next are the role's */
	struct copy_device *device;
	struct copy_options options;
	struct copy_counts *counts;
	struct report *report; /* or NULL */
	struct copy_fault *f;

	struct ticket offer; /* of the receiver */
	struct pool pool;    /* made for the first data */
	struct export *export;
	uint32_t *free_slots, n_free;
	bool *lent; /* which slots the receiver has */

	struct walk walk;
	bool walking;
	uint32_t window;      /* directories and large files that entries may hold open */
	uint32_t n_large;     /* of the listed entries */
	struct listed **ring; /* MSG_WINDOW of them, by number */
	/* Numbers of entries: listed, judged and sent so far. */
	uint32_t n_listed, n_judged, n_sent;
	uint64_t wanted_bytes; /* bytes judged and not sent */
	uint32_t wanted_files;
	struct bwlimit limit;
	struct alive alive;
	struct workers *workers;
	int fd; /* the file that is being sent */
	struct {
		idmap hard, sent; /* inodes to ids; owners whose names were sent */
		uint32_t n_hard, named;
	} ids;
	struct copy_lost lost; /* attributes that the options do not keep */
	bool finished;	       /* FINISHED came */
	uint64_t files_before; /* files of the finished requests */
};

/* Handles SETUP: the pool will have the shape that it requests, within the role's limits. */
int sender_open(struct copy_sender *s, struct copy_role *role);
void sender_close(struct copy_sender *s);
/* Makes the pool if there is none yet, and sends its ticket. A copy without data needs no pool. */
int sender_need_pool(struct copy_sender *s);

/* Sends one source, counted before if the user wants to see progress. */
int sender_send(struct copy_sender *s, const struct source_entry *e);

/*
 * Handles a source that could not be found or was refused, for the reason in s->f. If there are
 * others, it is reported and left out. -1 if there are none, or the reason concerns them too.
 */
int sender_lose(struct copy_sender *s, const char *path, bool others);

/* Ends a request: sends DONE. With wait it returns when the receiver has finished. */
int sender_done(struct copy_sender *s, bool wait);

/* Handles a message of the receiver, which may come at any time during a copy. */
int sender_handle(struct copy_sender *s, const struct copy_msg *m);

/* --- shared by sender.c and pack.c --- */

struct listed {
	struct walk_dir *dir;
	struct timespec mtime;
	uint64_t size, from,
		at;    /* from: bytes that the receiver has already; at: bytes packed so far */
	uint8_t *sums; /* of these bytes, by blocks */
	ino_t ino;
	uint32_t verdict;
	uint32_t mode;
	bool sparse;
	char name[]; /* a link's target follows behind the zero */
};

/* Whether the receiver may open a part of it. */
static inline bool listed_is_large(const struct listed *e)
{
	return S_ISREG(e->mode) && e->size >= MSG_PART_LEAST;
}

/* Fills a free slot with pieces of wanted files, of which there are some, and sends it. */
int pack_slot(struct copy_sender *s);

/* Drops the oldest entry. */
void sender_retire(struct copy_sender *s);

/* Reports an entry that is not copied whole. */
int sender_skip(struct copy_sender *s, const struct walk_dir *dir, const char *name,
		const char *why);

/* --- list.c --- */

/* Takes the next step of the walk and lists what it finds. */
int list_next(struct copy_sender *s);

/* Shows an entry with its verdict, if the report shows entries. */
void list_show(struct copy_sender *s, const struct listed *e);

/* Counts a tree that is going to be sent, and sends the receiver the sums. */
int list_totals(struct copy_sender *s, const struct source_entry *e);

#endif
