/* SPDX-License-Identifier: BSD-2-Clause */
#include "ids.h"

#include <search.h>
#include <stdlib.h>

#include "base/account.h"

#define IDS_NAMED 65536u /* as many as a receiver accepts */

struct hard_id {
	dev_t dev;
	ino_t ino;
	uint32_t id;
};

struct ids {
	void *hard; /* a tree of struct hard_id */
	uint32_t n_hard;
	void *sent[2];	/* users and groups that were sent: trees of uint32_t */
	uint32_t named; /* how many of these were sent with a name */
};

static int hard_compare(const void *a, const void *b)
{
	const struct hard_id *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static struct ids *ids_of(struct copy_sender *s)
{
	if (!s->ids)
		s->ids = calloc(1, sizeof(*s->ids));
	return s->ids;
}

int ids_hard(struct copy_sender *s, const struct stat *st, uint32_t *id)
{
	struct ids *ids = ids_of(s);
	struct hard_id *new = ids ? malloc(sizeof(*new)) : NULL, **at;

	if (!new)
		return copy_fail(s->f, COPY_IO, "out of memory");
	*new = (struct hard_id){.dev = st->st_dev, .ino = st->st_ino};
	at = tsearch(new, &ids->hard, hard_compare);
	if (!at) {
		free(new);
		return copy_fail(s->f, COPY_IO, "out of memory");
	}
	if (*at == new)
		new->id = ++ids->n_hard;
	else
		free(new);
	*id = (*at)->id;
	return 0;
}

static int ids_compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int ids_send(struct copy_sender *s, uint32_t id, bool group)
{
	struct copy_msg m = {.type = MSG_OWNER, .flags = group ? MSG_IS_GROUP : 0, .id = id};
	char name[ACCOUNT_ROOM];

	if (!account_name(id, group, name))
		return 0; /* without a name, the number is used */
	if (s->ids->named++ == IDS_NAMED)
		return copy_fail(s->f, COPY_IO,
				 "the source has more than %u owners: --numeric-ids copies them",
				 IDS_NAMED);
	m.name = bytes_text(name);
	return link_queue(s->link, &m, s->f);
}

int ids_owner(struct copy_sender *s, uint32_t id, bool group)
{
	struct ids *ids = ids_of(s);
	uint32_t *new = NULL, **at = NULL;

	if (s->options.bits & OPTION_NUMERIC || (ids && tfind(&id, &ids->sent[group], ids_compare)))
		return 0;
	if (ids && (new = malloc(sizeof(*new)))) {
		*new = id;
		at = tsearch(new, &ids->sent[group], ids_compare);
	}
	if (!at) {
		free(new);
		return copy_fail(s->f, COPY_IO, "out of memory");
	}
	return ids_send(s, id, group);
}

void ids_free(struct copy_sender *s)
{
	if (!s->ids)
		return;
	tdestroy(s->ids->hard, free);
	tdestroy(s->ids->sent[0], free);
	tdestroy(s->ids->sent[1], free);
	free(s->ids);
	s->ids = NULL;
}
