/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps users and groups: from a name at the source to a number here. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "meta.h"
#include "xattr.h"

#define OWNERS_MAX 65536u /* users and groups that a sender may name */

struct dest_owner {
	bool group;
	uint32_t theirs, ours;
};

static int owner_compare(const void *a, const void *b)
{
	const struct dest_owner *x = a, *y = b;

	if (x->group != y->group)
		return x->group ? 1 : -1;
	return x->theirs < y->theirs ? -1 : x->theirs > y->theirs;
}

/* Maps by name, as rsync does; root stays root. */
int dest_add_owner(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_owner *o, **at;
	char name[ACCOUNT_ROOM];

	if (d->n_owners++ == OWNERS_MAX)
		return copy_fail(f, COPY_PROTOCOL, "the sender named more than %u owners",
				 OWNERS_MAX);
	o = malloc(sizeof(*o));
	if (!o)
		return copy_fail(f, COPY_IO, "out of memory");
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	*o = (struct dest_owner){m->flags & MSG_IS_GROUP, m->id, m->id};
	if (m->id)
		account_id(name, o->group, &o->ours);
	at = tsearch(o, &d->owners, owner_compare);
	if (!at || *at != o) /* a name was sent before: the first one counts */
		free(o);
	return at ? 0 : copy_fail(f, COPY_IO, "out of memory");
}

uint32_t meta_owner(const struct dest *d, uint32_t id, bool group)
{
	const struct dest_owner key = {.group = group, .theirs = id};
	struct dest_owner **at = tfind(&key, &d->owners, owner_compare);

	return at ? (*at)->ours : id;
}

void meta_forget(struct dest *d)
{
	tdestroy(d->owners, free);
	d->owners = NULL;
	xattr_free(d->xattrs);
	d->xattrs = NULL;
}
