/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes dumps:
 *
 *	# dvx-info capability dump 1
 *	# device: mlx5_0
 *	page 0x20 GENERAL_2
 *	00000000: 80 00 ...
 *	*
 *	00001000:
 *
 * dvx-prm's reader reads the hex between two "page" lines, so it may have any usual form.
 */
#include "dump.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/replace.h"
#include "tools/dvx-prm/hex.h"

#define ROW 16

static int dump_fail(char *err, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int dump_fail(char *err, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
	return -1;
}

static bool repeats(const struct page *p, size_t at)
{
	return at && at + ROW < p->len && !memcmp(p->bytes + at, p->bytes + at - ROW, ROW);
}

static void save_page(FILE *f, const struct page *p)
{
	bool starred = false;

	fprintf(f, "page 0x%x %s\n", p->type, page_name(p->type));
	for (size_t at = 0; at < p->len; at += ROW) {
		if (repeats(p, at)) {
			if (!starred)
				fputs("*\n", f);
			starred = true;
			continue;
		}
		starred = false;
		fprintf(f, "%08zx:", at);
		for (size_t i = at; i < p->len && i < at + ROW; i++)
			fprintf(f, " %02x", p->bytes[i]);
		fputc('\n', f);
	}
}

static void save_all(FILE *f, const void *source)
{
	const struct cap_source *s = source;

	fprintf(f,
		"# dvx-info capability dump 1\n# device: %s\n# pci: %s\n# guid: %s\n"
		"# firmware: %s\n# board: %s\n",
		s->device, s->pci, s->guid, s->firmware, s->board);
	for (size_t i = 0; i < s->count; i++) {
		if (s->pages[i].bytes)
			save_page(f, &s->pages[i]);
		else
			fprintf(f, "# no page 0x%x %s: %s\n", s->pages[i].type,
				page_name(s->pages[i].type), s->pages[i].error);
	}
}

static int save_stdout(const struct cap_source *s, char *err, size_t size)
{
	save_all(stdout, s);
	return fflush(stdout) ? dump_fail(err, size, "%s", strerror(errno)) : 0;
}

int cap_dump_save(const struct cap_source *s, const char *path, char *err, size_t size)
{
	int bad;

	if (!strcmp(path, "-"))
		return save_stdout(s, err, size);
	bad = replace_file(path, save_all, s);
	return bad ? dump_fail(err, size, "%s", strerror(bad)) : 0;
}

/* Takes a line "# key: value". */
static void header_line(struct cap_source *s, const char *line, size_t len)
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} keys[] = {
		{"# device: ", s->device, sizeof(s->device)},
		{"# pci: ", s->pci, sizeof(s->pci)},
		{"# guid: ", s->guid, sizeof(s->guid)},
		{"# firmware: ", s->firmware, sizeof(s->firmware)},
		{"# board: ", s->board, sizeof(s->board)},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t n = strlen(keys[i].key);

		if (len < n || memcmp(line, keys[i].key, n))
			continue;
		snprintf(keys[i].to, keys[i].size, "%.*s", (int)(len - n), line + n);
		for (char *c = keys[i].to; *c; c++)
			if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
				*c = '?';
	}
}

/* Takes a line "page 0x20 ...". */
static bool page_line(const char *line, size_t len, unsigned long *type)
{
	char word[32], *end;

	if (len < 6 || memcmp(line, "page ", 5))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(len - 5 < 31 ? len - 5 : 31), line + 5);
	*type = strtoul(word, &end, 16);
	return end != word;
}

static int check_section(const struct hex *hex, unsigned long type, char *err, size_t size)
{
	const struct dump *d = hex->dumps;

	if (type >= 1u << 15)
		return dump_fail(err, size, "page 0x%lx: a type has 15 bits", type);
	if (hex->count != 1)
		return dump_fail(err, size, "page 0x%lx: %zu dumps follow, not one", type,
				 hex->count);
	if (d->base)
		return dump_fail(err, size,
				 "page 0x%lx: its bytes begin at offset 0x%llx, not at 0", type,
				 (unsigned long long)d->base);
	if (hex->cut || d->len > 1u << 16)
		return dump_fail(err, size, "page 0x%lx: more than 64 KiB is no capability page",
				 type);
	return 0;
}

static int add_section(struct cap_source *s, unsigned long type, const struct hex *hex, char *err,
		       size_t size)
{
	const struct dump *d = hex->dumps;
	struct page *page;

	if (check_section(hex, type, err, size))
		return -1;
	if (source_page(s, (uint16_t)type))
		return dump_fail(err, size, "page 0x%lx is there twice", type);
	page = source_add(s, (uint16_t)type);
	if (!page)
		return dump_fail(err, size, "more than %d pages", SOURCE_PAGES);
	/* Round up: layouts are read in whole words. */
	page->bytes = calloc(1, (d->len + 7) / 8 * 8);
	if (!page->bytes)
		return dump_fail(err, size, "out of memory");
	memcpy(page->bytes, d->bytes, d->len);
	page->len = d->len;
	if (d->missing)
		snprintf(page->error, sizeof(page->error),
			 "%llu bytes are missing in the dump and read as 0",
			 (unsigned long long)d->missing);
	return 0;
}

static int parse_section(struct cap_source *s, unsigned long type, const char *text, size_t len,
			 char *err, size_t size)
{
	struct hex hex;
	int rc = hex_parse(&hex, text, len, NULL);

	if (rc)
		dump_fail(err, size, "page 0x%lx: %s", type, hex.error);
	else
		rc = add_section(s, type, &hex, err, size);
	hex_free(&hex);
	return rc;
}

struct sections {
	struct cap_source *s;
	bool any;
	unsigned long type;
	const char *start; /* the hex of the open section */
};

static int end_section(struct sections *x, const char *end, char *err, size_t size)
{
	if (!x->any)
		return 0;
	return parse_section(x->s, x->type, x->start, (size_t)(end - x->start), err, size);
}

int cap_dump_parse(struct cap_source *s, const char *text, size_t len, int only, char *err,
		   size_t size)
{
	struct sections x = {.s = s};
	const char *end = text + len;
	unsigned long type;

	for (const char *line = text, *next; line < end; line = next) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((nl ? nl : end) - line);

		next = nl ? nl + 1 : end;
		if (*line == '#') {
			header_line(s, line, n);
			/* A comment between pages ends the hex of a page. */
			if (x.any && end_section(&x, line, err, size))
				return -1;
			x.any = false;
		} else if (page_line(line, n, &type)) {
			if (end_section(&x, line, err, size))
				return -1;
			x = (struct sections){s, true, type, next};
		}
	}
	if (end_section(&x, end, err, size))
		return -1;
	if (s->count)
		return 0;
	if (only < 0)
		return dump_fail(
			err, size,
			"no line such as \"page 0x0 GENERAL\" names the capability page that this "
			"is; name the page: dvx-info caps FILE PAGE");
	return parse_section(s, (unsigned long)only, text, len, err, size);
}

int cap_dump_load(struct cap_source *s, const char *path, int only, char *err, size_t size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text = f ? malloc(HEX_MAX_TEXT + 1) : NULL;
	size_t len = 0;
	int rc;

	if (!f)
		return dump_fail(err, size, "%s", strerror(errno));
	if (text)
		len = fread(text, 1, HEX_MAX_TEXT + 1, f);
	if (!text)
		rc = dump_fail(err, size, "out of memory");
	else if (ferror(f))
		rc = dump_fail(err, size, "it cannot be read");
	else if (len > HEX_MAX_TEXT)
		rc = dump_fail(err, size, "more than %u MiB is no capability dump",
			       HEX_MAX_TEXT >> 20);
	else
		rc = cap_dump_parse(s, text, len, only, err, size);
	free(text);
	if (f != stdin)
		fclose(f);
	return rc;
}
