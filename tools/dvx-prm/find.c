/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "dvx-prm.h"
#include "tools/cli/names.h"

const struct prm_struct *need_struct(const char *name)
{
	const struct prm_struct *s = prm_find_struct(name);
	struct near near = {.count = 0};
	char text[256];

	if (s)
		return s;
	for (size_t i = 0; i < prm_struct_count; i++)
		near_offer(&near, name, prm_structs[i].name);
	message_print("no structure is called \"%s\"%s; dvx-prm list shows all", name,
		      near_text(&near, text, sizeof(text)));
	return NULL;
}

/* Follows the path as far as it leads. Returns the structure that it leads into. */
static const struct prm_struct *find_follow(const struct prm_struct *s, const char **path)
{
	for (;;) {
		size_t n = strcspn(*path, ".[");
		const struct prm_field *f = NULL;

		for (size_t i = 0; i < s->field_count; i++)
			if (strlen(s->fields[i].name) == n && !strncmp(s->fields[i].name, *path, n))
				f = &s->fields[i];
		if (!f || !f->type || !strchr(*path, '.'))
			return s;
		*path = strchr(*path, '.') + 1;
		s = f->type;
	}
}

const struct prm_field *need_field(const struct prm_struct *s, const char *path, uint64_t *bit)
{
	const struct prm_field *f = prm_find_field(s, path, bit), *same = NULL;
	struct near near = {.count = 0};
	char text[256], name[128];
	size_t n;

	if (f)
		return f;
	s = find_follow(s, &path);
	n = strcspn(path, ".[");
	snprintf(name, sizeof(name), "%.*s", (int)n, path);
	for (size_t i = 0; i < s->field_count; i++) {
		if (!strcmp(s->fields[i].name, name))
			same = &s->fields[i];
		near_offer(&near, name, s->fields[i].name);
	}
	if (same && !same->count)
		message_print("%s.%s has elements from 0 to 0x%x; \"%s\" is none of them", s->name,
			      name, UINT32_MAX - 1, path);
	else if (same && same->count != 1)
		message_print("%s.%s has %u elements, counted from 0; \"%s\" is none of them",
			      s->name, name, same->count, path);
	else if (same)
		message_print("%s.%s has no parts; \"%s\" leads nowhere", s->name, name, path);
	else
		message_print("%s has no field \"%s\"%s; dvx-prm show %s lists them", s->name, name,
			      near_text(&near, text, sizeof(text)), s->name);
	return NULL;
}
