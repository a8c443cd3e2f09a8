/* SPDX-License-Identifier: BSD-2-Clause */
#include "page.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/names.h"

static const struct prm_enum *types(void)
{
	return prm_find_enum("hca_cap_type");
}

bool page_type_at(size_t index, uint16_t *type)
{
	if (index >= types()->count)
		return false;
	*type = (uint16_t)types()->values[index].value;
	return true;
}

const char *page_name(uint16_t type)
{
	const struct prm_enum_value *v = prm_enum_find(types(), type);

	return v ? v->name : "";
}

/* Finds the layout: the table's text is the name of the structure. */
const struct prm_struct *page_layout(uint16_t type)
{
	const char *text = prm_enum_text(types(), type);

	return *text ? prm_find_struct(text) : NULL;
}

/* Compares names. Case, dashes and underscores do not matter. */
static bool page_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : tolower((unsigned char)*a)) != tolower((unsigned char)*b))
			return false;
	return !*a && !*b;
}

static bool page_number(const char *word, uint16_t *type)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)*word) || strlen(word) > 6)
		return false;
	v = strtoul(word, &end, 0);
	if (*end || v >= 1u << 15)
		return false;
	*type = (uint16_t)v;
	return true;
}

bool page_parse(const char *word, uint16_t *type)
{
	const struct prm_enum *e = types();

	for (size_t i = 0; i < e->count; i++)
		if (page_same(word, e->values[i].name) ||
		    (*e->values[i].text && page_same(word, e->values[i].text))) {
			*type = (uint16_t)e->values[i].value;
			return true;
		}
	return page_number(word, type);
}

const char *page_near(const char *word, char *buf, size_t size)
{
	const struct prm_enum *e = types();
	struct near near = {.count = 0};

	for (size_t i = 0; i < e->count; i++)
		near_offer(&near, word, e->values[i].name);
	return near_text(&near, buf, size);
}
