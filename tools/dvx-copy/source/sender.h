/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SENDER_H
#define DVX_COPY_SENDER_H

#include <stdbool.h>

#include "base/alive.h"
#include "base/bwlimit.h"
#include "base/options.h"
#include "base/workers.h"
#include "base/report.h"
#include "engine/engine.h"
#include "walk.h"
#include "wire/link.h"

/*
 * The role that walks and reads. It lists entries, the receiver answers each with a verdict, and
 * the data of those that it wants go into slots of the pool: one large piece, or many small files.
 */
struct listed; /* an entry whose verdict or data is still to come */

struct copy_sender {
	struct link *link;
	struct copy_device *device;
	struct copy_options options;
	struct copy_counts *counts;
	struct report *report; /* of the client; NULL in a server, which tells the client */
	struct copy_fault *f;

	struct pool pool;
	struct export *export;
	uint32_t *free_slots, n_free;
	bool *lent; /* slots that the receiver has */

	struct walk walk;
	bool walking;
	uint32_t window;      /* entries that may be under way */
	struct listed **ring; /* MSG_WINDOW of them, by number */
	/* Numbers of entries: listed, judged and sent so far. */
	uint32_t n_listed, n_judged, n_sent;
	uint64_t wanted_bytes; /* judged, not sent */
	uint32_t wanted_files;
	struct bwlimit limit;
	struct alive alive;
	unsigned int jobs; /* threads that read small files */
	struct workers *workers;
	int fd;		       /* of the file that is being sent */
	struct ids *ids;       /* of hard links and owners */
	struct copy_lost lost; /* what the options don't keep */
	bool finished;	       /* the receiver said so */
	uint64_t files_before; /* of the requests that are finished */
};

/* Makes the pool that the receiver's SETUP asks for, within these limits, and sends its ticket. */
int sender_open(struct copy_sender *s, uint32_t slots, uint32_t slot_bytes);
void sender_close(struct copy_sender *s);

/* Sends one source: an entry of an open directory. `name` is its name at the destination, "" if it
 * is the contents of a directory that are copied. */
int sender_send(struct copy_sender *s, int dir, const char *entry, const char *name);

/*
 * One of several sources could not be found or was refused: s->f has the reason. It is named and
 * left out; -1 if the fault is not this source's alone.
 */
int sender_lose(struct copy_sender *s, const char *path);

/* After the last source of a request: DONE, and with wait: until the receiver has finished. */
int sender_done(struct copy_sender *s, bool wait);

/* What the receiver may say at any time during a copy. */
int sender_obey(struct copy_sender *s, const struct copy_msg *m);

/* --- what sender.c and pack.c share --- */

struct listed {
	struct walk_dir *dir;
	struct timespec mtime;
	uint64_t size, from,
		at;    /* from: bytes that the receiver offers; at: how far it is packed */
	uint8_t *sums; /* of these, by blocks */
	ino_t ino;
	uint32_t verdict;
	uint8_t kind; /* enum walk_event */
	bool sparse, is_device;
	char name[]; /* with a link's target behind its own zero */
};

/* Fills a slot with pieces of wanted files and sends it. The caller has seen that there are some
 * and that a slot is free. */
int pack_slot(struct copy_sender *s);

/* Drops the oldest entry. */
void sender_retire(struct copy_sender *s);

/* Tells the user of an entry that is not copied whole. */
int sender_skip(struct copy_sender *s, const struct walk_dir *dir, const char *name,
		const char *why);

#endif
