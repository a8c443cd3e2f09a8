/* SPDX-License-Identifier: BSD-2-Clause */
/* Users and groups: a name at the source, and its number here. */
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "meta.h"
#include "xattr.h"

#define OWNERS_MAX 65536u /* users and groups that a sender may name */

struct dest_owner {
	struct dest_owner *next;
	bool group;
	uint32_t theirs, ours;
};

/* As rsync: by name, and root stays root. */
int dest_add_owner(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	struct dest_owner *o;
	char name[ACCOUNT_ROOM];

	if (d->n_owners == OWNERS_MAX)
		return copy_fail(f, COPY_PROTOCOL, "the sender named more than %u owners",
				 OWNERS_MAX);
	o = calloc(1, sizeof(*o));
	if (!o)
		return copy_fail(f, COPY_IO, "out of memory");
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	o->group = m->flags & MSG_IS_GROUP;
	o->theirs = m->id;
	o->ours = m->id;
	if (m->id)
		account_id(name, o->group, &o->ours);
	o->next = d->owners;
	d->owners = o;
	d->n_owners++;
	return 0;
}

uint32_t meta_owner(const struct dest *d, uint32_t id, bool group)
{
	for (const struct dest_owner *o = d->owners; o; o = o->next)
		if (o->theirs == id && o->group == group)
			return o->ours;
	return id;
}

void meta_forget(struct dest *d)
{
	while (d->owners) {
		struct dest_owner *o = d->owners;

		d->owners = o->next;
		free(o);
	}
	xattr_free(d->xattrs);
	d->xattrs = NULL;
}
