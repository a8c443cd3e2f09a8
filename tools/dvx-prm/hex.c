/* SPDX-License-Identifier: BSD-2-Clause */
#include "hex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "hexrow.h"
#include "paste.h"
#include "trace.h"

/* A hole wider than this separates two dumps. */
#define WIDEST_GAP 4096

struct hex_line {
	struct hexrow row;
	const char *text;
	unsigned int number;
	bool after_text;
	bool offset_used;
	uint64_t offset;
	const char *label;
	size_t label_len;
};

struct hex_parser {
	struct hex *hex;
	const char *words;
	bool some; /* leaves out lines that are no dump */
	struct hex_line *lines;
	size_t count, room;
	size_t used;	   /* bytes used of hex->bytes */
	size_t bytes_room; /* its size */
	size_t dumps_room; /* that of hex->dumps, in dumps */
	struct dump *dump; /* the dump that is being filled */
	bool dump_offsets; /* its rows have offsets */
	bool star;	   /* the previous row repeats */
	size_t last_row;   /* length of the previous row */
	bool swap_said;
};

static int hex_fail(struct hex_parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->hex->error, sizeof(p->hex->error), fmt, ap);
	va_end(ap);
	return -1;
}

/* Sets an error with its place. The first line counts: rows that wait may be found wrong later. */
static int hex_fail_at(struct hex_parser *p, unsigned int line, unsigned int column,
		       const char *fmt, ...)
{
	struct hex *h = p->hex;
	char text[160], place[48] = "";
	va_list ap;

	if (h->error_line && h->error_line <= line)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (column)
		snprintf(place, sizeof(place), ", column %u", column);
	h->error_line = line;
	h->error_column = column;
	return hex_fail(p, "line %u%s: %s", line, place, text);
}

bool hex_is_text(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;

	for (size_t i = 0; i < len; i++)
		if (p[i] >= 0xf8 || p[i] == 0x7f ||
		    (p[i] < 0x20 && !strchr("\t\n\r\f\033", p[i])) || !p[i])
			return false;
	return true;
}

/* Makes room for n items of an array. */
static int hex_room(struct hex_parser *p, void **array, size_t *room, size_t n, size_t size)
{
	size_t want = n > 2 * *room ? n + 64 : 2 * *room;
	void *more;

	if (n <= *room)
		return 0;
	more = realloc(*array, want * size);
	if (!more)
		return hex_fail(p, "out of memory");
	*room = want;
	*array = more;
	return 0;
}

/* Makes room for more bytes: stars, holes and trace lines expand to more than the text has. */
static int hex_grow(struct hex_parser *p, size_t more, unsigned int line)
{
	struct hex *h = p->hex;
	size_t at = 0;

	if (more > HEX_MAX_BYTES - p->used)
		return hex_fail_at(
			p, line, 0,
			"more than %u bytes of dumps; cut the input to the part that matters",
			HEX_MAX_BYTES);
	if (p->used + more <= p->bytes_room)
		return 0;
	if (hex_room(p, (void **)&h->bytes, &p->bytes_room, p->used + more, 1))
		return -1;
	for (size_t i = 0; i < h->count; at += h->dumps[i++].len)
		h->dumps[i].bytes = h->bytes + at;
	return 0;
}

static struct dump *new_dump(struct hex_parser *p, unsigned int line)
{
	struct hex *h = p->hex;
	struct dump *d;

	if (h->count == HEX_MAX_DUMPS) {
		hex_fail_at(p, line, 0,
			    "more than %u dumps; cut the input to the part that matters",
			    HEX_MAX_DUMPS);
		return NULL;
	}
	if (hex_room(p, (void **)&h->dumps, &p->dumps_room, h->count + 1, sizeof(*h->dumps)))
		return NULL;
	d = &h->dumps[h->count++];
	*d = (struct dump){.bytes = h->bytes + p->used, .line = line};
	p->dump = d;
	p->star = false;
	p->last_row = 0;
	return d;
}

static void set_label(struct dump *d, const char *text, size_t len)
{
	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	len = len < sizeof(d->label) ? len : sizeof(d->label) - 1;
	for (size_t i = 0; i < len; i++)
		d->label[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
}

/* Fills up to `end` by repeating the last row, or with zeros. */
static int hex_fill(struct hex_parser *p, uint64_t end, unsigned int line)
{
	struct dump *d = p->dump;
	uint8_t *to;
	size_t more = (size_t)(end - d->base - d->len);

	if (end - d->base - d->len > HEX_MAX_BYTES)
		more = HEX_MAX_BYTES;
	if (hex_grow(p, more, line))
		return -1;
	to = p->hex->bytes + p->used;
	for (size_t i = 0; i < more; i++)
		to[i] = p->star && p->last_row ? *(to + i - p->last_row) : 0;
	if (!p->star) {
		d->missing += more;
		d->gap = d->gap ? d->gap : line;
	}
	p->used += more;
	d->len += more;
	p->star = false;
	return 0;
}

/* Whether words have the byte order of the host that printed them: without a colon, and in gdb. */
static bool host_words(const struct hex_parser *p, const struct hex_line *l)
{
	if (p->words)
		return !strcmp(p->words, "le");
	return l->row.group > 2 && l->offset_used && (!l->row.colon || l->row.prefixed);
}

static const char *form_of(const struct hex_line *l, bool swapped)
{
	if (swapped)
		return "offsets and words of the host, swapped";
	return l->offset_used ? "offsets and bytes" : l->row.group > 2 ? "words" : "bytes";
}

static int hex_append(struct hex_parser *p, const struct hex_line *l)
{
	uint32_t start = l->offset_used && !l->row.colon ? l->row.rest : l->row.start;
	bool swap = host_words(p, l);
	size_t n = row_bytes(l->text + start, l->row.end - start, false, NULL);

	if (l->offset_used && !l->row.colon && l->row.group == 6)
		return hex_fail_at(
			p, l->number, 0,
			"groups of 6 digits are od's octal words; dump with od -A x -t x1");
	if (hex_grow(p, n, l->number))
		return -1;
	row_bytes(l->text + start, l->row.end - start, swap, p->hex->bytes + p->used);
	if (!p->dump->form)
		p->dump->form = form_of(l, swap);
	p->used += n;
	p->dump->len += n;
	p->last_row = n;
	return 0;
}

static int begin_dump(struct hex_parser *p, const struct hex_line *l)
{
	struct dump *d = new_dump(p, l->number);

	if (!d)
		return -1;
	d->base = l->offset_used ? l->offset : 0;
	p->dump_offsets = l->offset_used;
	if (l->label)
		set_label(d, l->label, l->label_len);
	return hex_append(p, l);
}

/*
 * Adds a row with an offset. If the offset is the end of the dump, the row continues it, even if a
 * log put text in between.
 */
static int add_offset_row(struct hex_parser *p, const struct hex_line *l)
{
	uint64_t end = p->dump ? p->dump->base + p->dump->len : 0;

	if (!p->dump || !p->dump_offsets || l->offset < end ||
	    (!p->star && l->offset - end > WIDEST_GAP))
		return begin_dump(p, l);
	if (l->offset > end && hex_fill(p, l->offset, l->number))
		return -1;
	p->star = false;
	return hex_append(p, l);
}

static int hex_add_row(struct hex_parser *p, const struct hex_line *l)
{
	if (l->offset_used)
		return add_offset_row(p, l);
	if (!p->dump || p->dump_offsets || l->after_text || p->dump->structure[0])
		return begin_dump(p, l);
	return hex_append(p, l);
}

/* Returns the bytes of a row whose first group is an offset. */
static size_t rest_bytes(const struct hex_line *l)
{
	return row_bytes(l->text + l->row.rest, l->row.end - l->row.rest, false, NULL);
}

/* Whether the leading numbers of lines [from, to) count bytes in this radix. */
static bool counts(const struct hex_parser *p, size_t from, size_t to, int radix)
{
	uint64_t expected = ROW_NO_OFFSET;
	bool star = false;

	for (size_t i = from; i < to; i++) {
		const struct hexrow *r = &p->lines[i].row;
		uint64_t offset = r->offset[radix];

		if (r->kind == ROW_STAR) {
			star = true;
			continue;
		}
		if (offset == ROW_NO_OFFSET || (r->kind == ROW_DATA && !r->maybe))
			return false;
		if (expected != ROW_NO_OFFSET && (star ? offset < expected : offset != expected))
			return false;
		star = false;
		expected = offset + (r->kind == ROW_LONE ? 0 : rest_bytes(&p->lines[i]));
	}
	return true;
}

/* Decides for a single row: an offset has another length than the groups behind it. */
static bool lone_row_has_offset(const struct hex_line *l)
{
	return l->row.maybe && (l->row.odd || l->row.group == 2);
}

/*
 * Decides for rows without colons, [from, to): their first column is an offset if it counts bytes
 * in some radix (od counts in octal), or if it cannot be data.
 */
static void settle_offsets(struct hex_parser *p, size_t from, size_t to)
{
	size_t data = 0, sure = 0;
	int radix = RADIXES;

	for (size_t i = from; i < to; i++) {
		data += p->lines[i].row.kind == ROW_DATA;
		sure += p->lines[i].row.kind == ROW_DATA && lone_row_has_offset(&p->lines[i]);
	}
	for (int r = RADIXES - 1; r >= 0; r--)
		if ((data > 1 || sure) && counts(p, from, to, r))
			radix = r;
	if (radix == RADIXES && data && sure == data)
		radix = RADIX_HEX;
	for (size_t i = from; i < to && radix < RADIXES; i++) {
		struct hex_line *l = &p->lines[i];

		l->offset_used = l->row.kind != ROW_STAR;
		l->offset = l->row.offset[radix];
	}
}

static bool hex_plain(const struct hex_line *l)
{
	return !l->row.colon;
}

static void hex_settle(struct hex_parser *p)
{
	size_t from = 0;

	for (size_t i = 0; i <= p->count; i++) {
		bool ends = i == p->count || !hex_plain(&p->lines[i]) || p->lines[i].after_text;

		if (ends) {
			settle_offsets(p, from, i);
			from = i;
		}
		if (i == p->count)
			break;
		if (!hex_plain(&p->lines[i])) {
			p->lines[i].offset_used = true;
			p->lines[i].offset = p->lines[i].row.offset[RADIX_HEX];
			from = i + 1;
		}
	}
}

/* Ignores the error of one line if `some` is set: other lines may be fine. */
static int hex_left_out(const struct hex_parser *p, int err)
{
	return p->some ? 0 : err;
}

static int add_line(struct hex_parser *p, const struct hex_line *l)
{
	if (l->row.kind == ROW_STAR) {
		p->star = true;
		if (!p->dump || !p->dump_offsets)
			return hex_left_out(
				p, hex_fail_at(p, l->number, 0,
					       "\"*\" without offsets does not say how often the "
					       "row repeats; dump with offsets or all rows (od "
					       "-v, hexdump -v)"));
		return 0;
	}
	if (l->row.kind != ROW_LONE || !l->offset_used)
		return l->row.kind == ROW_LONE && l->row.odd
			       ? hex_left_out(p, hex_fail_at(p, l->number, l->row.start + 1,
							     "an odd number of hex digits"))
			       : hex_add_row(p, l);
	/* The offset at the end of a dump of hexdump or od. */
	if (p->dump && p->dump_offsets && l->offset > p->dump->base + p->dump->len)
		return hex_fill(p, l->offset, l->number);
	return 0;
}

static int hex_trace_line(struct hex_parser *p, const char *text, size_t len, unsigned int number)
{
	struct trace t;
	struct dump *d;

	if (!trace_read(&t, text, len))
		return 0;
	d = new_dump(p, number);
	if (!d || hex_grow(p, t.len, number))
		return -1;
	memcpy(p->hex->bytes + p->used, t.bytes, t.len);
	p->used += t.len;
	d->len = t.len;
	d->form = "a line of dvx-sim --trace";
	snprintf(d->structure, sizeof(d->structure), "%s", t.s->name);
	set_label(d, text, t.label_len);
	p->dump_offsets = false;
	return 1;
}

static int keep_line(struct hex_parser *p, const struct hex_line *l)
{
	if (p->count == HEX_MAX_ROWS)
		return hex_fail_at(
			p, l->number, 0,
			"more than %u rows of hex; cut the input to the part that matters",
			HEX_MAX_ROWS);
	if (hex_room(p, (void **)&p->lines, &p->room, p->count + 1, sizeof(*p->lines)))
		return -1;
	p->lines[p->count++] = *l;
	return 0;
}

static int hex_flush(struct hex_parser *p)
{
	hex_settle(p);
	for (size_t i = 0; i < p->count; i++)
		if (add_line(p, &p->lines[i]))
			return -1;
	p->count = 0;
	return 0;
}

/*
 * Sets an error with the text, which has no terminating 0, and whose control characters must not
 * reach the terminal.
 */
static int not_hex(struct hex_parser *p, const struct hex_line *l, size_t len)
{
	const char *text = l->text + l->row.wrong - 1;
	char word[64];
	size_t n = 0;

	len -= l->row.wrong - 1;
	for (; n < len && n < sizeof(word) - 1 && !strchr(" \t\r\n,;", text[n]); n++)
		word[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
	word[n] = 0;
	return hex_left_out(p, hex_fail_at(p, l->number, l->row.wrong, "\"%s\" is not hex", word));
}

static int parse_lines(struct hex_parser *p, const char *text, size_t len)
{
	struct hex_line l = {.number = 0};
	int taken;

	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		size_t skip = paste_prefix(text + at, n);

		l.text = text + at + skip;
		l.number++;
		at += n + 1;
		n -= skip;
		row_read(&l.row, l.text, n);
		if (l.row.kind == ROW_WRONG) {
			if (not_hex(p, &l, n))
				return -1;
			l.row.kind = ROW_TEXT;
		}
		if (l.row.kind == ROW_EMPTY)
			continue;
		if (l.row.kind == ROW_TEXT) {
			if (trace_looks_like(l.text, n)) {
				if (hex_flush(p))
					return -1;
				taken = hex_trace_line(p, l.text, n, l.number);
				if (taken < 0)
					return -1;
				if (taken)
					continue;
			}
			p->hex->text_lines++;
			l.after_text = true;
			l.label = l.text;
			l.label_len = n;
			continue;
		}
		if (keep_line(p, &l))
			return -1;
		l.after_text = false;
		l.label = NULL;
	}
	return hex_flush(p);
}

static int hex_parse_as(struct hex *hex, const char *text, size_t len, const char *words, bool some)
{
	struct hex_parser p = {.hex = hex, .words = words, .some = some};
	bool more = len > HEX_MAX_TEXT;
	size_t room;
	int err = 0;

	*hex = (struct hex){.bytes = NULL, .cut = more};
	len = more ? HEX_MAX_TEXT : len;
	if (len >= 2 && !memcmp(text, "\xff\xfe", 2) && len % 2 == 0 && !text[len - 1])
		return hex_fail(&p, "the input is UTF-16; save it as UTF-8 text");
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	if (!len)
		return hex_fail(&p, "the input is empty");
	if (!hex_is_text(text, len)) {
		room = len < HEX_MAX_BYTES ? len : HEX_MAX_BYTES;
		if (hex_grow(&p, room, 0) || !new_dump(&p, 0))
			return -1;
		memcpy(hex->bytes, text, room);
		p.dump->len = room;
		p.dump->form = "binary";
		hex->cut = more || room < len;
		return 0;
	}
	err = parse_lines(&p, text, len);
	hex->none = !err && !hex->count;
	if (hex->none && !hex->error_line)
		err = hex_fail(&p, "none of the %zu lines is a row of a dump", hex->text_lines);
	free(p.lines);
	return err;
}

int hex_parse(struct hex *hex, const char *text, size_t len, const char *words)
{
	return hex_parse_as(hex, text, len, words, false);
}

int hex_parse_some(struct hex *hex, const char *text, size_t len, const char *words)
{
	return hex_parse_as(hex, text, len, words, true);
}

/* Reads one byte more than is used, to notice longer input. */
char *hex_load(struct hex *hex, FILE *in, size_t *len)
{
	char *text = malloc(HEX_MAX_TEXT + 1);

	*hex = (struct hex){.bytes = NULL};
	if (!text) {
		snprintf(hex->error, sizeof(hex->error), "out of memory");
		return NULL;
	}
	*len = fread(text, 1, HEX_MAX_TEXT + 1, in);
	if (!ferror(in))
		return text;
	snprintf(hex->error, sizeof(hex->error), "%s", strerror(errno));
	free(text);
	return NULL;
}

void hex_free(struct hex *hex)
{
	free(hex->bytes);
	free(hex->dumps);
	hex->bytes = NULL;
	hex->dumps = NULL;
	hex->count = 0;
}
