/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "dvx-prm.h"
#include "tools/cli/names.h"

/* Size limit for structures that end in open arrays. */
#define MOST_BYTES 65536

struct encoder {
	const struct prm_struct *s;
	uint8_t *bytes, *written; /* written: bits that an assignment has set */
	size_t len;
};

static bool parse_number(const char *text, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	if (!strncasecmp(text, "0b", 2))
		*v = strtoull(text + 2, &end, 2);
	else /* a leading 0 does not mean octal */
		*v = strtoull(text, &end, strncasecmp(text, "0x", 2) ? 10 : 16);
	return !*end && !errno;
}

static bool parse_one_name(const struct prm_field *f, const char *text, size_t len, uint64_t *v)
{
	for (size_t i = 0; f->values && i < f->values->count; i++) {
		const struct prm_enum_value *e = &f->values->values[i];

		if (strlen(e->name) == len && !strncasecmp(e->name, text, len)) {
			*v = e->value;
			return true;
		}
	}
	return false;
}

/* Parses names of values: "RTS", or for flags "RRE|RWE". */
static bool parse_name(const struct prm_field *f, const char *text, uint64_t *v)
{
	uint64_t one;

	for (*v = 0;; text += strcspn(text, "|") + 1) {
		size_t len = strcspn(text, "|");

		if (!parse_one_name(f, text, len, &one) || (text[len] && !f->flags))
			return false;
		*v |= one;
		if (!text[len])
			return true;
	}
}

static int bad_value(const struct prm_field *f, const char *path, const char *text)
{
	struct near near = {.count = 0};
	char names[256];

	for (size_t i = 0; f->values && i < f->values->count; i++)
		near_offer(&near, text, f->values->values[i].name);
	if (f->values)
		message_print(
			"%s: \"%s\" is no number and no name of %s%s; dvx-prm show %s lists them",
			path, text, f->values->name, near_text(&near, names, sizeof(names)),
			f->values->name);
	else
		message_print("%s: \"%s\" is no number (decimal, 0x or 0b)", path, text);
	return -1;
}

static int encode_claim(struct encoder *e, const char *path, uint64_t bit, uint64_t width)
{
	if ((bit + width + 7) / 8 > MOST_BYTES) {
		message_print("%s: its end is beyond %u bytes", path, MOST_BYTES);
		return -1;
	}
	for (uint64_t i = bit; i < bit + width; i++) {
		if (prm_bits_get(e->written, i, 1)) {
			message_print("%s: another assignment has already given bit 0x%" PRIx64
				      "; the two share bits of a union",
				      path, i);
			return -1;
		}
		prm_bits_set(e->written, i, 1, 1);
	}
	if ((bit + width + 7) / 8 > e->len)
		e->len = (size_t)(bit + width + 7) / 8;
	return 0;
}

static int encode_put_bytes(struct encoder *e, const struct prm_field *f, const char *path,
			    uint64_t bit, const char *text)
{
	uint64_t room = f->width > 64 ? f->width / 8 : f->count ? f->count : MOST_BYTES;
	size_t n;

	if (!strncasecmp(text, "0x", 2))
		text += 2;
	n = strlen(text);
	if (strspn(text, "0123456789abcdefABCDEF") != n || n % 2) {
		message_print("%s: its value is bytes, an even number of hex digits; \"%s\" is not",
			      path, text);
		return -1;
	}
	if (n / 2 > room) {
		message_print("%s: %zu bytes do not fit into its %" PRIu64, path, n / 2, room);
		return -1;
	}
	if (encode_claim(e, path, bit, n * 4))
		return -1;
	for (size_t i = 0; i < n; i++)
		prm_bits_set(e->bytes, bit + 4 * i, 4,
			     (uint64_t)(isdigit((unsigned char)text[i])
						? text[i] - '0'
						: tolower((unsigned char)text[i]) - 'a' + 10));
	return 0;
}

/*
 * Returns a hint for a size that is coded: "; 4096 bytes is its value 5 (4K)", "; it takes the
 * logarithm".
 */
static const char *size_hint(const struct prm_field *f, const char *text, uint64_t v, char *buf,
			     size_t size)
{
	size_t n = strlen(text);

	*buf = 0;
	for (size_t i = 0; f->values && i < f->values->count; i++) {
		const struct prm_enum_value *e = &f->values->values[i];

		if (!strncmp(e->text, text, n) && e->text[n] == ' ')
			snprintf(buf, size, "; %s is its value %" PRIu64 " (%s)", e->text, e->value,
				 e->name);
	}
	if (!*buf && !strncmp(f->name, "log_", 4) && !(v & (v - 1)) &&
	    !((uint64_t)__builtin_ctzll(v) >> f->width))
		snprintf(buf, size, "; it takes the logarithm to base 2: %d", __builtin_ctzll(v));
	return buf;
}

static int bad_size(const struct prm_field *f, const char *path, const char *text, uint64_t v)
{
	char hint[128];

	message_print("%s: %s does not fit into its %u bits; the largest value is 0x%" PRIx64 "%s",
		      path, text, f->width, (UINT64_C(1) << f->width) - 1,
		      size_hint(f, text, v, hint, sizeof(hint)));
	return -1;
}

static int encode_put_number(struct encoder *e, const struct prm_field *f, const char *path,
			     uint64_t bit, const char *text)
{
	uint64_t v;

	if (!parse_name(f, text, &v) && !parse_number(text, &v))
		return bad_value(f, path, text);
	if (f->width < 64 && v >> f->width)
		return bad_size(f, path, text, v);
	if (encode_claim(e, path, bit, f->width))
		return -1;
	prm_bits_set(e->bytes, bit, f->width, v);
	return 0;
}

static int assign(struct encoder *e, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct prm_field *f;
	uint64_t bit;
	char path[256];

	if (!equals || equals == word || (size_t)(equals - word) >= sizeof(path)) {
		message_print("\"%s\" is not of the form field=value", word);
		return -1;
	}
	snprintf(path, sizeof(path), "%.*s", (int)(equals - word), word);
	f = need_field(e->s, path, &bit);
	if (!f)
		return -1;
	if (f->type) {
		message_print("%s is a structure (%s); set its fields, as in %s.%s=...", path,
			      f->type->name, path, f->type->fields[0].name);
		return -1;
	}
	if (f->width > 64 || (f->bytes && f->width == 8 && f->count != 1 && equals[-1] != ']'))
		return encode_put_bytes(e, f, path, bit, equals + 1);
	return encode_put_number(e, f, path, bit, equals + 1);
}

/* Notes a variant that was written, although the other values select another one. */
static void note_unused(const struct encoder *e, const char *word)
{
	size_t n = strcspn(word, "=.[");

	for (size_t i = 0; i < e->s->field_count; i++) {
		const struct prm_field *f = &e->s->fields[i];
		const struct prm_branch *b = f->branch >= 0 ? &e->s->branches[f->branch] : NULL;

		if (!b || b->selector < 0 || strlen(f->name) != n || strncmp(f->name, word, n))
			continue;
		if (!prm_field_active(e->s, f, e->bytes, e->len))
			message_print("note: %s belongs to variant %s, which %s does not choose",
				      f->name, b->name, e->s->fields[b->selector].name);
	}
}

static void encode_print_dump(const struct encoder *e)
{
	for (size_t i = 0; i < e->len; i++) {
		if (!(i % 16))
			printf("%s%08zx:", i ? "\n" : "", i);
		printf(" %02x", e->bytes[i]);
	}
	putchar('\n');
}

static void print_hex(const struct encoder *e)
{
	for (size_t i = 0; i < e->len; i++)
		printf("%02x", e->bytes[i]);
	putchar('\n');
}

static void print_c(const struct encoder *e)
{
	printf("static const uint8_t %s[%zu] = {", e->s->name, e->len);
	for (size_t i = 0; i < e->len; i++)
		printf("%s0x%02x,", i % 12 ? " " : "\n\t", e->bytes[i]);
	printf("\n};\n");
}

static void print_bin(const struct encoder *e)
{
	fwrite(e->bytes, 1, e->len, stdout);
}

static const struct {
	const char *name;
	void (*print)(const struct encoder *e);
} formats[] = {{"dump", encode_print_dump}, {"hex", print_hex}, {"c", print_c}, {"bin", print_bin}};

static int print_as(const struct encoder *e, const struct prm_args *a)
{
	if (a->json) {
		json_t *o = tree_make(e->s, e->bytes, e->len, a->all);

		json_object_set_new(o, "hex", tree_hex(e->bytes, e->len));
		return json_out(o);
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!a->format || !strcmp(a->format, formats[i].name)) {
			formats[i].print(e);
			return EXIT_DONE;
		}
	message_print("--format is dump, hex, c or bin, not \"%s\"", a->format);
	return EXIT_USAGE;
}

int prm_cmd_encode(const struct prm_args *a)
{
	struct encoder e = {.s = need_struct(a->argv[0])};
	int rc = EXIT_USAGE;

	if (!e.s)
		return EXIT_USAGE;
	e.len = e.s->bytes;
	e.bytes = calloc(2, MOST_BYTES);
	if (!e.bytes) {
		message_print("out of memory");
		return EXIT_USAGE;
	}
	e.written = e.bytes + MOST_BYTES;
	for (int i = 1; i < a->argc; i++)
		if (assign(&e, a->argv[i]))
			goto out;
	for (int i = 1; i < a->argc; i++)
		note_unused(&e, a->argv[i]);
	rc = print_as(&e, a);
out:
	free(e.bytes);
	return rc;
}
