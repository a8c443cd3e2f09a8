/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"
#include "rules/marks.h"

static const struct {
	const char *line, *file;
} places_members[] = {{"line", "file"}, {"taken_by_line", "taken_by_file"}};

static void places_object(json_t *j, const struct marks *m)
{
	for (size_t i = 0; i < sizeof(places_members) / sizeof(places_members[0]); i++) {
		json_t *line = json_object_get(j, places_members[i].line);
		struct mark_place p;

		if (!json_is_integer(line))
			continue;
		p = marks_place(m, (uint32_t)json_integer_value(line));
		json_integer_set(line, p.line);
		if (p.file_len)
			json_object_set_new(j, places_members[i].file,
					    json_stringn(p.file, p.file_len));
	}
}

static void places_all(json_t *j, const struct marks *m)
{
	const char *key;
	json_t *of;
	size_t i;

	places_object(j, m);
	json_object_foreach (j, key, of)
		places_all(of, m);
	json_array_foreach (j, i, of)
		places_all(of, m);
}

void places_json(json_t *j, const char *text, size_t len)
{
	struct marks m = {0};

	if (text && marks_find(text, len, &m) && m.n)
		places_all(j, &m);
	marks_free(&m);
}
