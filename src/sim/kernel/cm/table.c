/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

#include <errno.h>
#include <stdlib.h>

static int cm_table_grow(struct cm_table *t)
{
	uint32_t n = t->n ? 2 * t->n : 64;
	void **at = reallocarray(t->at, n, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint32_t i = t->n; i < n; i++)
		at[i] = NULL;
	t->at = at;
	t->n = n;
	return 0;
}

int cm_table_add(struct cm_table *t, void *what, uint32_t *number)
{
	uint32_t i = t->first_free;

	while (i < t->n && t->at[i])
		i++;
	if (i == t->n && cm_table_grow(t))
		return -ENOMEM;
	t->at[i] = what;
	t->first_free = i + 1;
	*number = i;
	return 0;
}

void *cm_table_find(const struct cm_table *t, uint32_t number)
{
	return number < t->n ? t->at[number] : NULL;
}

void cm_table_del(struct cm_table *t, uint32_t number)
{
	t->at[number] = NULL;
	if (number < t->first_free)
		t->first_free = number;
}
