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
#include "meter.h"
#include "modify.h"
#include "params.h"
#include "priv.h"
#include "reformat.h"
#include "rules/rules.h"
#include "obj/alias.h"
#include "obj/counter.h"
#include "obj/rtc.h"
#include "obj/tir.h"
#include "obj/device.h"

/*
 * Most tables in one walk. Levels rise, unless ignore_flow_level or software's entries lead back. Rule tables are
 * not among them, since each matcher has one or two: as hits, they end at STEER_HOPS.
 */
#define TABLES	   256u
#define COPY_STEPS 256u /* of STEER_STEPS, for the copy to one further destination */
#define LOST_ALL   8u	/* losses logged; after these, only powers of two */

_Static_assert((int)STEER_NIC_RX == PRM_FLOW_TABLE_TYPE_NIC_RX &&
		       (int)STEER_NIC_TX == PRM_FLOW_TABLE_TYPE_NIC_TX &&
		       (int)STEER_EGRESS_ACL == PRM_FLOW_TABLE_TYPE_ESW_EGRESS_ACL &&
		       (int)STEER_INGRESS_ACL == PRM_FLOW_TABLE_TYPE_ESW_INGRESS_ACL &&
		       (int)STEER_FDB == PRM_FLOW_TABLE_TYPE_FDB,
	       "a table's type is its domain");

/* Counts of packets that a rule, or a table's default, drops. */
static const uint8_t steer_drops[STEER_DOMAINS] = {
	[STEER_NIC_RX] = STEER_DROP,
	[STEER_NIC_TX] = STEER_DROP,
	[STEER_EGRESS_ACL] = STEER_EGRESS_DROP,
	[STEER_INGRESS_ACL] = STEER_INGRESS_DROP,
	[STEER_FDB] = STEER_DROP,
};

static const char *const steer_verbs[STEER_DOMAINS] = {
	[STEER_NIC_RX] = "receives",	  [STEER_NIC_TX] = "sends", [STEER_EGRESS_ACL] = "switches",
	[STEER_INGRESS_ACL] = "switches", [STEER_FDB] = "switches",
};

struct steer {
	const struct ste_version *version;
	const struct steer_ops *ops;
	struct steer_walk *now; /* the walk under way; NULL: none */
	uint64_t lost;
	uint32_t dice; /* xorshift, so that a run can be repeated */
	/* of each function, then those of the FDB: of each function as the source, and of the wire */
	struct steer_stats stats[];
};

/* A walk, with the packet's match parameters for firmware's tables. */
struct table_walk {
	struct steer_walk w;
	struct vhca *to; /* behind the FDB and an egress access control list; NULL: the uplink */
	unsigned int tables; /* rest of TABLES */
	struct match_params params;
};

static void table_walk_run(struct table_walk *, uint64_t addr);

struct steer *steer_new(struct device *dev)
{
	struct steer *s = calloc(1, sizeof(*s) + (2 * dev->nfunctions + 1) * sizeof(s->stats[0]));

	if (s) {
		s->dice = 1;
		s->version = ste_version_find(dev->profile->steering_format_version);
	}
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

bool steer_has_rx_root(const struct vhca *v)
{
	return v->flow_root[STEER_NIC_RX];
}

/* --- ends ------------------------------------------------------------------------------------ */

static void table_walk_finish(const struct table_walk *walk, enum steer_end what)
{
	walk->w.stats->ends[what]++;
	probe(PROBE_STEER, .steer = {PROBE_END, what, walk->w.function, walk->w.domain});
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
	sim_refuse("vhca %u: a packet that it %s is lost: %s (%" PRIu64 " so far)", w->function->id,
		   steer_verbs[w->domain], why, n);
	return 0;
}

/* Ends a walk after steer_lost(). */
static uint64_t table_walk_lost(const struct table_walk *walk)
{
	table_walk_finish(walk, STEER_LOST);
	return ICM_NONE;
}

static void table_walk_to_wire(struct table_walk *walk)
{
	table_walk_finish(walk, STEER_WIRE);
	walk->w.vhca->dev->steer->ops->to_wire(walk->w.function, walk->w.packet);
}

static void table_walk_miss(struct table_walk *walk)
{
	const struct steer_ops *ops = walk->w.vhca->dev->steer->ops;

	table_walk_finish(walk, STEER_MISS);
	if (walk->w.domain == STEER_NIC_RX && ops->to_kernel)
		ops->to_kernel(walk->w.function, walk->w.packet);
}

/*
 * Finds an object, that of another function if it is an alias, whose tables the walk is in then. NULL: there
 * is none.
 */
static void *table_walk_find(struct table_walk *walk, enum obj_type type, uint32_t id)
{
	struct obj *o = obj_find(walk->w.vhca, type, id);

	o = o ? alias_follow(o) : NULL;
	if (o)
		walk->w.vhca = o->vhca;
	return o;
}

static void table_walk_to_tir(struct table_walk *walk, uint32_t tirn)
{
	struct tir *tir = table_walk_find(walk, OBJ_TIR, tirn);
	struct vhca *v = walk->w.vhca;

	if (!tir || walk->w.domain != STEER_NIC_RX) {
		steer_lost(&walk->w, "TIR 0x%x %s", tirn, tir ? "receives" : "does not exist");
		table_walk_lost(walk);
		return;
	}
	probe(PROBE_STEER, .steer = {PROBE_TIR, tirn, v, .packet = walk->w.packet});
	table_walk_finish(walk, STEER_TIR);
	v->dev->steer->ops->to_tir(tir, walk->w.packet);
}

/* Ends behind the FDB and the access control list. */
static void table_walk_leave_fdb(struct table_walk *walk)
{
	struct device *dev = walk->w.vhca->dev;

	table_walk_finish(walk, walk->to ? STEER_VPORT : STEER_WIRE);
	dev->steer->ops->to_vport(dev, walk->to, walk->w.packet);
}

/* Enters the root of tables of the e-switch; returns ICM_NONE if there is none. */
static uint64_t table_walk_enter(struct table_walk *walk, enum steer_domain domain,
				 const struct flow_table *root)
{
	if (!root)
		return ICM_NONE;
	walk->w.domain = domain;
	return icm_addr(ICM_TABLE, root->o.id);
}

static uint64_t table_walk_allow(struct table_walk *walk)
{
	switch (walk->w.domain) {
	case STEER_NIC_TX:
		table_walk_to_wire(walk);
		return ICM_NONE;
	case STEER_INGRESS_ACL:
		return table_walk_enter(walk, STEER_FDB, walk->w.vhca->flow_root[STEER_FDB]);
	case STEER_EGRESS_ACL:
		table_walk_leave_fdb(walk);
		return ICM_NONE;
	default:
		steer_lost(&walk->w, "address 0x%" PRIx64 " does not end packets of its direction",
			   icm_addr(ICM_END, ICM_ALLOW));
		return table_walk_lost(walk);
	}
}

static uint64_t table_walk_to_end(struct table_walk *walk, uint64_t addr)
{
	switch (icm_number(addr)) {
	case ICM_ALLOW:
		return table_walk_allow(walk);
	case ICM_DROP:
		table_walk_finish(walk, steer_drops[walk->w.domain]);
		return ICM_NONE;
	case ICM_MISS:
		table_walk_miss(walk);
		return ICM_NONE;
	default:
		steer_lost(&walk->w, "address 0x%" PRIx64 " does not end packets", addr);
		return table_walk_lost(walk);
	}
}

/* Takes a packet out of the FDB, to a vport and its access control list. */
static uint64_t table_walk_to_vport(struct table_walk *walk, uint64_t addr)
{
	struct device *dev = walk->w.vhca->dev;
	const uint16_t number = (uint16_t)icm_number(addr);
	struct vhca *v = device_vhca_by_vport(dev, number);
	uint64_t next;

	if (walk->w.domain != STEER_FDB || addr != icm_vport(number, walk->w.tx) ||
	    (!v && number != VPORT_UPLINK)) {
		steer_lost(&walk->w, "address 0x%" PRIx64 " is no vport's of its side of the FDB",
			   addr);
		return table_walk_lost(walk);
	}
	/* [I] A packet from the wire does not go back to it: cap.fdb_uplink_hairpin is 0. */
	if (!v && !walk->w.tx) {
		table_walk_finish(walk, STEER_DROP);
		return ICM_NONE;
	}
	walk->to = v;
	next = table_walk_enter(walk, STEER_EGRESS_ACL,
				(v ? v->flow_root : dev->uplink_acl)[STEER_EGRESS_ACL]);
	if (next == ICM_NONE)
		table_walk_leave_fdb(walk);
	return next;
}

/* --- firmware's tables ---------------------------------------------------------------------- */

static uint64_t table_walk_no_entry(const struct table_walk *walk, const struct flow_table *t)
{
	if (t->miss)
		return icm_addr(ICM_TABLE, t->miss->o.id);
	if (walk->w.domain == STEER_FDB)
		return icm_vport(walk->w.vhca->vport, walk->w.tx);
	return walk->w.domain == STEER_NIC_RX ? ICM_NONE : icm_addr(ICM_END, ICM_ALLOW);
}

static uint64_t dest_addr(const struct table_walk *walk, const struct flow_dest *d)
{
	static const uint8_t kinds[FLOW_DEST_KINDS] = {[FLOW_TO_TABLE] = ICM_TABLE,
						       [FLOW_TO_TIR] = ICM_TIR,
						       [FLOW_TO_SAMPLER] = ICM_SAMPLER};

	return d->obj ? icm_addr(kinds[d->kind], d->obj->id) : icm_vport(d->vport, walk->w.tx);
}

/* Begins the tunnel of a destination, if it has one; returns ICM_NONE if the packet is lost. */
static uint64_t table_walk_lead(struct table_walk *walk, const struct flow_dest *d)
{
	if (!d->reformat)
		return dest_addr(walk, d);
	walk->params.filled = 0;
	return reformat_begin_tunnel(&walk->w, d->reformat) ? dest_addr(walk, d)
							    : table_walk_lost(walk);
}

/*
 * Sends a copy of the packet to one of several destinations, so that no destination sees changes
 * that another one makes. The last destination gets the packet itself.
 */
static void table_walk_copy(struct table_walk *walk, const struct flow_dest *d)
{
	const struct packet *p = walk->w.packet;
	size_t size = p->headroom + p->len + p->tailroom;
	uint8_t *bytes = walk->w.steps > COPY_STEPS ? malloc(size) : NULL;
	struct packet copy = *p;
	struct table_walk other = {.w = walk->w, .to = walk->to, .tables = walk->tables};

	if (!bytes) {
		steer_lost(&walk->w, "it has too many destinations");
		table_walk_lost(walk);
		return;
	}
	copy.data = bytes + p->headroom;
	memcpy(copy.data, p->data, p->len);
	other.w.packet = &copy;
	other.w.steps -= COPY_STEPS;
	table_walk_run(&other, table_walk_lead(&other, d));
	walk->w.steps = other.w.steps;
	free(bytes);
}

static uint64_t table_walk_forward(struct table_walk *walk, const struct flow_actions *act)
{
	const struct flow_dest *last = &act->dests[act->ndests - 1];

	for (const struct flow_dest *d = act->dests; d < last; d++)
		table_walk_copy(walk, d);
	return table_walk_lead(walk, last);
}

/*
 * Changes the packet in the order of an STE's actions: the end of a tunnel and of a VLAN tag is
 * before counters, their begin is behind all others. [I] Returns false after steer_lost().
 */
static bool table_walk_change(struct table_walk *walk, const struct flow_actions *act)
{
	struct packet *p = walk->w.packet;
	const bool moves = act->action & REFORMAT_ACTIONS;

	if (moves && !reformat_remove(&walk->w, act))
		return false;
	if (act->aso && !meter_by_entry(&walk->w, act))
		return false;
	for (uint32_t i = 0; i < act->ncounters; i++) {
		probe(PROBE_STEER, .steer = {PROBE_COUNT, act->counters[i].id});
		act->counters[i].counter->packets++;
		act->counters[i].counter->octets += p->len;
	}
	walk->params.filled = act->aso ? 0 : walk->params.filled;
	/* [I] An entry without a tag keeps the tag of an earlier table */
	if (act->tag)
		p->flow_tag = act->tag;
	if (act->modify) {
		modify_headers(&walk->w, act->modify->actions, act->modify->n);
		walk->params.filled = 0;
	}
	if (!moves)
		return true;
	walk->params.filled = 0;
	return reformat_add(&walk->w, act);
}

static uint64_t table_walk_act(struct table_walk *walk, const struct flow_actions *act)
{
	if (!table_walk_change(walk, act))
		return table_walk_lost(walk);
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
	e = flow_table_match(t, walk->params.words, walk->w.tx);
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
	const struct flow_table *t = table_walk_find(walk, OBJ_FLOW_TABLE, table);

	if (!t)
		steer_lost(&walk->w, "flow table 0x%x does not exist", table);
	else if (t->type != walk->w.domain)
		steer_lost(&walk->w, "flow table 0x%x is of another domain", table);
	else if (!t->rtc_valid && !walk->tables--)
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

/* Hardware steering: a rule table, on each side of the FDB another one. */
static uint64_t table_walk_rules(struct table_walk *walk, const struct flow_table *t)
{
	struct rtc *named = t->rtc[walk->w.domain == STEER_FDB && walk->w.tx], *rtc = named;
	uint64_t addr;

	if (named && named->o.alias)
		rtc = table_walk_find(walk, OBJ_RTC, named->o.id);
	if (named && !rtc) {
		steer_lost(&walk->w, "its rule table is an alias of one that is gone");
		return table_walk_lost(walk);
	}
	addr = rtc ? rules_walk(&walk->w, rtc) : table_walk_no_entry(walk, t);
	walk->params.filled = 0;
	if (addr == ICM_NONE && rtc)
		return table_walk_lost(walk);
	if (addr == ICM_NONE)
		table_walk_miss(walk);
	return addr;
}

static uint64_t table_walk_enter_table(struct table_walk *walk, uint32_t table)
{
	const struct flow_table *t = table_walk_find_table(walk, table);

	if (!t || !table_walk_charge_table(walk, t))
		return table_walk_lost(walk);
	if (t->sw_owner) {
		probe(PROBE_STEER, .steer = {PROBE_SW_TABLE, .table = t});
		return walk->w.domain == STEER_FDB && walk->w.tx ? t->icm_root_tx : t->icm_root;
	}
	if (t->rtc_valid)
		return table_walk_rules(walk, t);
	return table_walk_match(walk, t);
}

uint32_t steer_dice(struct steer *s)
{
	s->dice ^= s->dice << 13;
	s->dice ^= s->dice >> 17;
	s->dice ^= s->dice << 5;
	return s->dice;
}

/* [I] Format 0 loses register c_0 on the TX side: libmlx5 sets it again behind the sampler. */
static uint64_t table_walk_sample(struct table_walk *walk, uint32_t id)
{
	const struct flow_sampler *s = obj_find(walk->w.vhca, OBJ_SAMPLER, id);

	if (!s || s->type != walk->w.domain) {
		steer_lost(&walk->w, "flow sampler 0x%x %s", id,
			   s ? "is of another domain" : "does not exist");
		return table_walk_lost(walk);
	}
	/* one packet of `ratio`, at random */
	if (!(steer_dice(walk->w.vhca->dev->steer) % s->ratio))
		table_walk_copy(walk, &(struct flow_dest){.obj = &s->sample->o});
	if (walk->w.tx && !walk->w.version->format) {
		walk->w.packet->reg_c[0] = 0;
		walk->params.filled = 0;
	}
	return icm_addr(ICM_TABLE, s->rest->o.id);
}

static uint64_t table_walk_meter(struct table_walk *walk, uint32_t id)
{
	struct flow_meter *m = obj_find(walk->w.vhca, OBJ_FLOW_METER, id);

	if (!m || m->type != walk->w.domain) {
		steer_lost(&walk->w, "flow meter 0x%x %s", id,
			   m ? "is of another domain" : "does not exist");
		return table_walk_lost(walk);
	}
	if (!meter_on_way(&walk->w, m))
		return table_walk_lost(walk);
	walk->params.filled = 0;
	return icm_addr(ICM_TABLE, m->next->o.id);
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

/* Returns the position behind this one; ICM_NONE at the walk's end. */
static uint64_t table_walk_next(struct table_walk *walk, uint64_t addr)
{
	switch (icm_kind(addr)) {
	case ICM_TABLE:
		return table_walk_enter_table(walk, icm_number(addr));
	case ICM_STE:
		return table_walk_stes(walk, addr);
	case ICM_TIR:
		table_walk_to_tir(walk, icm_number(addr));
		return ICM_NONE;
	case ICM_END:
		return table_walk_to_end(walk, addr);
	case ICM_VPORT:
		return table_walk_to_vport(walk, addr);
	case ICM_SAMPLER:
		return table_walk_sample(walk, icm_number(addr));
	case ICM_METER:
		return table_walk_meter(walk, icm_number(addr));
	default:
		steer_lost(&walk->w,
			   "address 0x%" PRIx64
			   " is neither a table, an entry, a TIR, a vport nor an end",
			   addr);
		return table_walk_lost(walk);
	}
}

static void table_walk_run(struct table_walk *walk, uint64_t addr)
{
	struct steer *s = walk->w.vhca->dev->steer;
	struct steer_walk *outer = s->now;

	s->now = &walk->w;
	while (addr != ICM_NONE && table_walk_charge_step(walk))
		addr = table_walk_next(walk, addr);
	s->now = outer;
}

/*
 * Walks a packet. What a walk delivers may walk further tables before it returns, as copies do at
 * their vports: these take their steps from the outer walk's rest.
 */
static void steer_start(struct vhca *v, struct packet *p, enum steer_domain domain, bool tx,
			const struct flow_table *root, struct steer_stats *stats)
{
	struct steer_walk *outer = v->dev->steer->now;
	struct table_walk walk = {
		.tables = TABLES,
		.w =
			{
				.version = v->dev->steer->version,
				.function = v,
				.vhca = v,
				.packet = p,
				.stats = stats,
				.domain = domain,
				.tx = tx,
				.hops = STEER_HOPS,
				.steps = outer ? outer->steps : STEER_STEPS,
			},
	};

	p->geneve_option = v->dev->geneve_option;
	p->samples = v->dev->flex_sample;
	probe(PROBE_STEER, .steer = {PROBE_START, 0, v, domain, p});
	if (!root) {
		if (domain == STEER_NIC_TX)
			table_walk_to_wire(&walk);
		else
			table_walk_miss(&walk);
		return;
	}
	table_walk_run(&walk, icm_addr(ICM_TABLE, root->o.id));
	if (outer)
		outer->steps = walk.w.steps;
	else
		v->dev->steer_work += STEER_STEPS - walk.w.steps;
}

void steer_rx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_RX, false, v->flow_root[STEER_NIC_RX],
		    &v->dev->steer->stats[v->index]);
}

void steer_tx(struct vhca *v, struct packet *p)
{
	steer_start(v, p, STEER_NIC_TX, true, v->flow_root[STEER_NIC_TX],
		    &v->dev->steer->stats[v->index]);
}

void steer_fdb(struct device *dev, struct packet *p, const struct vhca *from)
{
	const struct flow_table *acl =
		(from ? from->flow_root : dev->uplink_acl)[STEER_INGRESS_ACL];
	enum steer_domain first = acl ? STEER_INGRESS_ACL : STEER_FDB;

	steer_start(dev->manager, p, first, from, acl ?: dev->manager->flow_root[STEER_FDB],
		    steer_fdb_ends(dev, from));
}
