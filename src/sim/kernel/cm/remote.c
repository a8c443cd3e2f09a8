/* SPDX-License-Identifier: BSD-2-Clause */
#include "conn.h"

static unsigned int remote_bucket(uint64_t guid, uint32_t number)
{
	return (unsigned int)((guid ^ number * 2654435761u) % CM_REMOTE_BUCKETS);
}

struct cm_conn *remote_find_id(struct cm *cm, const struct vhca *v, uint64_t guid,
			       uint32_t remote_id)
{
	struct cm_conn *c;

	LIST_FOREACH(c, &cm->remote_ids[remote_bucket(guid, remote_id)], by_id)
	if (c->vhca == v && c->remote_guid == guid && c->remote_id == remote_id)
		return c;
	return NULL;
}

struct cm_conn *remote_insert_id(struct cm_conn *c)
{
	struct cm_conn *there = remote_find_id(c->cm, c->vhca, c->remote_guid, c->remote_id);

	if (there)
		return there;
	LIST_INSERT_HEAD(&c->cm->remote_ids[remote_bucket(c->remote_guid, c->remote_id)], c, by_id);
	c->in_ids = true;
	return NULL;
}

struct cm_conn *remote_insert_qpn(struct cm_conn *c)
{
	unsigned int bucket = remote_bucket(c->remote_guid, c->remote_qpn);
	struct cm_conn *o;

	LIST_FOREACH(o, &c->cm->remote_qpns[bucket], by_qpn)
	if (o->vhca == c->vhca && o->remote_guid == c->remote_guid &&
	    o->remote_qpn == c->remote_qpn)
		return o;
	LIST_INSERT_HEAD(&c->cm->remote_qpns[bucket], c, by_qpn);
	c->in_qpns = true;
	return NULL;
}

bool cm_connects(const struct cm *cm, const struct vhca *v, uint32_t remote_qpn)
{
	const struct cm_conn *c;

	for (unsigned int i = 0; i < CM_REMOTE_BUCKETS; i++)
		LIST_FOREACH(c, &cm->remote_qpns[i], by_qpn)
	if (c->vhca == v && c->remote_qpn == remote_qpn)
		return true;
	return false;
}

void remote_remove(struct cm_conn *c)
{
	if (c->in_ids)
		LIST_REMOVE(c, by_id);
	if (c->in_qpns)
		LIST_REMOVE(c, by_qpn);
	c->in_ids = c->in_qpns = false;
}
