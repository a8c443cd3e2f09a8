/* SPDX-License-Identifier: BSD-2-Clause */
#include "pull.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/crc32c.h"

#define SPINS	 200 /* polls of the queue before sleeping: about the duration of a copy */
#define SLICE_MS 250

/* What a slot holds while the client owns it. */
struct chunk {
	struct dest_file *file; /* NULL: the server has the slot */
	uint64_t off;
	uint32_t len, crc;
	uint32_t posted, done; /* bytes asked of the device; pieces are counted by bytes */
};

static int pull_make_pool(struct pull *p, const struct pull_wish *wish, struct copy_fault *f)
{
	struct copy_msg m = {
		.type = MSG_SETUP, .slots = wish->slots, .slot_bytes = wish->slot_bytes};
	struct copy_fault device = {0};
	struct ticket ticket;
	int ret;

	if (link_send(&p->link, &m, f) || link_expect(&p->link, MSG_POOL, &m, f))
		return -1;
	if (m.slots > wish->slots || m.slot_bytes > wish->slot_bytes)
		return copy_fail(f, COPY_PROTOCOL, "the server made a larger pool than requested");
	memcpy(ticket.bytes, m.name.p, m.name.n);
	ticket.n = m.name.n;
	p->chunks = calloc(m.slots, sizeof(*p->chunks));
	p->queue = calloc(m.slots, sizeof(*p->queue));
	if (!p->chunks || !p->queue)
		ret = copy_fail(f, COPY_IO, "out of memory");
	else
		ret = pool_make(&p->pool, m.slots, m.slot_bytes, f);
	if (!ret && engine_make(&p->engine, p->device, &p->pool, &ticket, &device)) {
		/* A server that gave up, or died, has freed its memory: the device can't say that. */
		ret = link_ask_cause(&p->link, &device, f);
	}
	explicit_bzero(&ticket, sizeof(ticket));
	return ret;
}

int pull_open(struct pull *p, int fd, const struct key *key, const struct pull_wish *wish,
	      struct copy_fault *f)
{
	p->queue_from = p->queue_n = p->in_flight = 0;
	link_init(&p->link, fd, false, wish->patience_ms);
	p->link.stop = p->stop;
	if (link_handshake(&p->link, key, f))
		return -1;
	return pull_make_pool(p, wish, f);
}

void pull_close(struct pull *p, const struct copy_fault *f)
{
	struct copy_msg bye = {.type = MSG_BYE};
	struct copy_fault ignored = {0};

	/* The alias is destroyed before the server destroys its mkey. */
	engine_free(p->engine);
	if (!f->code)
		link_send(&p->link, &bye, &ignored);
	else if (f->code != COPY_PEER)
		link_tell(&p->link, f);
	link_close(&p->link);
	pool_free(&p->pool);
	free(p->chunks);
	free(p->queue);
	p->engine = NULL;
	p->chunks = NULL;
	p->queue = NULL;
}

static int take_chunk(struct pull *p, const struct copy_msg *m, struct copy_fault *f)
{
	struct chunk *c;

	if (m->slot >= p->pool.slots || p->chunks[m->slot].file)
		return copy_fail(f, COPY_PROTOCOL,
				 "the server filled slot %u, which it did not have", m->slot);
	if (m->len > p->pool.slot_bytes)
		return copy_fail(f, COPY_PROTOCOL, "the server sent a chunk larger than its slot");
	c = &p->chunks[m->slot];
	*c = (struct chunk){.off = m->off, .len = m->len, .crc = m->crc};
	c->file = dest_expect(&p->dest, m, f);
	if (!c->file)
		return -1;
	p->queue[(p->queue_from + p->queue_n++) % p->pool.slots] = m->slot;
	return 0;
}

static int pull_obey(struct pull *p, const struct copy_msg *m, bool *done, struct copy_fault *f)
{
	switch (m->type) {
	case MSG_TOTALS:
		p->report->want_files = p->files_before + m->files;
		p->report->want_bytes = p->bytes_before + m->size;
		return 0;
	case MSG_DIR:
		return dest_add_dir(&p->dest, m, f);
	case MSG_UP:
		return dest_up(&p->dest, f);
	case MSG_LINK:
		return dest_add_link(&p->dest, m, f);
	case MSG_FILE:
		return dest_add_file(&p->dest, m, f);
	case MSG_CHUNK:
		return take_chunk(p, m, f);
	case MSG_END:
		return dest_end_file(&p->dest, m, f);
	case MSG_NOTICE:
		report_skip(p->report, m->name, m->text);
		return 0;
	case MSG_DONE:
		*done = true;
		return 0;
	default:
		return copy_fail(f, COPY_PROTOCOL, "the server sent %s during a copy",
				 msg_name(m->type));
	}
}

/* Cuts queued chunks into pieces for the engine. Returns the number of posted pieces. */
static int pull_post(struct pull *p, struct copy_fault *f)
{
	int posted = 0, ok = 1;

	while (p->queue_n && ok == 1) {
		uint32_t slot = p->queue[p->queue_from];
		struct chunk *c = &p->chunks[slot];
		uint32_t n = c->len - c->posted;

		if (n > engine_max(p->engine))
			n = engine_max(p->engine);
		ok = engine_post(p->engine, slot, (size_t)slot * p->pool.slot_bytes + c->posted, n,
				 f);
		if (ok != 1)
			break;
		posted++;
		c->posted += n;
		if (c->posted == c->len) {
			p->queue_from = (p->queue_from + 1) % p->pool.slots;
			p->queue_n--;
		}
	}
	if (posted)
		engine_ring(p->engine);
	p->in_flight += (uint32_t)posted;
	p->report->copies += (uint32_t)posted;
	return ok < 0 ? -1 : posted;
}

static int finish_chunk(struct pull *p, uint32_t slot, struct copy_fault *f)
{
	struct chunk *c = &p->chunks[slot];
	const uint8_t *bytes = pool_slot(&p->pool, slot);
	struct copy_msg m = {.type = MSG_RETURN, .slot = slot};
	uint32_t crc = crc32c(bytes, c->len);

	if (crc != c->crc)
		return copy_fail(
			f, COPY_INTEGRITY,
			"bytes %llu to %llu of %s arrived changed: CRC32C 0x%08x, sent as 0x%08x",
			(unsigned long long)c->off, (unsigned long long)(c->off + c->len - 1),
			QUOTED(c->file->name, strlen(c->file->name)), crc, c->crc);
	p->report->chunks++;
	if (dest_write(&p->dest, c->file, bytes, c->len, c->off, f))
		return -1;
	c->file = NULL;
	return link_send(&p->link, &m, f);
}

/* The cookie is the slot; all its pieces but the last have engine_max() bytes. */
static void piece_done(struct pull *p, uint32_t slot)
{
	struct chunk *c = &p->chunks[slot];
	uint32_t left = c->len - c->done, max = engine_max(p->engine);

	c->done += left < max ? left : max;
	p->in_flight--;
}

static int reap(struct pull *p, struct copy_fault *f)
{
	struct copy_fault device = {0};
	uint32_t slot;
	int reaped = 0, got;

	while ((got = engine_poll(p->engine, &slot, &device)) == 1) {
		reaped++;
		piece_done(p, slot);
		/* New copies are posted before the disk writes, so that both are busy. */
		if (pull_post(p, f) < 0)
			return -1;
		if (p->chunks[slot].done == p->chunks[slot].len && finish_chunk(p, slot, f))
			return -1;
	}
	return got < 0 ? link_ask_cause(&p->link, &device, f) : reaped;
}

/* Takes one message if there is one. */
static int hear(struct pull *p, bool *done, struct copy_fault *f)
{
	struct copy_msg m;
	int got;

	if (*done)
		return 0;
	got = link_take(&p->link, &m, 0, f);
	if (got == 1 && pull_obey(p, &m, done, f))
		return -1;
	return got;
}

static int pull_work(struct pull *p, bool *done, struct copy_fault *f)
{
	int heard = hear(p, done, f), posted, reaped;

	if (heard < 0)
		return -1;
	posted = pull_post(p, f);
	if (posted < 0)
		return -1;
	reaped = reap(p, f);
	return reaped < 0 ? -1 : heard + posted + reaped;
}

static int out_of_patience(struct pull *p, struct copy_fault *f)
{
	if (p->in_flight)
		return copy_fail(f, COPY_DEVICE, "the device has not finished a copy for %d s",
				 p->link.patience_ms / 1000);
	return copy_fail(f, COPY_PEER, "the server has been silent for %d s",
			 p->link.patience_ms / 1000);
}

/* Sleeps until the server or the device has something. waited_ms counts the idle time. */
static int sleep_for_news(struct pull *p, bool done, int *waited_ms, struct copy_fault *f)
{
	struct pollfd w[2] = {{.fd = done ? -1 : p->link.fd, .events = POLLIN},
			      {.fd = engine_fd(p->engine), .events = POLLIN}};
	int n = poll(w, 2, SLICE_MS);

	if (n < 0 && errno != EINTR)
		return copy_fail(f, COPY_IO, "poll: %s", strerror(errno));
	*waited_ms = n > 0 ? 0 : *waited_ms + SLICE_MS;
	if (p->stop && *p->stop)
		return copy_fail(f, COPY_INTERRUPTED, "interrupted; finished files stay");
	return *waited_ms > p->link.patience_ms ? out_of_patience(p, f) : 0;
}

static void pull_show(struct pull *p)
{
	p->report->files = p->dest.files;
	p->report->dirs = p->dest.dirs;
	p->report->links = p->dest.links;
	p->report->bytes = p->dest.bytes;
	report_progress(p->report);
}

static int transfer(struct pull *p, struct copy_fault *f)
{
	int idle = 0, waited_ms = 0, did;
	bool done = false, armed = false;

	while (!done || p->in_flight || p->queue_n) {
		did = pull_work(p, &done, f);
		if (did < 0)
			return -1;
		pull_show(p);
		if (did) {
			idle = waited_ms = 0;
			armed = false;
			if (p->stop && *p->stop)
				return copy_fail(f, COPY_INTERRUPTED,
						 "interrupted; finished files stay");
			continue;
		}
		if (p->in_flight && ++idle < SPINS)
			continue;
		if (!armed) {
			/* Poll once more: a completion before the arming raises no event. */
			if (engine_arm(p->engine, f))
				return -1;
			armed = true;
			continue;
		}
		if (sleep_for_news(p, done, &waited_ms, f))
			return -1;
		armed = waited_ms != 0;
	}
	return dest_finish(&p->dest, f);
}

int pull_path(struct pull *p, const char *path, const struct dest_plan *plan, struct copy_fault *f)
{
	struct copy_msg m = {.type = MSG_PULL,
			     .flags = p->report->live ? MSG_WANT_TOTALS : 0,
			     .name = {(const uint8_t *)path, (uint32_t)strlen(path)}};
	int ret;

	p->files_before = p->dest.files;
	p->bytes_before = p->dest.bytes;
	p->report->want_files = p->report->want_bytes = 0;
	if (m.name.n >= PATH_MAX)
		return copy_fail(f, COPY_USAGE, "source path is longer than %d bytes",
				 PATH_MAX - 1);
	ret = dest_begin(&p->dest, plan, f) || link_send(&p->link, &m, f) || transfer(p, f);
	/* The queue is destroyed before the files are closed. */
	if (ret) {
		engine_free(p->engine);
		p->engine = NULL;
		dest_abort(&p->dest);
	}
	pull_show(p);
	return ret ? -1 : 0;
}
