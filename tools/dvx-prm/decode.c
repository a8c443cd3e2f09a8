/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-prm.h"
#include "input.h"

static void print_notes(FILE *out, const json_t *notes)
{
	json_t *note;
	size_t i;

	json_array_foreach ((json_t *)notes, i, note)
		fprintf(out, "note: %s\n", json_string_value(note));
}

static json_t *decode_one(const struct hex *hex, const struct dump *d, const struct prm_struct *s,
			  const struct prm_args *a)
{
	json_t *tree = tree_make(s, d->bytes, d->len, a->all);

	json_object_set_new(tree, "input", input_json(d));
	json_object_set_new(tree, "notes", input_notes(hex, d));
	return tree;
}

static void decode_print_one(const struct hex *hex, const struct dump *d,
			     const struct prm_struct *s, const json_t *tree)
{
	if (hex->count > 1)
		printf("line %u: ", d->line);
	printf("%s, %zu bytes given: %s\n", s->name, d->len, s->text);
	tree_print(stdout, tree, "  ");
	print_notes(stdout, json_object_get(tree, "notes"));
}

int prm_cmd_decode(const struct prm_args *a)
{
	const struct prm_struct *s = need_struct(a->argv[0]);
	json_t *all = json_array();
	struct hex hex;

	if (!s) {
		json_decref(all);
		return EXIT_USAGE;
	}
	if (input_read(&hex, a->argc > 1 ? a->argv[1] : NULL, a)) {
		json_decref(all);
		return EXIT_INPUT;
	}
	for (size_t i = 0; i < hex.count; i++) {
		const struct dump *d = &hex.dumps[i];
		json_t *tree = decode_one(&hex, d, s, a);

		if (d->structure[0] && prm_find_struct(d->structure) != s)
			json_array_append_new(
				json_object_get(tree, "notes"),
				json_sprintf("line %u calls itself %s", d->line, d->structure));
		if (a->json)
			json_array_append(all, tree);
		else
			decode_print_one(&hex, d, s, tree);
		json_decref(tree);
	}
	hex_free(&hex);
	if (a->json)
		return json_out(all);
	json_decref(all);
	return EXIT_DONE;
}
