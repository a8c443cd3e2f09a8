/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "paste.h"

char *input_text(struct hex *hex, const char *path, size_t *len)
{
	bool from_stdin = !path || !strcmp(path, "-");
	FILE *in = from_stdin ? stdin : fopen(path, "rb");
	char *text;

	if (!in) {
		message_print("%s: %s", path, strerror(errno));
		memset(hex, 0, sizeof(*hex));
		return NULL;
	}
	text = hex_load(hex, in, len);
	if (!from_stdin)
		fclose(in);
	if (text && hex_is_text(text, *len))
		*len = paste_plain(text, *len);
	return text;
}

int input_read(struct hex *hex, const char *path, const struct prm_args *a)
{
	size_t len;
	char *text = input_text(hex, path, &len);
	int err = text ? hex_parse(hex, text, len, a->words) : -1;

	free(text);
	if (err)
		input_fail(hex, path);
	return err;
}

/* Returns the path, or "standard input". */
static const char *input_name(const char *path)
{
	return !path || !strcmp(path, "-") ? "standard input" : path;
}

void input_fail(struct hex *hex, const char *path)
{
	if (hex->error_line)
		message_set_place(path, hex->error_line, hex->error_column);
	if (*hex->error)
		message_print("%s: %s", input_name(path), hex->error);
	hex_free(hex);
}

json_t *input_notes(const struct hex *hex, const struct dump *d)
{
	json_t *notes = json_array();

	if (d->missing)
		json_array_append_new(notes,
				      json_sprintf("line %u: its offset leaves a hole; %" PRIu64
						   " missing bytes are read as 0",
						   d->gap, d->missing));
	if (d->base)
		json_array_append_new(notes,
				      json_sprintf("line %u: the dump begins at offset 0x%" PRIx64
						   "; offsets here count from its first byte",
						   d->line, d->base));
	if (hex->cut)
		json_array_append_new(
			notes,
			json_sprintf("there was more input than %u bytes; the rest is ignored",
				     d->line ? HEX_MAX_TEXT : HEX_MAX_BYTES));
	return notes;
}

json_t *input_json(const struct dump *d)
{
	json_t *o = json_pack("{s:i, s:I, s:s}", "line", (int)d->line, "bytes", (json_int_t)d->len,
			      "form", d->form ? d->form : "");

	if (d->label[0])
		json_object_set_new(o, "after", json_string(d->label));
	return o;
}
