/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads recordings, also those that are cut short, damaged, or not recordings. */
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void record_wrong(struct record_reader *r,
							       const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, args);
	va_end(args);
}

bool record_read(struct record_reader *r, const void *bytes, size_t len)
{
	const struct record_file *f = bytes;

	*r = (struct record_reader){.file = f, .at = sizeof(*f), .len = len, .next_number = 1};
	if (len < sizeof(f->magic) || memcmp(f->magic, RECORD_MAGIC, sizeof(f->magic)) != 0)
		record_wrong(r, "offset 0: expected \"dvx rec\", with which recordings begin");
	else if (len < sizeof(*f))
		record_wrong(r, "offset %zu: expected the header's %zu bytes, the file ends", len,
			     sizeof(*f));
	else if (f->version != RECORD_VERSION)
		record_wrong(r, "offset 8: expected version %u, not %u: show it with that dvx-sim",
			     RECORD_VERSION, f->version);
	else if (f->ended > 1)
		record_wrong(r, "offset 12: expected 0 or 1, not %u", f->ended);
	else if (f->used < sizeof(*f))
		record_wrong(r, "offset 16: expected at least %zu bytes in use, not %llu",
			     sizeof(*f), (unsigned long long)f->used);
	else if (f->ended && f->used < len)
		record_wrong(r, "offset %llu: expected the end of the file",
			     (unsigned long long)f->used);
	if (*r->why)
		return false;
	r->cut = f->used > len;
	r->len = r->cut ? len : f->used;
	return true;
}

/* Returns whether the lengths inside an event fit. */
static bool record_fits(const struct record_head *h)
{
	static const uint8_t least[RECORD_KINDS] = {
		[RECORD_PROCESS] = 8,
		[RECORD_COMMAND] = sizeof(struct record_command),
		[RECORD_DOORBELL] = sizeof(struct record_doorbell),
		[RECORD_WQE] = sizeof(struct record_wqe),
		[RECORD_CQE] = sizeof(struct record_cqe),
		[RECORD_EQE] = sizeof(struct record_eqe),
		[RECORD_RETRY] = sizeof(struct record_retry),
		[RECORD_CALL] = sizeof(struct record_call) + 8,
		[RECORD_POST] = sizeof(struct record_post),
		[RECORD_COMPLETION] = sizeof(struct record_completion),
	};
	const size_t bytes = record_bytes(h);
	const struct record_command *c = record_body(h);
	const struct record_wqe *w = record_body(h);

	if (h->kind >= RECORD_KINDS)
		return true;
	if (!least[h->kind] || bytes < least[h->kind])
		return false;
	switch (h->kind) {
	case RECORD_COMMAND:
		return bytes - sizeof(*c) >= (size_t)c->in_kept + c->out_kept &&
		       c->in_kept <= c->in_len && c->out_kept <= c->out_len;
	case RECORD_WQE:
		return w->ring <= RECORD_SRQ && w->kept <= bytes - sizeof(*w) &&
		       memchr(w->layout, 0, sizeof(w->layout));
	case RECORD_POST:
		return ((const struct record_post *)record_body(h))->ring <= RECORD_SRQ;
	case RECORD_PROCESS:
	case RECORD_CALL:
		return !((const uint8_t *)h)[h->len - 1]; /* text ends within */
	default:
		return true;
	}
}

/* Passes over zeros, which a writer left that died before it set the length of its event. */
static bool record_skip_zeros(struct record_reader *r)
{
	const uint8_t *bytes = (const uint8_t *)r->file;
	uint64_t word;
	bool any = false;

	for (; r->len - r->at >= sizeof(word); r->at += sizeof(word), any = true) {
		memcpy(&word, bytes + r->at, sizeof(word));
		if (word)
			break;
	}
	r->torn += any;
	return r->len - r->at >= sizeof(struct record_head);
}

static const struct record_head *record_at(struct record_reader *r)
{
	const struct record_head *h = (const void *)((const uint8_t *)r->file + r->at);

	if (h->len % 8 || h->len < sizeof(*h)) {
		record_wrong(r, "offset %llu: expected the length of event %llu, not %u",
			     (unsigned long long)r->at, (unsigned long long)r->next_number, h->len);
		return NULL;
	}
	if (h->len <= r->len - r->at)
		return h;
	r->cut |= r->file->used > r->len;
	if (!r->cut)
		record_wrong(r, "offset %llu: expected at most %llu bytes of event %llu, not %u",
			     (unsigned long long)r->at, (unsigned long long)(r->len - r->at),
			     (unsigned long long)r->next_number, h->len);
	return NULL;
}

const struct record_head *record_next(struct record_reader *r)
{
	const struct record_head *h;

	while (!*r->why && record_skip_zeros(r)) {
		h = record_at(r);
		if (!h)
			return NULL;
		if (h->sum && h->sum != record_sum(h, h->len))
			record_wrong(
				r, "offset %llu: expected the sum 0x%08x of event %llu, not 0x%08x",
				(unsigned long long)r->at, record_sum(h, h->len),
				(unsigned long long)r->next_number, h->sum);
		else if (h->sum && !record_fits(h))
			record_wrong(r,
				     "offset %llu: expected an event of kind %u, not its %u bytes",
				     (unsigned long long)r->at, h->kind, h->len);
		if (*r->why)
			return NULL;
		r->at += h->len;
		r->torn += !h->sum;
		r->next_number++;
		if (h->sum)
			return h;
	}
	return NULL;
}
