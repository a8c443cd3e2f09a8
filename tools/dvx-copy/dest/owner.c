/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps users and groups: from a name at the source to a number here. */
#include <string.h>

#include "base/account.h"
#include "meta.h"
#include "xattr.h"

#define OWNERS_MAX 65536u /* users and groups that a sender may name */

/* Maps by name, as rsync does; root stays root. */
int dest_add_owner(struct dest *d, const struct copy_msg *m, struct copy_fault *f)
{
	const bool group = m->flags & MSG_IS_GROUP;
	char name[ACCOUNT_ROOM];
	uint32_t *ours;

	if (d->n_owners++ == OWNERS_MAX)
		return copy_fail(f, COPY_PROTOCOL, "the sender named more than %u owners",
				 OWNERS_MAX);
	if (idmap_find(&d->owners, group, m->id)) /* the first name counts */
		return 0;
	ours = idmap_put(&d->owners, group, m->id);
	if (!ours)
		return copy_fail(f, COPY_IO, "out of memory");
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	*ours = m->id;
	if (m->id)
		account_id(name, group, ours);
	return 0;
}

uint32_t meta_owner(const struct dest *d, uint32_t id, bool group)
{
	const uint32_t *ours = idmap_find(&d->owners, group, id);

	return ours ? *ours : id;
}

void meta_forget(struct dest *d)
{
	idmap_free(&d->owners);
	xattr_free(d->xattrs);
	d->xattrs = NULL;
}
