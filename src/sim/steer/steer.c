/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a packet from a function's root table to an end. The next position is always an ICM
 * address, whose kind selects the function that finds the following one.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include "modify.h"
#include "params.h"
#include "priv.h"
#include "reformat.h"
#include "obj/counter.h"
#include "obj/tir.h"
#include "obj/device.h"

/*
 * Most tables in one walk. Levels rise, unless ignore_flow_level or software's entries lead back.
 */
#define TABLES	   256u
#define COPY_STEPS 256u /* of STEER_STEPS, for the copy to one further destination */
#define LOST_ALL   8u	/* losses logged; after these, only powers of two */

_Static_assert((int)STEER_NIC_RX == PRM_FLOW_TABLE_TYPE_NIC_RX &&
		       (int)STEER_NIC_TX == PRM_FLOW_TABLE_TYPE_NIC_TX &&
		       (int)STEER_FDB == PRM_FLOW_TABLE_TYPE_FDB,
	       "a table's type is its domain");

static const char *const steer_verbs[STEER_DOMAINS] = {
	[STEER_NIC_RX] = "receives",
	[STEER_NIC_TX] = "sends",
	[STEER_FDB] = "switches",
};

struct steer {
	const struct ste_version *version;
	const struct steer_ops *ops;
	uint64_t lost, work;
	/* of each function, then those of the FDB: of each function as the source, and of the wire */
	struct steer_stats stats[];
};

/* A walk, with the packet's match parameters for firmware's tables. */
struct table_walk {
	struct steer_walk w;
	unsigned int tables; /* rest of TABLES */
	struct match_params params;
};

static void table_walk_run(struct table_walk *, uint64_t addr);

struct steer *steer_new(struct device *dev)
{
	struct steer *s = calloc(1, sizeof(*s) + (2 * dev->nfunctions + 1) * sizeof(s->stats[0]));

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

static struct steer_stats *steer_fdb_ends(const struct device *dev, const struct vhca *source)
{
	return &dev->steer->stats[dev->nfunctions + (source ? source->index : dev->nfunctions)];
}

const struct steer_stats *steer_fdb_stats(const struct device *dev, const struct vhca *source)
{
	return steer_fdb_ends(dev, source);
}

uint64_t steer_work(const struct device *dev)
{
	return dev->steer->work;
}

bool steer_has_rx_root(const struct vhca *v)
{
	return v->flow_root[STEER_NIC_RX];
}

/* --- ends ------------------------------------------------------------------------------------ */

static void table_walk_finish(const struct table_walk *walk, enum steer_end what)
{
	walk->w.stats->ends[what]++;
	probe(PROBE_STEER, .steer = {PROBE_END, what, walk->w.vhca, walk->w.domain});
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
		   steer_verbs[w->domain], why, n);
	return 0;
}

static void table_walk_to_wire(struct table_walk *walk)
{
	table_walk_finish(walk, STEER_WIRE);
	walk->w.vhca->dev->steer->ops->to_wire(walk->w.vhca, walk->w.packet);
}

static void table_walk_miss(struct table_walk *walk)
{
	const struct steer_ops *ops = walk->w.vhca->dev->steer->ops;

	table_walk_finish(walk, STEER_MISS);
	if (walk->w.domain == STEER_NIC_RX && ops->to_kernel)
		ops->to_kernel(walk->w.vhca, walk->w.packet);
}

static void table_walk_to_tir(struct table_walk *walk, uint32_t tirn)
{
	struct vhca *v = walk->w.vhca;
	struct tir *tir = obj_find(v, OBJ_TIR, tirn);

	if (!tir || walk->w.domain != STEER_NIC_RX) {
		steer_lost(&walk->w, "TIR 0x%x %s", tirn, tir ? "receives" : "does not exist");
		table_walk_finish(walk, STEER_LOST);
		return;
	}
	probe(PROBE_STEER, .steer = {PROBE_TIR, tirn, v, .packet = walk->w.packet});
	table_walk_finish(walk, STEER_TIR);
	v->dev->steer->ops->to_tir(tir, walk->w.packet);
}

static void table_walk_to_end(struct table_walk *walk, uint64_t addr)
{
	uint32_t what = icm_number(addr);

	if (what == ICM_DROP) {
		table_walk_finish(walk, STEER_DROP);
	} else if (walk->w.domain == STEER_NIC_TX && what == ICM_ALLOW) {
		table_walk_to_wire(walk);
	} else {
		steer_lost(&walk->w, "address 0x%" PRIx64 " does not end packets of its direction",
			   addr);
		table_walk_finish(walk, STEER_LOST);
	}
}

/* [I] A packet from the wire does not go back to it: cap.fdb_uplink_hairpin is 0. */
static void table_walk_to_uplink(struct table_walk *walk)
{
	struct device *dev = walk->w.vhca->dev;

	if (!walk->w.tx) {
		table_walk_finish(walk, STEER_DROP);
		return;
	}
	table_walk_finish(walk, STEER_WIRE);
	dev->steer->ops->to_vport(dev, NULL, walk->w.packet);
}

static void table_walk_to_vport(struct table_walk *walk, uint64_t addr)
{
	struct device *dev = walk->w.vhca->dev;
	const uint16_t number = (uint16_t)icm_number(addr);
	struct vhca *v = device_vhca_by_vport(dev, number);

	if (walk->w.domain != STEER_FDB || addr != icm_vport(number, walk->w.tx) ||
	    (!v && number != VPORT_UPLINK)) {
		steer_lost(&walk->w, "address 0x%" PRIx64 " is no vport's of its side of the FDB",
			   addr);
		table_walk_finish(walk, STEER_LOST);
	} else if (!v) {
		table_walk_to_uplink(walk);
	} else {
		table_walk_finish(walk, STEER_VPORT);
		dev->steer->ops->to_vport(dev, v, walk->w.packet);
	}
}

/* --- firmware's tables ---------------------------------------------------------------------- */

static uint64_t table_walk_no_entry(const struct table_walk *walk, const struct flow_table *t)
{
	if (t->miss)
		return icm_addr(ICM_TABLE, t->miss->o.id);
	if (walk->w.domain == STEER_NIC_TX)
		return icm_addr(ICM_END, ICM_ALLOW);
	if (walk->w.domain == STEER_FDB)
		return icm_vport(walk->w.vhca->vport, walk->w.tx);
	return ICM_NONE;
}

static uint64_t dest_addr(const struct table_walk *walk, const struct flow_dest *d)
{
	if (d->kind == FLOW_TO_VPORT)
		return icm_vport(d->vport, walk->w.tx);
	return icm_addr(d->kind == FLOW_TO_TIR ? ICM_TIR : ICM_TABLE, d->obj->id);
}

/*
 * Sends a copy of the packet to one of several destinations, so that no destination sees changes
 * that another one makes. The last destination gets the packet itself.
 */
static void table_walk_copy(struct table_walk *walk, uint64_t addr)
{
	const struct packet *p = walk->w.packet;
	size_t size = p->headroom + p->len + p->tailroom;
	uint8_t *bytes = walk->w.steps > COPY_STEPS ? malloc(size) : NULL;
	struct packet copy = *p;
	struct table_walk other = {.w = walk->w, .tables = walk->tables};

	if (!bytes) {
		steer_lost(&walk->w, "it has too many destinations");
		table_walk_finish(walk, STEER_LOST);
		return;
	}
	copy.data = bytes + p->headroom;
	memcpy(copy.data, p->data, p->len);
	other.w.packet = &copy;
	other.w.steps -= COPY_STEPS;
	table_walk_run(&other, addr);
	walk->w.steps = other.w.steps;
	free(bytes);
}

static uint64_t table_walk_forward(struct table_walk *walk, const struct flow_actions *act)
{
	uint32_t last = act->ndests - 1;

	for (uint32_t i = 0; i < last; i++)
		table_walk_copy(walk, dest_addr(walk, &act->dests[i]));
	return dest_addr(walk, &act->dests[last]);
}

/*
 * Changes the packet in the order of an STE's actions: the end of a tunnel is before counters, its
 * begin is behind all others. [I] Returns false after steer_lost().
 */
static bool table_walk_change(struct table_walk *walk, const struct flow_actions *act)
{
	struct packet *p = walk->w.packet;
	bool tunnel = act->action & (PRM_FLOW_ACTION_DECAP | PRM_FLOW_ACTION_PACKET_REFORMAT);
	unsigned int changed = 0;

	if (tunnel && !reformat_end_tunnel(&walk->w, act, &changed))
		return false;
	for (uint32_t i = 0; i < act->ncounters; i++) {
		probe(PROBE_STEER, .steer = {PROBE_COUNT, act->counters[i].id});
		act->counters[i].counter->packets++;
		act->counters[i].counter->octets += p->len;
	}
	/* [I] An entry without a tag keeps the tag of an earlier table */
	if (act->tag)
		p->flow_tag = act->tag;
	if (act->modify) {
		modify_headers(&walk->w, act->modify->actions, act->modify->n);
		walk->params.filled = 0;
	}
	if (!tunnel)
		return true;
	walk->params.filled = 0;
	return reformat_begin_tunnel(&walk->w, act, &changed);
}

static uint64_t table_walk_act(struct table_walk *walk, const struct flow_actions *act)
{
	if (!table_walk_change(walk, act)) {
		table_walk_finish(walk, STEER_LOST);
		return ICM_NONE;
	}
	if (act->action & PRM_FLOW_ACTION_DROP)
		return icm_addr(ICM_END, ICM_DROP);
	if (act->action & PRM_FLOW_ACTION_ALLOW)
		return icm_addr(ICM_END, ICM_ALLOW);
	return table_walk_forward(walk, act);
}

/* Matches the packet in a table; returns ICM_NONE if its walk ended there. */
static uint64_t table_walk_match(struct table_walk *walk, const struct flow_table *t)
{
	const struct flow_entry *e;
	uint64_t addr;

	params_fill(&walk->params, walk->w.packet, t->enable);
	e = flow_table_match(t, walk->params.words);
	probe(PROBE_STEER, .steer = {PROBE_TABLE, .table = t, .entry = e});
	if (e)
		return table_walk_act(walk, &e->act);
	addr = table_walk_no_entry(walk, t);
	if (addr == ICM_NONE)
		table_walk_miss(walk);
	return addr;
}

/* --- the walk ------------------------------------------------------------------------------- */

/* Finds the table; NULL after steer_lost(). */
static const struct flow_table *table_walk_find_table(struct table_walk *walk, uint32_t table)
{
	const struct flow_table *t = obj_find(walk->w.vhca, OBJ_FLOW_TABLE, table);

	if (!t)
		steer_lost(&walk->w, "flow table 0x%x does not exist", table);
	else if (t->type != walk->w.domain)
		steer_lost(&walk->w, "flow table 0x%x is of another domain", table);
	else if (!walk->tables--)
		steer_lost(&walk->w, "its tables lead in a circle: %u were met", TABLES);
	else
		return t;
	return NULL;
}

/*
 * Charges the lookup to the walk. Each group of a table is looked up, and a table may have
 * thousands.
 */
static bool table_walk_charge_table(struct table_walk *walk, const struct flow_table *t)
{
	if (t->cost > walk->w.steps) {
		steer_lost(&walk->w, "its tables have more groups than any packet may meet");
		return false;
	}
	walk->w.steps -= t->cost;
	return true;
}

static uint64_t table_walk_enter_table(struct table_walk *walk, uint32_t table)
{
	const struct flow_table *t = table_walk_find_table(walk, table);

	if (!t || !table_walk_charge_table(walk, t)) {
		table_walk_finish(walk, STEER_LOST);
		return ICM_NONE;
	}
	if (t->sw_owner) {
		probe(PROBE_STEER, .steer = {PROBE_SW_TABLE, .table = t});
		return walk->w.domain == STEER_FDB && walk->w.tx ? t->icm_root_tx : t->icm_root;
	}
	return table_walk_match(walk, t);
}

static uint64_t table_walk_stes(struct table_walk *walk, uint64_t addr)
{
	uint64_t next = ste_walk(&walk->w, addr);

	walk->params.filled = 0;
	if (next == ICM_NONE)
		table_walk_finish(walk, STEER_LOST);
	return next;
}

static bool table_walk_charge_step(struct table_walk *walk)
{
	if (walk->w.hops && walk->w.steps) {
		walk->w.hops--;
		walk->w.steps--;
		return true;
	}
	steer_lost(&walk->w, "its tables lead in a circle, or to more than %u hits", STEER_HOPS);
	table_walk_finish(walk, STEER_LOST);
	return false;
}

static void table_walk_run(struct table_walk *walk, uint64_t addr)
{
	while (addr != ICM_NONE && table_walk_charge_step(walk)) {
		switch (icm_kind(addr)) {
		case ICM_TABLE:
			addr = table_walk_enter_table(walk, icm_number(addr));
			break;
		case ICM_STE:
			addr = table_walk_stes(walk, addr);
			break;
		case ICM_TIR:
			table_walk_to_tir(walk, icm_number(addr));
			return;
		case ICM_END:
			table_walk_to_end(walk, addr);
			return;
		case ICM_VPORT:
			table_walk_to_vport(walk, addr);
			return;
		default:
			steer_lost(&walk->w,
				   "address 0x%" PRIx64
				   " is neither a table, an entry, a TIR, a vport nor an end",
				   addr);
			table_walk_finish(walk, STEER_LOST);
			return;
		}
	}
}

static void steer_start(struct vhca *v, struct packet *p, enum steer_domain domain, bool tx,
			struct steer_stats *stats)
{
	const struct flow_table *root = v->flow_root[domain];
	struct table_walk walk = {
		.tables = TABLES,
		.w =
			{
				.version = v->dev->steer->version,
				.vhca = v,
				.packet = p,
				.stats = stats,
				.domain = domain,
				.tx = tx,
				.hops = STEER_HOPS,
				.steps = STEER_STEPS,
			},
	};

	probe(PROBE_STEER, .steer = {PROBE_START, 0, v, domain, p});
	if (root)
		table_walk_run(&walk, icm_addr(ICM_TABLE, root->o.id));
	else if (domain == STEER_NIC_TX)
		table_walk_to_wire(&walk);
	else
		table_walk_miss(&walk);
	v->dev->steer->work += STEER_STEPS - walk.w.steps;
}

void steer_rx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_RX, false, &v->dev->steer->stats[v->index]);
}

void steer_tx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_TX, true, &v->dev->steer->stats[v->index]);
}

void steer_fdb(struct device *dev, struct packet *p, const struct vhca *from)
{
	steer_start(dev->manager, p, STEER_FDB, from, steer_fdb_ends(dev, from));
}
