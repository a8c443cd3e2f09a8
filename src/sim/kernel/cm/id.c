/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids: creation, destruction, options, migration to another file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "conn.h"
#include "priv.h"
#include "obj/device.h"
#include "uverbs/resource.h"

static const char *const id_states[CM_ID_STATES] = {
	[ID_IDLE] = "IDLE",
	[ID_ADDR_QUERY] = "ADDR_QUERY",
	[ID_ADDR_RESOLVED] = "ADDR_RESOLVED",
	[ID_ROUTE_RESOLVED] = "ROUTE_RESOLVED",
	[ID_CONNECT] = "CONNECT",
	[ID_DISCONNECT] = "DISCONNECT",
	[ID_ADDR_BOUND] = "ADDR_BOUND",
	[ID_LISTEN] = "LISTEN",
};

const char *cm_state_name(unsigned int state)
{
	return id_states[state];
}

void cm_count_ids(const struct cm *cm, const struct vhca *v, uint32_t count[CM_ID_STATES])
{
	for (uint32_t i = 0; i < cm->ids.n; i++) {
		const struct cm_id *id = cm->ids.at[i];

		if (id && id->fn == v)
			count[id->state]++;
	}
}

/* Converts to Linux's enum rdma_cm_state, which has ROUTE_QUERY before ROUTE_RESOLVED. */
static uint8_t id_linux_state(const struct cm_id *id)
{
	return (uint8_t)(id->state + (id->state >= ID_ROUTE_RESOLVED));
}

static void id_describe(const struct cm_id *id, struct uverbs_resource *r)
{
	*r = (struct uverbs_resource){
		.kind = RESOURCE_CM_ID,
		.id = id->number,
		.pid = (uint32_t)id->file->pid,
		.qpn = id->qpn,
		.type = id->qp_type,
		.state = id_linux_state(id),
		.port = 1,
		.ps = id->ps,
	};
	memcpy(r->src, &id->src, addr_size(&id->src));
	memcpy(r->dst, &id->dst, addr_size(&id->dst));
}

/* Includes ids that listen on all addresses: Linux makes an id on each device for them. */
static bool id_is_on(const struct cm_id *id, const struct vhca *v)
{
	return id->vhca == v || (id->fn == v && !id->vhca && id->state == ID_LISTEN);
}

size_t cm_resources(const struct cm *cm, unsigned int function, size_t first,
		    struct uverbs_resource *rows, size_t max)
{
	size_t n = 0;

	for (uint32_t i = 0; function < cm->dev->nfunctions && i < cm->ids.n; i++) {
		const struct cm_id *id = cm->ids.at[i];

		if (id && id_is_on(id, &cm->dev->vhca[function]) && n++ - first < max)
			id_describe(id, &rows[n - 1 - first]);
	}
	return n;
}

/* Finds an id. Numbers count per device; one of another file is -EINVAL, as in the kernel. */
int id_find(struct cm_file *f, uint32_t number, struct cm_id **id)
{
	struct cm_id *found = id_table_find(&f->cm->ids, number);

	if (!found)
		return refuse(-ENOENT, "rdma_cm: id %u: there is none", number);
	if (found->file != f)
		return refuse(-EINVAL, "rdma_cm: id %u: it belongs to another event channel",
			      number);
	*id = found;
	return 0;
}

int id_find_bound(struct cm_file *f, uint32_t number, struct cm_id **id)
{
	int err = id_find(f, number, id);

	if (!err && !(*id)->vhca)
		err = refuse(-EINVAL,
			     "rdma_cm: id %u: its address is not resolved, so it has no device yet",
			     number);
	return err;
}

static void id_unanswered(struct timer *t)
{
	struct cm_id *id = (struct cm_id *)(void *)((char *)t - offsetof(struct cm_id, unanswered));
	const struct rdma_ucm_event_resp e = {.event = EVENT_ADDR_ERROR,
					      .status = (uint32_t)-ETIMEDOUT};

	id->state = ID_ADDR_BOUND;
	event_post(id, &e);
}

struct cm_id *id_new(struct cm_file *f, uint16_t ps, uint8_t qp_type)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id || id_table_add(&f->cm->ids, id, &id->number)) {
		free(id);
		return NULL;
	}
	id->cm = f->cm;
	id->file = f;
	id->fn = f->fn;
	id->ps = ps;
	id->qp_type = qp_type;
	id->psn = cm_random(f->cm) & 0xffffff;
	id->unanswered.fire = id_unanswered;
	TAILQ_INSERT_TAIL(&f->ids, id, link);
	return id;
}

uint32_t id_destroy(struct cm_id *id)
{
	uint32_t reported;

	timer_cancel(&id->cm->dev->timers, &id->unanswered);
	if (id->conn)
		conn_destroy(id->conn);
	id->conn = NULL;
	groups_leave(id);
	port_release(id);
	event_drop_id(id);
	reported = id->reported;
	TAILQ_REMOVE(&id->file->ids, id, link);
	id_table_del(&id->cm->ids, id->number);
	free(id);
	return reported;
}

static int id_qp_type(const struct rdma_ucm_create_id *c, uint8_t *type)
{
	switch (c->ps) {
	case RDMA_PS_TCP:
		*type = QPT_RC;
		return 0;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		*type = QPT_UD;
		return 0;
	case RDMA_PS_IB:
		*type = c->qp_type;
		return 0;
	default:
		return refuse(-EINVAL, "CREATE_ID: ps 0x%x: there is no such port space", c->ps);
	}
}

int id_create(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_create_id c;
	struct cm_id *id;
	uint8_t type;
	int err;

	memcpy(&c, r->in, sizeof(c));
	err = id_qp_type(&c, &type);
	if (err)
		return err;
	id = id_new(f, c.ps, type);
	if (!id)
		return -ENOMEM;
	id->uid = c.uid;
	resp.id = id->number;
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}

int id_destroy_command(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_destroy_id_resp resp;

	resp.events_reported = id_destroy(id);
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}

/* Moves an id to f: the command comes from the new file and names the old one. */
int id_migrate(struct cm_file *f, struct ucma_request *r)
{
	struct cm_file *from = file_find(f->cm, r->inode);
	struct rdma_ucm_migrate_resp resp;
	struct rdma_ucm_migrate_id c;
	struct cm_id *id;
	int err;

	memcpy(&c, r->in, sizeof(c));
	if (!from)
		return refuse(-EINVAL, "MIGRATE_ID: fd %u is no event channel", c.fd);
	err = id_find(from, c.id, &id);
	if (err)
		return err;
	resp.events_reported = id->reported;
	if (from != f) {
		event_migrate(id, f);
		TAILQ_REMOVE(&from->ids, id, link);
		TAILQ_INSERT_TAIL(&f->ids, id, link);
		id->file = f;
	}
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}

/* --- options ---------------------------------------------------------------------------------- */

static int option_tos(struct cm_id *id, uint32_t value)
{
	id->tos = (uint8_t)value;
	id->tos_set = true;
	return 0;
}

static int option_reuse(struct cm_id *id, uint32_t value)
{
	if ((!value || id->state == ID_LISTEN) && id->state != ID_IDLE)
		return refuse(-EINVAL, "SET_OPTION: REUSEADDR: id %u %s", id->number,
			      id->state == ID_LISTEN ? "listens" : "is bound");
	id->reuse = value;
	return 0;
}

static int option_afonly(struct cm_id *id, uint32_t value)
{
	if (id->state != ID_IDLE && id->state != ID_ADDR_BOUND)
		return refuse(-EINVAL, "SET_OPTION: AFONLY: id %u is beyond its binding",
			      id->number);
	id->afonly_set = true;
	id->afonly = value;
	return 0;
}

static int option_ack_timeout(struct cm_id *id, uint32_t value)
{
	if (id->qp_type != QPT_RC && id->qp_type != QPT_XRC_INI)
		return refuse(-EINVAL,
			      "SET_OPTION: ACK_TIMEOUT: id %u is for no reliable connection",
			      id->number);
	id->timeout = (uint8_t)value;
	id->timeout_set = true;
	return 0;
}

static const struct {
	int (*set)(struct cm_id *, uint32_t value);
	uint8_t bytes;
} options[] = {
	[RDMA_OPTION_ID_TOS] = {option_tos, sizeof(uint8_t)},
	[RDMA_OPTION_ID_REUSEADDR] = {option_reuse, sizeof(int)},
	[RDMA_OPTION_ID_AFONLY] = {option_afonly, sizeof(int)},
	[RDMA_OPTION_ID_ACK_TIMEOUT] = {option_ack_timeout, sizeof(uint8_t)},
};

static int set_option_id(struct cm_id *id, const struct rdma_ucm_set_option *c, const uint8_t *at)
{
	uint32_t value = 0;

	if (c->optname >= sizeof(options) / sizeof(options[0]))
		return refuse(-ENOSYS, "SET_OPTION: optname %u: there is none at level ID",
			      c->optname);
	if (c->optlen != options[c->optname].bytes)
		return refuse(-EINVAL, "SET_OPTION: optlen %u, option %u has %u bytes", c->optlen,
			      c->optname, options[c->optname].bytes);
	memcpy(&value, at, c->optlen);
	return options[c->optname].set(id, value);
}

int id_set_option(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_set_option c;

	memcpy(&c, r->in, sizeof(c));
	if (c.level == RDMA_OPTION_ID)
		return set_option_id(id, &c, r->value);
	if (c.level == RDMA_OPTION_IB && c.optname == RDMA_OPTION_IB_PATH)
		return route_set_path(id, r->value, c.optlen);
	return refuse(-ENOSYS, "SET_OPTION: level %u, optname %u: there is none", c.level,
		      c.optname);
}
