/* SPDX-License-Identifier: BSD-2-Clause */
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int input_read(struct hex *hex, const char *path, const struct args *a)
{
	bool from_stdin = !path || !strcmp(path, "-");
	FILE *in = from_stdin ? stdin : fopen(path, "rb");
	int err;

	if (!in) {
		say("%s: %s", path, strerror(errno));
		return -1;
	}
	err = hex_read(hex, in, a->words);
	if (!from_stdin)
		fclose(in);
	if (err) {
		say("%s: %s", from_stdin ? "standard input" : path, hex->error);
		hex_free(hex);
	}
	return err;
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
