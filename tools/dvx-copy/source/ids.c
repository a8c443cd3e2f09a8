/* SPDX-License-Identifier: BSD-2-Clause */
#include "ids.h"

#include "base/account.h"

#define IDS_NAMED 65536u /* as many as a receiver accepts */

int ids_hard(struct copy_sender *s, const struct stat *st, uint32_t *id)
{
	uint32_t *known = idmap_put(&s->ids.hard, st->st_dev, st->st_ino);

	if (!known)
		return copy_fail(s->f, COPY_IO, "out of memory");
	if (!*known)
		*known = ++s->ids.n_hard;
	*id = *known;
	return 0;
}

static int ids_send(struct copy_sender *s, uint32_t id, bool group)
{
	struct copy_msg m = {.type = MSG_OWNER, .flags = group ? MSG_IS_GROUP : 0, .id = id};
	char name[ACCOUNT_ROOM];

	if (!account_name(id, group, name))
		return 0; /* without a name, the number is used */
	if (s->ids.named++ == IDS_NAMED)
		return copy_fail(s->f, COPY_IO,
				 "the source has more than %u owners: --numeric-ids copies them",
				 IDS_NAMED);
	m.name = bytes_text(name);
	return link_queue(s->link, &m, s->f);
}

int ids_owner(struct copy_sender *s, uint32_t id, bool group)
{
	uint32_t *sent;

	if (s->options.bits & OPTION_NUMERIC)
		return 0;
	sent = idmap_put(&s->ids.sent, group, id);
	if (!sent)
		return copy_fail(s->f, COPY_IO, "out of memory");
	if (*sent)
		return 0;
	*sent = 1;
	return ids_send(s, id, group);
}

void ids_free(struct copy_sender *s)
{
	idmap_free(&s->ids.hard);
	idmap_free(&s->ids.sent);
}
