/* SPDX-License-Identifier: BSD-2-Clause */
/* Binding an id to an address, and resolving a destination address from there. */
#include <errno.h>
#include <string.h>
#include "priv.h"
#include "obj/device.h"

/* Refuses a link-local address without an interface: it would be ambiguous. */
static int bind_check_scope(const union cm_addr *a)
{
	if (a->sa.sa_family == AF_INET6 && ip6_is_link_local(a->in6.sin6_addr.s6_addr) &&
	    !a->in6.sin6_scope_id)
		return refuse(-EINVAL, "BIND: a link-local address needs its sin6_scope_id");
	return 0;
}

static int bind_device(struct cm_id *id)
{
	char text[CM_ADDR_TEXT];
	int err;

	if (addr_is_any(&id->src))
		return 0;
	err = addr_own(id, &id->src, &id->sgid_index);
	if (err)
		return refuse(err, "BIND: %s is no address of function %s, nor of this machine",
			      addr_text(&id->src, text), id->fn->name);
	id->vhca = id->fn;
	return 0;
}

static int bind_addr(struct cm_id *id, const union cm_addr *a, const union cm_addr *dst)
{
	int err;

	if (id->state != ID_IDLE)
		return refuse(-EINVAL, "BIND: id %u is bound already", id->number);
	err = bind_check_scope(a);
	if (err)
		return err;
	id->src = *a;
	err = bind_device(id);
	if (err)
		return err;
	if (!id->afonly_set && a->sa.sa_family == AF_INET)
		id->afonly = true;
	if (dst)
		id->dst = *dst;
	id->dst.sa.sa_family = a->sa.sa_family;
	err = port_get(id);
	if (err) {
		id->vhca = NULL;
		return err;
	}
	id->state = ID_ADDR_BOUND;
	return 0;
}

int id_bind_any(struct cm_id *id)
{
	const union cm_addr any = {.in = {.sin_family = AF_INET}};

	return bind_addr(id, &any, NULL);
}

static int bind_id(struct cm_file *f, uint32_t number, const union cm_addr *a)
{
	struct cm_id *id;

	return id_find(f, number, &id) ?: bind_addr(id, a, NULL);
}

int id_bind_ip(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_bind_ip c;
	union cm_addr a;

	memcpy(&c, r->in, sizeof(c));
	if (addr_copy(&a, &c.addr, sizeof(c.addr)))
		return refuse(-EINVAL, "BIND_IP: addr: its family is neither IPv4 nor IPv6");
	return bind_id(f, c.id, &a);
}

int id_bind(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_bind c;
	union cm_addr a;

	memcpy(&c, r->in, sizeof(c));
	if (c.reserved || addr_copy(&a, &c.addr, sizeof(c.addr)) || c.addr_size != addr_size(&a))
		return refuse(-EINVAL, "BIND: addr_size %u is not that of the address' family",
			      c.addr_size);
	return bind_id(f, c.id, &a);
}

/* --- resolution ------------------------------------------------------------------------------- */

static int resolve_prepare(struct cm_id *id, const union cm_addr *src, const union cm_addr *dst)
{
	union cm_addr any = {.sa = {.sa_family = dst->sa.sa_family}};
	int err = 0;

	if (id->state == ID_ADDR_BOUND) {
		memcpy(&id->dst, dst, addr_size(dst));
	} else {
		if (dst->sa.sa_family == AF_INET6)
			any.in6.sin6_scope_id = dst->in6.sin6_scope_id;
		if (dst->sa.sa_family == CM_AF_IB)
			any.ib.pkey = dst->ib.pkey;
		err = bind_addr(id, src ? src : &any, dst);
	}
	if (!err && id->src.sa.sa_family != dst->sa.sa_family)
		err = refuse(-EINVAL,
			     "RESOLVE_ADDR: source and destination are of different families");
	return err;
}

static void resolve_done(struct cm_id *id, int status)
{
	const struct rdma_ucm_event_resp e = {
		.event = status ? EVENT_ADDR_ERROR : EVENT_ADDR_RESOLVED,
		.status = (uint32_t)status,
	};

	id->state = status ? ID_ADDR_BOUND : ID_ADDR_RESOLVED;
	event_post(id, &e);
}

static void resolve_loopback(struct cm_id *id)
{
	if (!id->vhca) {
		id->vhca = id->fn;
		id->pkey = 0xffff;
		addr_set_loopback(&id->src);
		id->sgid_index = addr_default_index(id->fn, id->src.sa.sa_family);
	}
	memcpy(id->route.p.dgid, id->vhca->gids[id->sgid_index].gid, 16);
}

static int resolve_peer(struct cm_id *id)
{
	int err = addr_peer(id, &id->dst, &id->src, id->route.p.dgid);

	if (!err && !id->vhca && addr_own(id, &id->src, &id->sgid_index))
		err = -ENODEV;
	if (!err)
		id->vhca = id->fn;
	return err;
}

static void resolve_ip(struct cm_id *id, uint32_t timeout_ms)
{
	struct device *dev = id->cm->dev;
	char text[CM_ADDR_TEXT];
	int err = resolve_peer(id);

	if (!err)
		return resolve_done(id, 0);
	if (err != -EINPROGRESS)
		sim_refuse(
			"RESOLVE_ADDR: %s: %s", addr_text(&id->dst, text),
			err == -ETIMEDOUT
				? "nobody answers to this address"
				: "it is no address of this machine, and no function leads there");
	if (err != -ENODEV && !timer_set(&dev->timers, &id->unanswered,
					 dev->clock->now(dev->clock) + timeout_ms * 1000000ull))
		return;
	resolve_done(id, err);
}

/* Tries again; the timer ends it if there is still no answer. */
static void resolve_retry(struct cm_id *id)
{
	if (resolve_peer(id))
		return;
	timer_cancel(&id->cm->dev->timers, &id->unanswered);
	resolve_done(id, 0);
}

void cm_neighbours(struct cm *cm)
{
	struct cm_file *f;
	struct cm_id *id;

	LIST_FOREACH(f, &cm->files, link)
	TAILQ_FOREACH(id, &f->ids, link)
	if (id->state == ID_ADDR_QUERY && id->unanswered.queued)
		resolve_retry(id);
}

/* Binds to the function's GID in the subnet of the destination: subnets are link-local or IPv4. */
static int resolve_ib(struct cm_id *id)
{
	const uint8_t *dgid = id->dst.ib.addr;

	for (uint8_t i = 0; i < id->fn->ngids; i++) {
		const struct gid_entry *g = &id->fn->gids[i];

		if (g->type == GID_EMPTY || memcmp(g->gid, dgid, 8))
			continue;
		id->vhca = id->fn;
		id->sgid_index = i;
		memcpy(id->src.ib.addr, g->gid, 16);
		memcpy(id->route.p.dgid, dgid, 16);
		return 0;
	}
	return refuse(-ENODEV, "RESOLVE_ADDR: sib_addr: no port is in the subnet of this GID");
}

/* Returns whether dst is this function. Loopback addresses may be on the wire (doc/design/0039). */
static bool resolve_is_own(const struct cm_id *id, const union cm_addr *dst)
{
	return addr_is_zero(dst) || (addr_is_loopback(dst) && !addr_is_outside(id, dst));
}

static int id_resolve(struct cm_file *f, uint32_t number, const union cm_addr *src,
		      const union cm_addr *dst, uint32_t timeout_ms)
{
	struct cm_id *id;
	int err = id_find(f, number, &id) ?: resolve_prepare(id, src, dst);

	if (err)
		return err;
	id->state = ID_ADDR_QUERY;
	if (resolve_is_own(id, dst)) {
		resolve_loopback(id);
		resolve_done(id, 0);
	} else if (dst->sa.sa_family == CM_AF_IB) {
		err = resolve_ib(id);
		if (err)
			id->state = ID_ADDR_BOUND;
		else
			resolve_done(id, 0);
	} else {
		resolve_ip(id, timeout_ms);
	}
	return err;
}

int id_resolve_ip(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_resolve_ip c;
	union cm_addr src, dst;

	memcpy(&c, r->in, sizeof(c));
	if ((c.src_addr.sin6_family && addr_copy(&src, &c.src_addr, sizeof(c.src_addr))) ||
	    addr_copy(&dst, &c.dst_addr, sizeof(c.dst_addr)))
		return refuse(-EINVAL, "RESOLVE_IP: an address is neither IPv4 nor IPv6");
	return id_resolve(f, c.id, c.src_addr.sin6_family ? &src : NULL, &dst, c.timeout_ms);
}

int id_resolve_addr(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_resolve_addr c;
	union cm_addr src = {0}, dst;

	memcpy(&c, r->in, sizeof(c));
	if (c.reserved || (c.src_size && (addr_copy(&src, &c.src_addr, sizeof(c.src_addr)) ||
					  c.src_size != addr_size(&src))))
		return refuse(-EINVAL,
			      "RESOLVE_ADDR: src_size %u is not that of the address' family",
			      c.src_size);
	if (addr_copy(&dst, &c.dst_addr, sizeof(c.dst_addr)) || c.dst_size != addr_size(&dst))
		return refuse(-EINVAL,
			      "RESOLVE_ADDR: dst_size %u is not that of the address' family",
			      c.dst_size);
	return id_resolve(f, c.id, src.sa.sa_family ? &src : NULL, &dst, c.timeout_ms);
}
