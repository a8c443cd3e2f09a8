/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The crypto engine of an mkey's accesses (doc/design/0051). Reads fetch whole AES blocks. A write
 * that ends inside a block leaves its beginning in the mkey until the rest comes.
 */
#include <string.h>
#include "priv.h"
#include "base/log.h"
#include "sig_access.h"

#define CRYPT_CHUNK 4096u

static bool crypt_is_at(const struct sig_access *a, enum crypt_at at)
{
	const struct crypt *c = &a->sig->crypt;
	const bool raw = at == CRYPT_MEMORY_RAW || at == CRYPT_WIRE_RAW;
	const bool memory = at == CRYPT_MEMORY || at == CRYPT_MEMORY_RAW;

	return a->dek && c->memory == memory && c->raw == raw;
}

/* --- read ------------------------------------------------------------------------------- */

/* Lays waiting bytes over those read: they are not in memory yet, but signatures cover them. */
static void crypt_lay_over(const struct crypt *c, uint64_t pos, size_t len, uint8_t *bytes)
{
	for (uint64_t at = c->part_at; at < c->part_at + c->parts; at++)
		if (at >= pos && at - pos < len)
			bytes[at - pos] = c->part[at - c->part_at];
}

static bool crypt_move_read(struct sig_access *a, sig_stream *from, uint64_t pos, size_t len,
			    uint8_t *to)
{
	const struct crypt *c = &a->sig->crypt;
	uint8_t buf[CRYPT_CHUNK + 2 * CRYPT_GROUP_MOST];
	size_t n;

	for (; len; len -= n, pos += n, to += n) {
		const uint64_t first = crypt_group(c, pos).at;
		struct crypt_group last;

		n = len < CRYPT_CHUNK ? len : CRYPT_CHUNK;
		last = crypt_group(c, pos + n - 1);
		if (!from(a, first, (size_t)(last.at + last.size - first), buf, false))
			return false;
		crypt_run(c, a->dek, first, buf, (size_t)(last.at + last.size - first), true);
		memcpy(to, buf + (pos - first), n);
		if (a->write && c->memory)
			crypt_lay_over(c, pos, n, to);
	}
	return true;
}

/* --- write ------------------------------------------------------------------------------ */

static bool crypt_put(struct sig_access *a, sig_stream *to, uint64_t at, size_t len,
		      const uint8_t *from)
{
	uint8_t buf[CRYPT_CHUNK];

	memcpy(buf, from, len);
	crypt_run(&a->sig->crypt, a->dek, at, buf, len, false);
	return to(a, at, len, buf, true);
}

/* Returns how many bytes, from a group's beginning on, make whole groups. */
static size_t crypt_whole(const struct crypt *c, uint64_t at, size_t len)
{
	const size_t most = len < CRYPT_CHUNK ? len : CRYPT_CHUNK;
	size_t n = 0;

	for (;;) {
		const size_t size = crypt_group(c, at + n).size;

		if (n + size > most)
			return n;
		n += size;
	}
}

/* [I] A write that does not continue the last one must begin at a group's start. */
static bool crypt_put_part(struct sig_access *a, sig_stream *to, struct crypt_group g, uint64_t pos,
			   const uint8_t *from, size_t n)
{
	struct crypt *c = &a->sig->crypt;
	uint8_t whole[CRYPT_GROUP_MOST];

	if (pos == g.at) {
		c->part_at = pos;
		c->parts = 0;
	} else if (c->part_at != g.at || pos != g.at + c->parts) {
		obj_refuse(&a->q->o, "mkey 0x%x: a write begins at 0x%llx, inside an AES block",
			   a->key, (unsigned long long)pos);
		return false;
	}
	memcpy(c->part + c->parts, from, n);
	c->parts = (uint8_t)(c->parts + n);
	if (c->parts < g.size)
		return true;
	memcpy(whole, c->part, g.size);
	c->parts = 0;
	return crypt_put(a, to, g.at, g.size, whole);
}

static bool crypt_move_write(struct sig_access *a, sig_stream *to, uint64_t pos, size_t len,
			     const uint8_t *from)
{
	const struct crypt *c = &a->sig->crypt;
	bool ok = true;
	size_t n;

	for (; ok && len; len -= n, pos += n, from += n) {
		const struct crypt_group g = crypt_group(c, pos);

		n = pos == g.at ? crypt_whole(c, pos, len) : 0;
		if (n) {
			ok = crypt_put(a, to, pos, n, from);
			continue;
		}
		n = (size_t)(g.at + g.size - pos);
		n = n < len ? n : len;
		ok = crypt_put_part(a, to, g, pos, from, n);
	}
	return ok;
}

bool crypt_move(struct sig_access *a, enum crypt_at at, sig_stream *stream, uint64_t pos,
		size_t len, uint8_t *bytes, bool write)
{
	if (!crypt_is_at(a, at))
		return stream(a, pos, len, bytes, write);
	return write ? crypt_move_write(a, stream, pos, len, bytes)
		     : crypt_move_read(a, stream, pos, len, bytes);
}
