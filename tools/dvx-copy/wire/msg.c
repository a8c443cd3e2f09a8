/* SPDX-License-Identifier: BSD-2-Clause */
#include "msg.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/digest.h"
#include "base/filter.h"
#include "base/options.h"

enum kind { END_OF_ROW, U32, U64, BYTES };

struct msg_field {
	const char *name;
	enum kind kind;
	size_t at;
	uint64_t min, max; /* range of the value, or of the number of bytes */
};

struct msg_row {
	const char *name;
	struct msg_field field[10];
};

/* clang-format off */
#define ROW(f, kind, lo, hi) {#f, kind, offsetof(struct copy_msg, f), lo, hi}
/* clang-format on */
#define IN32(f, lo, hi) ROW(f, U32, lo, hi)
#define IN64(f, lo, hi) ROW(f, U64, lo, hi)
#define RAW(f, lo, hi)	ROW(f, BYTES, lo, hi)
#define ANY32(f)	IN32(f, 0, UINT32_MAX)
#define ANY64(f)	IN64(f, 0, UINT64_MAX)
#define OFF(f)		IN64(f, 0, INT64_MAX) /* the range of off_t */
#define NSEC		IN32(nsec, 0, 999999999)
#define MODE		IN32(mode, 0, 07777)
#define NAME		RAW(name, 0, NAME_MAX)
#define TIME		ANY64(sec), NSEC
#define OWNERS		ANY32(uid), ANY32(gid)

/* The message formats: fields in order, little-endian; RAW has a 32-bit count before it. */
static const struct msg_row rows[MSG_TYPES] = {
	[MSG_HELLO] = {"HELLO", {ANY32(magic), ANY32(version), ANY32(flags), RAW(name, 32, 32)}},
	[MSG_ERROR] = {"ERROR", {IN32(code, 0, 255), RAW(text, 0, 1024)}},
	[MSG_START] = {"START",
		       {IN32(flags, 0, MSG_PUSH | MSG_MANY | MSG_MERGE),
			IN32(options, 0, OPTIONS_ALL), IN32(code, 0, FSYNC_MODES - 1),
			IN64(chunks, 0, FILTER_RULES_MAX + ONLY_MAX), ANY64(size), OFF(off),
			RAW(name, 0, PATH_MAX - 1)}},
	[MSG_FILTER] = {"FILTER", {RAW(text, 3, FILTER_PATTERN_MAX + 2)}},
	[MSG_SETUP] = {"SETUP",
		       {IN32(slots, 1, 4096), IN32(slot_bytes, 4096, 1u << 30),
			IN32(window, 1, MSG_WINDOW), RAW(name, 0, 1024)}},
	[MSG_POOL] = {"POOL",
		      {IN32(slots, 1, 4096), IN32(slot_bytes, 4096, 1u << 30), RAW(name, 1, 1024)}},
	[MSG_PULL] = {"PULL", {RAW(name, 0, PATH_MAX - 1)}},
	[MSG_TOTALS] = {"TOTALS", {ANY64(files), ANY64(size)}},
	[MSG_TOP] = {"TOP", {IN32(flags, 0, MSG_LOST), NAME}},
	[MSG_OWNER] = {"OWNER", {IN32(flags, 0, MSG_IS_GROUP), ANY32(id), RAW(name, 1, 255)}},
	[MSG_XATTR] = {"XATTR",
		       {IN32(flags, 0, MSG_GOES_ON), RAW(name, 1, 255), RAW(text, 0, 4096)}},
	[MSG_DIR] = {"DIR", {NAME, MODE, TIME, OWNERS}},
	[MSG_UP] = {"UP", {IN32(flags, 0, MSG_WHOLE)}},
	[MSG_FILE] = {"FILE", {NAME, MODE, OFF(size), TIME, OWNERS, ANY32(id), RAW(text, 0, 32)}},
	[MSG_LINK] = {"LINK", {NAME, RAW(text, 1, PATH_MAX - 1), TIME, OWNERS, ANY32(id)}},
	[MSG_SPECIAL] = {"SPECIAL",
			 {NAME, IN32(mode, 0, 0177777), ANY64(off), TIME, OWNERS, ANY32(id)}},
	[MSG_KEEP] = {"KEEP", {RAW(name, 1, NAME_MAX)}},
	[MSG_DATA] = {"DATA",
		      {ANY32(slot), IN32(len, 0, 1u << 30), ANY32(crc),
		       RAW(text, MSG_PIECE_BYTES, MSG_PIECES *MSG_PIECE_BYTES)}},
	[MSG_NOTICE] = {"NOTICE", {RAW(name, 0, PATH_MAX - 1), RAW(text, 0, 1024)}},
	[MSG_ALIVE] = {"ALIVE", {{0}}},
	[MSG_DONE] = {"DONE", {ANY64(files), ANY64(chunks), ANY64(copies)}},
	[MSG_VERDICT] = {"VERDICT", {RAW(text, 4, 4 * MSG_VERDICTS)}},
	[MSG_FROM] = {"FROM",
		      {ANY32(id), IN64(off, 1, INT64_MAX),
		       RAW(text, DIGEST_BYTES, DIGEST_BLOCKS *DIGEST_BYTES)}},
	[MSG_GONE] = {"GONE", {RAW(name, 1, PATH_MAX - 1)}},
	[MSG_RETURN] = {"RETURN", {ANY32(slot)}},
	[MSG_FINISHED] = {"FINISHED", {ANY64(files), ANY64(chunks), ANY64(copies)}},
	[MSG_BYE] = {"BYE", {{0}}},
};

const char *msg_name(unsigned int type)
{
	return type < MSG_TYPES && rows[type].name ? rows[type].name : "unknown";
}

static uint64_t msg_value_of(const struct msg_field *d, const struct copy_msg *m)
{
	const char *p = (const char *)m + d->at;
	uint64_t wide;
	uint32_t narrow;

	if (d->kind == U64) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, d->kind == BYTES ? p + offsetof(struct copy_bytes, n) : p, sizeof(narrow));
	return narrow;
}

void msg_piece_put(uint8_t to[MSG_PIECE_BYTES], const struct msg_piece *p)
{
	bytes_put(to, p->entry, 4);
	bytes_put(to + 4, p->flags, 4);
	bytes_put(to + 8, p->off, 8);
	bytes_put(to + 16, p->len, 4);
}

void msg_piece_get(struct msg_piece *p, const uint8_t from[MSG_PIECE_BYTES])
{
	p->entry = (uint32_t)bytes_get(from, 4);
	p->flags = (uint32_t)bytes_get(from + 4, 4);
	p->off = bytes_get(from + 8, 8);
	p->len = (uint32_t)bytes_get(from + 16, 4);
}

void msg_verdict_put(uint8_t to[4], uint32_t verdict)
{
	bytes_put(to, verdict, 4);
}

uint32_t msg_verdict_get(const uint8_t from[4])
{
	return (uint32_t)bytes_get(from, 4);
}

size_t msg_encode(const struct copy_msg *m, uint8_t to[MSG_MAX])
{
	size_t at = 4;

	bytes_put(to, m->type, 4);
	for (const struct msg_field *d = rows[m->type].field; d->kind; d++) {
		uint64_t v = msg_value_of(d, m);
		size_t n = d->kind == U64 ? 8 : 4;

		assert(v >= d->min && v <= d->max);
		bytes_put(to + at, v, n);
		at += n;
		if (d->kind == BYTES && v) {
			struct copy_bytes b;

			memcpy(&b, (const char *)m + d->at, sizeof(b));
			assert(at + b.n <= MSG_MAX);
			memcpy(to + at, b.p, b.n);
			at += b.n;
		}
	}
	return at;
}

/* Reads one field at from[*at], if it fits into the bytes that are left. */
static int read_field(struct copy_msg *m, const struct msg_field *d, const uint8_t *from,
		      size_t len, size_t *at, struct copy_fault *f)
{
	size_t n = d->kind == U64 ? 8 : 4;
	char *to = (char *)m + d->at;
	uint64_t v;
	uint32_t narrow;

	if (len - *at < n)
		return copy_fail(f, COPY_PROTOCOL, "%s message is cut short before its field %s",
				 msg_name(m->type), d->name);
	v = bytes_get(from + *at, n);
	*at += n;
	if (v < d->min || v > d->max)
		return copy_fail(f, COPY_PROTOCOL,
				 "%s message: %s%s is %llu, allowed are %llu to %llu",
				 msg_name(m->type), d->name, d->kind == BYTES ? " length" : "",
				 (unsigned long long)v, (unsigned long long)d->min,
				 (unsigned long long)d->max);
	if (d->kind == U64) {
		memcpy(to, &v, sizeof(v));
		return 0;
	}
	narrow = (uint32_t)v;
	if (d->kind == U32) {
		memcpy(to, &narrow, sizeof(narrow));
		return 0;
	}
	if (len - *at < narrow)
		return copy_fail(f, COPY_PROTOCOL, "%s message is cut short within its field %s",
				 msg_name(m->type), d->name);
	memcpy(to, &(struct copy_bytes){from + *at, narrow}, sizeof(struct copy_bytes));
	*at += narrow;
	return 0;
}

int msg_decode(struct copy_msg *m, const uint8_t *from, size_t len, struct copy_fault *f)
{
	uint64_t type;
	size_t at = 4;

	memset(m, 0, sizeof(*m));
	if (len < 4)
		return copy_fail(f, COPY_PROTOCOL, "message of %zu bytes is too short for its type",
				 len);
	type = bytes_get(from, 4);
	if (type >= MSG_TYPES || !rows[type].name)
		return copy_fail(f, COPY_PROTOCOL, "message type %llu is unknown",
				 (unsigned long long)type);
	m->type = (enum msg_type)type;
	for (const struct msg_field *d = rows[type].field; d->kind; d++)
		if (read_field(m, d, from, len, &at, f))
			return -1;
	if (at != len)
		return copy_fail(f, COPY_PROTOCOL, "%s message has %zu surplus bytes",
				 msg_name(m->type), len - at);
	return 0;
}
