/* SPDX-License-Identifier: BSD-2-Clause */
#include "hexrow.h"

#include <ctype.h>
#include <string.h>

/* A word of the line, [start, end) in the text, without its leading 0x or \x. */
struct hex_word {
	size_t start, end;
	size_t digits;
	bool prefixed; /* 0x or \x */
	bool hex;
};

static bool separates(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '{' || c == '}' || c == '"';
}

static bool escapes(const char *text, size_t at, size_t len)
{
	return at + 2 < len && text[at] == '\\' && text[at + 1] == 'x' &&
	       isxdigit((unsigned char)text[at + 2]);
}

/*
 * Finds the next word from *at on; false at the end. Words in "\x00\x01" need no blank between
 * them.
 */
static bool next_word(const char *text, size_t len, size_t *at, struct hex_word *w)
{
	size_t i = *at, digits;

	while (i < len && separates(text[i]))
		i++;
	if (i >= len)
		return false;
	*w = (struct hex_word){.start = i, .hex = true};
	if (escapes(text, i, len) ||
	    (i + 2 < len && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X'))) {
		w->prefixed = true;
		i += 2;
	}
	digits = i;
	for (; i < len && !separates(text[i]) && !escapes(text, i, len); i++)
		if (!isxdigit((unsigned char)text[i]))
			w->hex = false;
	w->digits = i - digits;
	w->end = *at = i;
	return true;
}

/*
 * Whether the word is a group of bytes. A byte in plain hex has two digits; with 0x it may have
 * one.
 */
static bool is_group(const struct hex_word *w)
{
	return w->hex && w->digits && (w->prefixed ? w->digits <= 16 : !(w->digits % 2));
}

static bool is_offset(const struct hex_word *w)
{
	return w->hex && !w->prefixed && w->digits >= 5 && w->digits <= 16;
}

size_t row_bytes(const char *text, size_t len, bool swap, uint8_t *out)
{
	struct hex_word w;
	size_t at = 0, n = 0;

	while (next_word(text, len, &at, &w)) {
		size_t size = (w.digits + 1) / 2, nibble = w.digits % 2;

		if (out)
			memset(out + n, 0, size);
		for (size_t i = w.end - w.digits; i < w.end && out; i++, nibble++) {
			size_t to = swap ? size - 1 - nibble / 2 : nibble / 2;
			char c = (char)tolower((unsigned char)text[i]);
			int digit = c <= '9' ? c - '0' : c - 'a' + 10;
			int high = nibble % 2 ? out[n + to] << 4 : 0;

			out[n + to] = (uint8_t)(high | digit);
		}
		n += size;
	}
	return n;
}

static uint64_t hexrow_number(const char *text, const struct hex_word *w, unsigned int base)
{
	uint64_t v = 0;

	for (size_t i = w->end - w->digits; i < w->end; i++) {
		char c = (char)tolower((unsigned char)text[i]);
		unsigned int digit = (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return ROW_NO_OFFSET;
		v = v * base + digit;
	}
	return v;
}

static void set_offsets(struct hexrow *row, const char *text, const struct hex_word *w)
{
	static const unsigned int base[RADIXES] = {16, 8, 10};

	for (int r = 0; r < RADIXES; r++)
		row->offset[r] = hexrow_number(text, w, base[r]);
}

static void set_data(struct hexrow *row, const char *text, size_t start, size_t end,
		     const struct hex_word *first)
{
	row->start = (uint32_t)start;
	row->end = (uint32_t)end;
	row->group = (uint8_t)(first->digits < 255 ? first->digits : 255);
	row->prefixed = first->prefixed;
	row->bytes = (uint32_t)row_bytes(text + start, end - start, false, NULL);
}

/* Reads "OFFSET: groups". Two blanks, | or > begin the column of characters. */
static bool read_colon(struct hexrow *row, const char *text, size_t len,
		       const struct hex_word *offset, size_t at)
{
	struct hex_word w, first = {0};
	size_t start = at, last = at;

	while (next_word(text, len, &at, &w)) {
		bool ended = first.digits && w.start - last > 1;

		if (ended || text[w.start] == '|' || text[w.start] == '>')
			break;
		if (!is_group(&w)) {
			/* "b1360: [14280.4]" is a host name and a time. */
			row->wrong = text[w.start] == '[' ? 0 : (uint32_t)w.start + 1;
			return false;
		}
		if (!first.digits) {
			first = w;
			start = w.start;
		}
		last = w.end;
	}
	if (!first.digits)
		return false;
	row->kind = ROW_DATA;
	row->colon = true;
	set_offsets(row, text, offset);
	set_data(row, text, start, last, &first);
	row->rest = row->start;
	return true;
}

/* Finds an offset with a colon anywhere in the line: logs put text before it. */
static bool find_colon(struct hexrow *row, const char *text, size_t len)
{
	struct hex_word w;
	size_t at = 0;
	bool leading = true;

	while (next_word(text, len, &at, &w)) {
		struct hex_word offset = w;

		if (text[w.end - 1] == ':' && w.end < len && separates(text[w.end]) &&
		    w.digits >= 4 && w.digits <= 17) {
			offset.end--;
			offset.digits--;
			set_offsets(row, text, &offset);
			if (row->offset[RADIX_HEX] != ROW_NO_OFFSET && w.end > w.start + 1) {
				bool digits = true;

				for (size_t i = offset.end - offset.digits; i < offset.end; i++)
					digits = digits && isxdigit((unsigned char)text[i]);
				if (digits && read_colon(row, text, len, &offset, at))
					return true;
				if (digits && leading && row->wrong) {
					row->kind = ROW_WRONG;
					return true;
				}
			}
		}
		leading = false;
	}
	return false;
}

/* Returns where the column of characters of hexdump -C ( |...|) or od -t x1z ( >...<) begins. */
static size_t without_characters(const char *text, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if ((text[i] == '|' || text[i] == '>') &&
		    (text[i - 1] == ' ' || text[i - 1] == '\t'))
			return i;
	return len;
}

struct words {
	size_t count, groups; /* number of words, and of words that are hex */
	size_t tail;	      /* index of the first group behind the last word that is not hex */
	struct hex_word first, second, tail_first;
	struct hex_word bad; /* the first word that is not hex */
	bool tail_even;	     /* all groups of the tail have the same length */
};

static void survey(struct words *ws, const char *text, size_t len)
{
	struct hex_word w;
	size_t at = 0;

	*ws = (struct words){.tail_even = true};
	for (; next_word(text, len, &at, &w); ws->count++) {
		if (ws->count < 2)
			*(ws->count ? &ws->second : &ws->first) = w;
		if (!is_group(&w)) {
			if (!ws->bad.end && (ws->count || !is_offset(&w)))
				ws->bad = w;
			ws->tail = ws->count + 1;
			continue;
		}
		ws->groups++;
		if (ws->tail == ws->count)
			ws->tail_first = w;
		ws->tail_even = ws->tail == ws->count ||
				(ws->tail_even && w.digits == ws->tail_first.digits);
	}
}

/*
 * Whether the groups behind text are a row: only a whole row counts there, as in "mlx5_0: 00000000
 * 00000000 00000000 00000000".
 */
static bool tail_is_row(const struct words *ws)
{
	size_t n = ws->count - ws->tail;

	return ws->tail_even &&
	       ((ws->tail_first.digits == 8 && n >= 4) || (ws->tail_first.digits == 2 && n >= 8));
}

static void read_plain(struct hexrow *row, const char *text, size_t len)
{
	struct words ws;
	size_t n = without_characters(text, len);

	survey(&ws, text, n);
	if (!ws.count) {
		row->kind = ROW_TEXT;
	} else if (ws.count == 1 && (is_group(&ws.first) || is_offset(&ws.first))) {
		row->kind = ROW_LONE;
		row->odd = !is_group(&ws.first);
		set_offsets(row, text, &ws.first);
		set_data(row, text, ws.first.start, ws.first.end, &ws.first);
		row->rest = row->end;
	} else if (!ws.bad.end && ws.groups + 1 >= ws.count && ws.count > 1) {
		row->kind = ROW_DATA;
		row->maybe = is_offset(&ws.first);
		row->odd = !is_group(&ws.first);
		set_offsets(row, text, &ws.first);
		set_data(row, text, ws.first.start, n, row->maybe ? &ws.second : &ws.first);
		row->rest = (uint32_t)ws.second.start;
	} else if (ws.tail < ws.count && tail_is_row(&ws)) {
		row->kind = ROW_DATA;
		set_data(row, text, ws.tail_first.start, n, &ws.tail_first);
		row->rest = row->start;
	} else if (is_group(&ws.first) && ws.groups * 2 > ws.count) {
		row->kind = ROW_WRONG;
		row->wrong = (uint32_t)ws.bad.start + 1;
	} else {
		row->kind = ROW_TEXT;
	}
}

/* Whether the line is from the kernel's skb_dump(), which prints packets. */
static bool is_packet(const char *text, size_t len)
{
	static const char *const parts[] = {
		"skb headroom:", "skb linear:", "skb tailroom:", "skb frag:"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(text, len, parts[i], strlen(parts[i])))
			return true;
	return false;
}

void row_read(struct hexrow *row, const char *text, size_t len)
{
	*row = (struct hexrow){.offset = {ROW_NO_OFFSET, ROW_NO_OFFSET, ROW_NO_OFFSET}};
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return;
	if (len == 1 && *text == '*') {
		row->kind = ROW_STAR;
		return;
	}
	if (is_packet(text, len)) {
		row->kind = ROW_TEXT;
		return;
	}
	if (find_colon(row, text, len))
		return;
	*row = (struct hexrow){.offset = {ROW_NO_OFFSET, ROW_NO_OFFSET, ROW_NO_OFFSET}};
	read_plain(row, text, len);
}
