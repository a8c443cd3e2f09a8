/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that come and go entry by entry, in tables that packets are in. At each moment a packet
 * gets the verdict of the rules before the edit or of those after it; doc/design/0065 says why.
 *
 *	merge		new rules take their places among the others, without entries
 *	insert		their entries find places
 *	uncover		so do the entries that only a rule that goes covers
 *	write		the device gets all of these, from the first rule to the last one
 *	finish		from the last rule to the first one, the entries of those that go
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "generation_priv.h"
#include "dvx-flow.h"

/* Comparisons that an edit may cost; rules are built anew instead of more. */
#define EDIT_WORK 200000000u

/* An entry that was covered before the edit. */
struct edit_uncovered {
	enum rule_dir dir;
	struct covered_entry was;
	bool entered; /* else something else covers it now */
};

struct generation_edit {
	struct generation *gen;
	uint32_t next_id; /* before the edit */
	size_t entries[RULE_DIRS];
	size_t written, compared;
	struct edit_uncovered *uncovered;
	size_t nuncovered, room;
	struct flow_fault *fault;
	/* room for the ends of an edit, which must not fail for want of memory */
	uint32_t *to, *drop;
	size_t drop_room;
	/* the rule whose entries come */
	uint32_t rule;
	const bool *going;
};

static int edit_no_memory(struct generation_edit *e)
{
	return fault_say(e->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

/* --- entries ---------------------------------------------------------------------------------- */

static int edit_sync(struct generation_edit *e)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (e->gen->table[d].table && dvx_flow_domain_sync(e->gen->base->side[d].domain))
			return fault_device(e->fault);
	return 0;
}

static int edit_refused(struct generation_edit *e, uint32_t rule, bool queue_refused)
{
	const struct rule *r = &e->gen->set.rule[rule];

	if (queue_refused)
		return blame_location(e->fault, r, r->queue_at);
	if (dvx_last_error()->err == ENOMEM)
		return no_room_fault(r, false, e->fault);
	return blame_match(e->fault, r);
}

static int edit_create(struct generation_edit *e, struct built_table *h,
		       const struct live_entry *its, struct dvx_flow_rule **out)
{
	struct dvx_flow_action *actions[RULE_ACTIONS_MAX];
	struct dvx_flow_match match = {0};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = h->matcher[its->matcher],
					  .match = &match,
					  .actions = actions};
	bool queue_refused = false;

	fill_match(match.value, h->live.matcher[its->matcher].shape, its->value);
	if (generation_actions(e->gen, its->rule, actions, &attr.action_count, &queue_refused) ||
	    dvx_flow_rule_create(&attr, out))
		return edit_refused(e, its->rule, queue_refused);
	return 0;
}

/* The entry's matcher may be empty then. */
static void edit_forget(struct built_table *h, size_t i)
{
	uint32_t m = h->live.entry[i].matcher;

	h->rule[i] = h->rule[h->live.n - 1];
	if (!live_remove(&h->live, i))
		return;
	dvx_flow_matcher_destroy(h->matcher[m]);
	h->matcher[m] = NULL;
}

/* The device gets the entry and its matcher when all have a place. */
static int edit_put(struct generation_edit *e, struct built_table *h, const struct covered_entry *c,
		    struct live_spot spot)
{
	size_t i = h->live.n;

	if (spot.place == LIVE_NOWHERE)
		return EDIT_REBUILD;
	if (spot.place == LIVE_NO_MEMORY)
		return edit_no_memory(e);
	if (spot.place == LIVE_BEGINS) {
		if (!live_add_matcher(&h->live, c->shape, spot.priority, &spot.matcher) ||
		    !array_grow((void **)&h->matcher, spot.matcher, &h->matcher_room,
				sizeof(struct dvx_flow_matcher *)))
			return edit_no_memory(e);
		h->matcher[spot.matcher] = NULL;
	}
	if (!array_grow((void **)&h->rule, i, &h->rule_room, sizeof(struct dvx_flow_rule *)) ||
	    !array_grow((void **)&e->drop, i, &e->drop_room, sizeof(*e->drop)) ||
	    !live_add(&h->live, c->rule, spot.matcher, c->value))
		return edit_no_memory(e);
	h->rule[i] = NULL;
	return 0;
}

static int edit_write_one(struct generation_edit *e, struct built_table *h, size_t i)
{
	const struct live_entry *its = &h->live.entry[i];

	if (!h->matcher[its->matcher] && half_make_matcher(h, its->matcher, 1, its->value))
		return blame_match(e->fault, &e->gen->set.rule[its->rule]);
	if (edit_create(e, h, its, &h->rule[i]))
		return -1;
	h->cramped += h->cramped != 0;
	e->written++;
	return 0;
}

/*
 * The entries stand behind those that were there, in the order of their rules, and behind them those
 * that are no longer covered. A packet must not miss an earlier rule's and meet a later one's.
 */
static int edit_write(struct generation_edit *e)
{
	int ret = 0;

	for (int d = 0; d < RULE_DIRS; d++) {
		struct built_table *h = &e->gen->table[d];
		size_t first = e->entries[d];

		for (size_t i = first; i < h->live.n && !ret; i++) {
			if (i > first && h->live.entry[i].rule != h->live.entry[i - 1].rule)
				ret = edit_sync(e);
			if (!ret)
				ret = edit_write_one(e, h, i);
		}
	}
	return ret ? ret : edit_sync(e);
}

/* --- rules that come -------------------------------------------------------------------------- */

static int edit_take_counter(struct generation_edit *e, struct holding *h, const struct rule *r)
{
	struct generation *gen = e->gen;

	if (!r->count)
		return 0;
	if (gen->spare && gen->spare_used == bulk_size(gen->spare)) {
		bulk_drop(gen->spare);
		gen->spare = NULL;
	}
	if (!gen->spare) {
		gen->spare_used = 0;
		if (bulk_make(gen->base->dev, SPARE_COUNTERS, &gen->spare))
			return no_counter(r, e->fault);
	}
	bulk_hold(gen->spare);
	h->bulk = gen->spare;
	h->index = gen->spare_used++;
	return 0;
}

static int edit_hold(struct generation_edit *e)
{
	struct holding *h = &e->gen->hold[e->rule];
	const struct rule *r = &e->gen->set.rule[e->rule];

	h->id = e->gen->next_id++;
	h->memory = arena_new();
	if (!h->memory)
		return edit_no_memory(e);
	if (edit_take_counter(e, h, r) || holding_make_count(e->gen, e->rule, e->fault) ||
	    holding_make_changes(e->gen, e->rule, e->fault))
		return -1;
	if (r->has_tag &&
	    dvx_flow_action_create_tag(e->gen->base->side[r->dir].domain, r->tag, &h->own_tag))
		return blame_location(e->fault, r, r->tag_at);
	h->tag = h->own_tag;
	return 0;
}

static int edit_place(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct generation_edit *e = arg;
	struct built_table *h = &e->gen->table[e->gen->set.rule[e->rule].dir];
	struct covered_entry c = {.rule = e->rule};
	struct live_spot spot;
	uint64_t *kept;

	if ((e->compared += h->live.n) > EDIT_WORK)
		return EDIT_REBUILD;
	spot = live_find(&h->live, &e->gen->set, NULL, e->rule, shape, value);
	c.by = spot.by;
	if (spot.place == LIVE_COVERED && spot.by == e->rule)
		return 0;
	kept = arena_get(e->gen->hold[e->rule].memory, shape->n * sizeof(*kept));
	c.shape = live_keep_shape(&h->live, shape);
	if (!kept || !c.shape)
		return edit_no_memory(e);
	c.value = memcpy(kept, value, shape->n * sizeof(*kept));
	if (spot.place == LIVE_COVERED)
		return live_cover(&h->live, &c) ? 0 : edit_no_memory(e);
	return edit_put(e, h, &c, spot);
}

static int edit_has_room(struct generation_edit *e, const struct rule *r)
{
	struct built_table *h = &e->gen->table[r->dir];

	if (dvx_flow_domain_has_room(e->gen->base->side[r->dir].domain))
		h->cramped = 0;
	else if (!h->cramped)
		h->cramped = 1;
	return h->cramped < LAST_ENTRIES ? 0 : no_room_fault(r, true, e->fault);
}

static int edit_insert(struct generation_edit *e)
{
	int ret = 0;

	for (e->rule = 0; e->rule < e->gen->set.n && !ret; e->rule++) {
		const struct rule *r = &e->gen->set.rule[e->rule];

		if (!e->gen->hold[e->rule].came)
			continue;
		ret = edit_has_room(e, r);
		if (!ret)
			ret = edit_hold(e);
		if (!ret)
			ret = rule_expand(r, edit_place, e);
	}
	return ret == -E2BIG ? EDIT_REBUILD : ret;
}

/* --- entries that are no longer covered ------------------------------------------------------- */

static bool edit_uncovers(const struct generation *gen, const struct covered_entry *c)
{
	return gen->hold[c->by].goes && !gen->hold[c->rule].goes;
}

static bool edit_uncovers_many(const struct generation *gen, const struct built_table *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->live.ncovered; i++)
		n += edit_uncovers(gen, &h->live.covered[i]);
	return n * h->live.n > EDIT_WORK;
}

static int edit_uncover_one(struct generation_edit *e, enum rule_dir dir, size_t i)
{
	struct built_table *h = &e->gen->table[dir];
	struct covered_entry c = h->live.covered[i];
	struct live_spot spot =
		live_find(&h->live, &e->gen->set, e->going, c.rule, c.shape, c.value);

	if (!array_grow((void **)&e->uncovered, e->nuncovered, &e->room, sizeof(*e->uncovered)))
		return edit_no_memory(e);
	e->uncovered[e->nuncovered] = (struct edit_uncovered){dir, c, spot.place != LIVE_COVERED};
	if (spot.place == LIVE_COVERED) {
		h->live.covered[i].by = spot.by;
	} else {
		int ret = edit_put(e, h, &c, spot);

		if (ret)
			return ret;
		live_uncover(&h->live, i);
	}
	e->nuncovered++;
	return 0;
}

static int edit_uncover_half(struct generation_edit *e, enum rule_dir dir)
{
	struct built_table *h = &e->gen->table[dir];
	int ret = 0;

	if (edit_uncovers_many(e->gen, h))
		return EDIT_REBUILD;
	/* From the last one: those that are uncovered are replaced by the last one. */
	for (size_t i = h->live.ncovered; i-- > 0 && !ret;) {
		e->rule = h->live.covered[i].rule;
		if (edit_uncovers(e->gen, &h->live.covered[i]))
			ret = edit_uncover_one(e, dir, i);
	}
	return ret;
}

static int edit_uncover(struct generation_edit *e)
{
	bool *going = calloc(e->gen->set.n + 1, sizeof(*going));
	int ret = 0;

	if (!going)
		return edit_no_memory(e);
	for (size_t i = 0; i < e->gen->set.n; i++)
		going[i] = e->gen->hold[i].goes;
	e->going = going;
	for (int d = 0; d < RULE_DIRS && !ret; d++)
		ret = edit_uncover_half(e, (enum rule_dir)d);
	e->going = NULL;
	free(going);
	return ret;
}

/* --- the list of rules ------------------------------------------------------------------------ */

static void edit_renumber(struct generation *gen, const uint32_t *to)
{
	for (int d = 0; d < RULE_DIRS; d++)
		live_renumber(&gen->table[d].live, to);
}

static bool edit_grow(struct generation *gen, size_t n)
{
	size_t room = n + n / 8 + 64;
	struct rule *rule;
	struct holding *hold;

	if (n <= gen->room)
		return true;
	rule = reallocarray(gen->set.rule, room, sizeof(*rule));
	gen->set.rule = rule ? rule : gen->set.rule;
	hold = rule ? reallocarray(gen->hold, room, sizeof(*hold)) : NULL;
	gen->hold = hold ? hold : gen->hold;
	gen->room = hold ? room : gen->room;
	return hold;
}

/* Puts the rules that come among the others, from the last one on. */
static int edit_merge(struct generation_edit *e, const struct generation_change *c)
{
	struct generation *gen = e->gen;
	size_t m = c->nmore, k = gen->set.n + m;

	if (!edit_grow(gen, k))
		return edit_no_memory(e);
	for (size_t i = gen->set.n + 1; i-- > 0;) {
		if (i < gen->set.n) {
			e->to[i] = (uint32_t)--k;
			if (k != i) {
				gen->set.rule[k] = gen->set.rule[i];
				gen->hold[k] = gen->hold[i];
			}
			gen->hold[k].goes = c->gone && c->gone[i];
		}
		for (; m && c->before[m - 1] == i; m--) {
			gen->set.rule[--k] = c->more[m - 1];
			gen->hold[k] = (struct holding){.came = true};
		}
	}
	edit_renumber(gen, e->to);
	gen->set.n += c->nmore;
	return 0;
}

/* Drops the rules that came, or else those that went; they have no entries any more. */
static void edit_compact(struct generation_edit *e, bool came)
{
	struct generation *gen = e->gen;
	size_t n = 0;

	for (size_t i = 0; i < gen->set.n; i++) {
		struct holding *h = &gen->hold[i];

		if (came ? h->came : h->goes) {
			holding_free(h);
			if (!came)
				arena_free(gen->set.rule[i].own);
			continue;
		}
		h->came = h->goes = false;
		e->to[i] = (uint32_t)n;
		if (n != i) {
			gen->set.rule[n] = gen->set.rule[i];
			gen->hold[n] = *h;
		}
		n++;
	}
	gen->set.n = n;
	edit_renumber(gen, e->to);
}

/* --- rules that go ---------------------------------------------------------------------------- */

static int edit_kept(struct generation_edit *e)
{
	return fault_say(e->fault, EXIT_DEVICE,
			 "%s; the device keeps an entry of a rule that is no longer in the list: "
			 "dvx-flow apply builds all of them anew",
			 device_says());
}

static bool edit_drops(const struct generation *gen, uint32_t rule, bool came)
{
	return came ? gen->hold[rule].came : gen->hold[rule].goes;
}

static int edit_later_first(const void *a, const void *b, void *half)
{
	const struct live_entry *entry = ((const struct built_table *)half)->live.entry;
	uint32_t one = entry[*(const uint32_t *)a].rule, other = entry[*(const uint32_t *)b].rule;

	return (one < other) - (one > other);
}

/*
 * The device's entries go from the last rule's to the first one's; then the list is packed. One that
 * the device keeps leaves the list, too: the list is that of the text whatever happens.
 */
static int edit_drop_half(struct generation_edit *e, struct built_table *h, bool came)
{
	uint32_t *drop = e->drop;
	size_t n = 0;
	int ret = 0;

	for (uint32_t i = 0; i < h->live.n; i++)
		if (edit_drops(e->gen, h->live.entry[i].rule, came))
			drop[n++] = i;
	qsort_r(drop, n, sizeof(*drop), edit_later_first, h);
	for (size_t i = 0; i < n; i++) {
		struct dvx_flow_rule **rule = &h->rule[drop[i]];

		e->written += *rule != NULL;
		if (dvx_flow_rule_destroy(*rule))
			ret = edit_kept(e);
		*rule = NULL;
	}
	for (size_t i = h->live.n; i-- > 0;)
		if (!h->rule[i])
			edit_forget(h, i);
	for (size_t i = h->live.ncovered; i-- > 0;)
		if (edit_drops(e->gen, h->live.covered[i].rule, came))
			live_uncover(&h->live, i);
	return ret;
}

/* No packet meets the entries any more when their rules' counters and actions go. */
static int edit_drop(struct generation_edit *e, bool came)
{
	int ret = 0;

	for (int d = 0; d < RULE_DIRS; d++)
		if (edit_drop_half(e, &e->gen->table[d], came))
			ret = -1;
	if (edit_sync(e))
		ret = -1;
	edit_compact(e, came);
	return ret;
}

/* --- the edit --------------------------------------------------------------------------------- */

static bool edit_needs_tables(const struct rule *r)
{
	return r->verdict == RULE_GOTO || r->verdict == RULE_MIRROR || r->rss || r->table;
}

/* Each direction has one table, and no other; more changes than this are a new generation. */
static bool edit_fits(const struct generation *gen, const struct generation_change *c)
{
	size_t most = 64 + gen->set.n / 16, n = c->nmore;

	if (gen->ntables != RULE_DIRS || gen->table[RULE_IN].codes || gen->table[RULE_OUT].codes)
		return false;
	for (size_t i = 0; i < c->nmore; i++)
		if (!gen->table[c->more[i].dir].last || edit_needs_tables(&c->more[i]))
			return false;
	for (size_t i = 0; c->gone && i < gen->set.n; i++)
		n += c->gone[i];
	return n <= most;
}

static void edit_free(struct generation_edit *e)
{
	free(e->uncovered);
	free(e->to);
	free(e->drop);
	free(e);
}

static void edit_cover_again(struct built_table *h, const struct edit_uncovered *u)
{
	size_t i = 0;

	if (u->entered) {
		while (h->live.entry[i].rule != u->was.rule ||
		       h->live.entry[i].value != u->was.value)
			i++;
		dvx_flow_rule_destroy(h->rule[i]);
		edit_forget(h, i);
		live_cover(&h->live, &u->was);
		return;
	}
	while (h->live.covered[i].rule != u->was.rule || h->live.covered[i].value != u->was.value)
		i++;
	h->live.covered[i].by = u->was.by;
}

void generation_edit_undo(struct generation_edit *e)
{
	struct flow_fault unused;

	e->fault = &unused;
	while (e->nuncovered--)
		edit_cover_again(&e->gen->table[e->uncovered[e->nuncovered].dir],
				 &e->uncovered[e->nuncovered]);
	edit_drop(e, true);
	e->gen->next_id = e->next_id;
	edit_free(e);
}

static struct generation_edit *edit_new(struct generation *gen, size_t more, struct flow_fault *f)
{
	struct generation_edit *e = calloc(1, sizeof(*e));

	if (e) {
		*e = (struct generation_edit){.gen = gen, .next_id = gen->next_id, .fault = f};
		for (int d = 0; d < RULE_DIRS; d++) {
			e->entries[d] = gen->table[d].live.n;
			e->drop_room += e->entries[d];
		}
		e->drop = calloc(++e->drop_room, sizeof(*e->drop));
		e->to = calloc(gen->set.n + more + 1, sizeof(*e->to));
		if (e->drop && e->to)
			return e;
		edit_free(e);
	}
	fault_say(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return NULL;
}

int generation_edit_begin(struct generation *gen, const struct generation_change *c,
			  struct generation_edit **out, struct flow_fault *f)
{
	struct generation_edit *e;
	int ret;

	if (!edit_fits(gen, c))
		return EDIT_REBUILD;
	e = edit_new(gen, c->nmore, f);
	if (!e)
		return -1;
	ret = edit_merge(e, c);
	if (ret) {
		edit_free(e);
		return ret;
	}
	ret = edit_insert(e);
	if (!ret)
		ret = edit_uncover(e);
	if (!ret)
		ret = edit_write(e);
	if (ret)
		generation_edit_undo(e);
	else
		*out = e;
	return ret;
}

int generation_edit_finish(struct generation_edit *e, size_t *written, struct flow_fault *f)
{
	int ret;

	e->fault = f;
	ret = edit_drop(e, false);
	*written = e->written;
	edit_free(e);
	return ret;
}
