/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet's whole way, from a function's root table to its end. The next position is always an ICM
 * address; the address's kind decides which function finds the one after it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include "modify.h"
#include "params.h"
#include "priv.h"
#include "obj/counter.h"
#include "obj/tir.h"
#include "obj/device.h"

/* Tables on one way: levels rise, unless ignore_flow_level or software's entries lead back. */
#define TABLES	   256u
#define COPY_STEPS 256u /* of STEER_STEPS, for a copy to one more destination */
#define LOST_ALL   8u	/* sentences; after these only each power of two is logged */

_Static_assert((int)STEER_NIC_RX == PRM_FLOW_TABLE_TYPE_NIC_RX &&
		       (int)STEER_NIC_TX == PRM_FLOW_TABLE_TYPE_NIC_TX,
	       "a table's type is its domain");

static const struct {
	const char *name, *verb; /* what a function does with its packets */
} domains[STEER_DOMAINS] = {
	[STEER_NIC_RX] = {"rx", "receives"},
	[STEER_NIC_TX] = {"tx", "sends"},
};

struct steer {
	const struct ste_version *version;
	const struct steer_ops *ops;
	uint64_t lost, work;
	struct steer_stats stats[]; /* by function */
};

/* A walk, and the packet's match parameters for firmware's tables. */
struct way {
	struct steer_walk w;
	unsigned int tables; /* what is left of TABLES */
	struct match_params params;
};

static void way_follow(struct way *, uint64_t addr);

struct steer *steer_new(struct device *dev)
{
	struct steer *s = calloc(1, sizeof(*s) + dev->nfunctions * sizeof(s->stats[0]));

	if (s)
		s->version = ste_version_find(dev->profile->steering_format_version);
	if (!s || s->version)
		return s;
	sim_refuse("%s: steering_format_version %u is not implemented", dev->profile->name,
		   dev->profile->steering_format_version);
	free(s);
	return NULL;
}

void steer_free(struct steer *s)
{
	free(s);
}

void steer_set_ops(struct steer *s, const struct steer_ops *ops)
{
	s->ops = ops;
}

const struct steer_stats *steer_stats(const struct vhca *v)
{
	return &v->dev->steer->stats[v->index];
}

uint64_t steer_work(const struct device *dev)
{
	return dev->steer->work;
}

bool steer_has_rx_root(const struct vhca *v)
{
	return v->flow_root[STEER_NIC_RX];
}

/* --- where a way ends ----------------------------------------------------------------------- */

static void way_end(const struct way *way, enum steer_end what)
{
	static const char *const names[STEER_ENDS] = {
		[STEER_TIR] = "delivered", [STEER_WIRE] = "sent",
		[STEER_DROP] = "dropped",  [STEER_MISS] = "missed, no rule took it",
		[STEER_LOST] = "lost",
	};
	struct vhca *v = way->w.vhca;

	v->dev->steer->stats[v->index].ends[what]++;
	steer_trace("vhca %u %s: %s", v->id, domains[way->w.domain].name, names[what]);
}

uint64_t steer_lost(const struct steer_walk *w, const char *fmt, ...)
{
	uint64_t n = ++w->vhca->dev->steer->lost;
	char why[256];
	va_list ap;

	if (n > LOST_ALL && n & (n - 1))
		return 0;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	sim_refuse("vhca %u: a packet that it %s is lost: %s (%" PRIu64 " so far)", w->vhca->id,
		   domains[w->domain].verb, why, n);
	return 0;
}

static void way_to_wire(struct way *way)
{
	way_end(way, STEER_WIRE);
	way->w.vhca->dev->steer->ops->to_wire(way->w.vhca, way->w.packet);
}

static void way_miss(struct way *way)
{
	const struct steer_ops *ops = way->w.vhca->dev->steer->ops;

	way_end(way, STEER_MISS);
	if (way->w.domain == STEER_NIC_RX && ops->to_kernel)
		ops->to_kernel(way->w.vhca, way->w.packet);
}

static void way_to_tir(struct way *way, uint32_t tirn)
{
	struct vhca *v = way->w.vhca;
	struct tir *tir = obj_find(v, OBJ_TIR, tirn);

	if (!tir || way->w.domain != STEER_NIC_RX) {
		steer_lost(&way->w, "TIR 0x%x %s", tirn, tir ? "receives" : "does not exist");
		way_end(way, STEER_LOST);
		return;
	}
	steer_trace("vhca %u: to tir 0x%x, tag 0x%x", v->id, tirn, way->w.packet->flow_tag);
	way_end(way, STEER_TIR);
	v->dev->steer->ops->to_tir(tir, way->w.packet);
}

static void way_to_end(struct way *way, uint64_t addr)
{
	uint32_t what = icm_number(addr);

	if (what == ICM_DROP) {
		way_end(way, STEER_DROP);
	} else if (way->w.domain == STEER_NIC_TX &&
		   (what == ICM_ALLOW || what == ICM_UPLINK)) {
		way_to_wire(way);
	} else {
		steer_lost(&way->w, "address 0x%" PRIx64 " does not end packets of its direction",
			   addr);
		way_end(way, STEER_LOST);
	}
}

/* --- firmware's tables ---------------------------------------------------------------------- */

static uint64_t way_missed(const struct way *way, const struct flow_table *t)
{
	steer_trace("table 0x%x level %u: no entry, miss%s", t->o.id, t->level,
		    t->miss ? " to the next" : "");
	if (t->miss)
		return icm_addr(ICM_TABLE, t->miss->o.id);
	if (way->w.domain == STEER_NIC_TX)
		return icm_addr(ICM_END, ICM_ALLOW);
	return ICM_NONE;
}

static uint64_t dest_addr(const struct flow_dest *d)
{
	return icm_addr(d->is_tir ? ICM_TIR : ICM_TABLE, d->obj->id);
}

/* One destination must not see what another does to the packet: each but the last gets a copy. */
static void way_follow_copy(struct way *way, uint64_t addr)
{
	const struct packet *p = way->w.packet;
	size_t size = p->headroom + p->len + p->tailroom;
	uint8_t *bytes = way->w.steps > COPY_STEPS ? malloc(size) : NULL;
	struct packet copy = *p;
	struct way other = {.w = way->w, .tables = way->tables};

	if (!bytes) {
		steer_lost(&way->w, "it has too many destinations");
		way_end(way, STEER_LOST);
		return;
	}
	copy.data = bytes + p->headroom;
	memcpy(copy.data, p->data, p->len);
	other.w.packet = &copy;
	other.w.steps -= COPY_STEPS;
	way_follow(&other, addr);
	way->w.steps = other.w.steps;
	free(bytes);
}

static uint64_t way_forward(struct way *way, const struct flow_actions *act)
{
	uint32_t last = act->ndests - 1;

	for (uint32_t i = 0; i < last; i++)
		way_follow_copy(way, dest_addr(&act->dests[i]));
	return dest_addr(&act->dests[last]);
}

static uint64_t way_act_on(struct way *way, const struct flow_actions *act)
{
	struct packet *p = way->w.packet;

	for (uint32_t i = 0; i < act->ncounters; i++) {
		steer_trace("count in 0x%x", act->counters[i].id);
		act->counters[i].counter->packets++;
		act->counters[i].counter->octets += p->len;
	}
	/* [I] An entry without a tag keeps the one that an earlier table gave. */
	if (act->tag)
		p->flow_tag = act->tag;
	if (act->modify) {
		modify_headers(&way->w, act->modify->actions, act->modify->n);
		way->params.filled = 0;
	}
	if (act->action & PRM_FLOW_ACTION_DROP)
		return icm_addr(ICM_END, ICM_DROP);
	if (act->action & PRM_FLOW_ACTION_ALLOW)
		return icm_addr(ICM_END, ICM_ALLOW);
	return way_forward(way, act);
}

/* ICM_NONE: no entry took the packet. */
static uint64_t way_through_table(struct way *way, const struct flow_table *t)
{
	const struct flow_entry *e;

	params_fill(&way->params, way->w.packet, t->enable);
	e = flow_table_match(t, way->params.words);
	if (!e)
		return way_missed(way, t);
	steer_trace("table 0x%x level %u: group 0x%x entry %u", t->o.id, t->level, e->group->o.id,
		    e->index);
	return way_act_on(way, &e->act);
}

/* --- the walk ------------------------------------------------------------------------------- */

/* NULL after steer_lost(). */
static const struct flow_table *way_enter(struct way *way, uint32_t table)
{
	const struct flow_table *t = obj_find(way->w.vhca, OBJ_FLOW_TABLE, table);

	if (!t)
		steer_lost(&way->w, "flow table 0x%x does not exist", table);
	else if (t->type != way->w.domain)
		steer_lost(&way->w, "flow table 0x%x is of another domain", table);
	else if (!way->tables--)
		steer_lost(&way->w, "its tables lead in a circle: %u were met", TABLES);
	else
		return t;
	return NULL;
}

/* Each group of a table is looked up, and a table may have thousands. */
static bool way_pay_table(struct way *way, const struct flow_table *t)
{
	if (t->cost > way->w.steps) {
		steer_lost(&way->w, "its tables have more groups than any packet may meet");
		return false;
	}
	way->w.steps -= t->cost;
	return true;
}

static uint64_t way_lead_on(struct way *way, uint32_t table)
{
	const struct flow_table *t = way_enter(way, table);
	uint64_t addr;

	if (!t || !way_pay_table(way, t)) {
		way_end(way, STEER_LOST);
		return ICM_NONE;
	}
	if (t->sw_owner) {
		steer_trace("table 0x%x level %u: software's, at 0x%" PRIx64, table, t->level,
			    t->icm_root);
		return t->icm_root;
	}
	addr = way_through_table(way, t);
	if (addr == ICM_NONE)
		way_miss(way);
	return addr;
}

static uint64_t way_through_stes(struct way *way, uint64_t addr)
{
	uint64_t next = ste_walk(&way->w, addr);

	way->params.filled = 0;
	if (next == ICM_NONE)
		way_end(way, STEER_LOST);
	return next;
}

static bool way_may_go_on(struct way *way)
{
	if (way->w.hops && way->w.steps) {
		way->w.hops--;
		way->w.steps--;
		return true;
	}
	steer_lost(&way->w, "its tables lead in a circle, or to more than %u hits", STEER_HOPS);
	way_end(way, STEER_LOST);
	return false;
}

static void way_follow(struct way *way, uint64_t addr)
{
	while (addr != ICM_NONE && way_may_go_on(way)) {
		switch (icm_kind(addr)) {
		case ICM_TABLE:
			addr = way_lead_on(way, icm_number(addr));
			break;
		case ICM_STE:
			addr = way_through_stes(way, addr);
			break;
		case ICM_TIR:
			way_to_tir(way, icm_number(addr));
			return;
		case ICM_END:
			way_to_end(way, addr);
			return;
		default:
			steer_lost(&way->w,
				   "address 0x%" PRIx64
				   " is neither a table, an entry, a TIR nor an end",
				   addr);
			way_end(way, STEER_LOST);
			return;
		}
	}
}

/* The first line of a walk. */
static void trace_packet(const struct vhca *v, const struct packet *p, enum steer_domain domain)
{
	const struct packet_headers *h = &p->outer;

	steer_trace(
		"vhca %u %s: %u bytes, %u vlans, ethertype 0x%04x, ip v%u protocol %u, ports %u "
		"> %u",
		v->id, domains[domain].name, p->len, h->vlans, h->ethertype, h->ip_version,
		h->ip_protocol, h->sport, h->dport);
}

static void steer_start(struct vhca *v, struct packet *p, enum steer_domain domain)
{
	const struct flow_table *root = v->flow_root[domain];
	struct way way = {
		.tables = TABLES,
		.w =
			{
				.version = v->dev->steer->version,
				.vhca = v,
				.packet = p,
				.domain = domain,
				.hops = STEER_HOPS,
				.steps = STEER_STEPS,
			},
	};

	trace_packet(v, p, domain);
	if (root)
		way_follow(&way, icm_addr(ICM_TABLE, root->o.id));
	else if (domain == STEER_NIC_TX)
		way_to_wire(&way);
	else
		way_miss(&way);
	v->dev->steer->work += STEER_STEPS - way.w.steps;
}

void steer_rx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_RX);
}

void steer_tx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_TX);
}
