/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands "tc filter add dev ... ingress ... flower ... action ...". A filter of a smaller
 * preference comes first. Inside one preference the kernel looks up masks in the order in which
 * they were added, and filters of one mask exclude each other.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/arena.h"
#include "rules/map.h"
#include "tc.h"

/* A preference. */
struct tc_prio {
	uint64_t protocol;
	const char **mask; /* the fields that are compared, in the order of the masks */
	size_t n, room;
	struct map rank; /* from a mask's hash to its index */
};

struct tc_chain {
	struct tc_prio *prio; /* the preferences that have filters */
	size_t n, room;
	struct map at; /* from a preference to its index */
	uint32_t number;
	const char *dev; /* of the e-switch, where each interface has its chains; or NULL */
	/* the last preference taken without one given, or a higher one that was given */
	uint64_t last_auto;
};

#define TC_CHAINS 256u

struct tc {
	struct import *im;
	bool eswitch;
	struct tc_chain chain[TC_CHAINS];
	size_t n;
};

/* --- the head: up to the kind of filter ------------------------------------------------------- */

/* Reads the filter's interface, from which the packets of a rule of the e-switch come. */
static bool tc_dev_of_vport(struct draft *d, const struct token *at)
{
	struct iface i = {.vport = DVX_FLOW_UPLINK};
	int ours = tc_of(d)->tunnel ? 1 : draft_vport(d, at, &i);

	tc_of(d)->dev = at->text;
	tc_of(d)->elsewhere |= ours == 0;
	return ours >= 0 && draft_from(d, at, i.vport);
}

static bool tc_dev(struct draft *d, const struct row *row, const struct token *at)
{
	int ours;

	if (tc_of(d)->eswitch)
		return tc_dev_of_vport(d, at);
	ours = import_netdev(d->im, at->text);
	tc_of(d)->elsewhere |= ours == 0;
	return ours >= 0 || draft_leave(d, at, REASON_INTERFACE);
}

static bool tc_head_protocol(struct draft *d, const struct row *row, const struct token *at)
{
	tc_of(d)->protocol = at;
	return true;
}

static bool tc_prio_read(struct draft *d, const struct row *row, const struct token *at)
{
	return number_parse(at->text, 0, 0xffff, &tc_of(d)->prio) ||
	       draft_leave(d, at, REASON_VALUE);
}

static bool tc_chain_read(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (!number_parse(at->text, 0, UINT32_MAX, &n))
		return draft_leave(d, at, REASON_VALUE);
	d->table = (uint32_t)n;
	return true;
}

/* Reads the parent: an ingress qdisc, or clsact's ingress side. */
static bool tc_parent(struct draft *d, const struct row *row, const struct token *at)
{
	tc_of(d)->ingress = token_among(at, "ffff: ffff:fff2 ffff:0 ffff:ffff");
	return tc_of(d)->ingress || draft_leave(d, at, REASON_EGRESS);
}

static const struct row tc_heads[] = {
	ROW_READ("dev", tc_dev),
	ROW_READ("protocol proto", tc_head_protocol),
	ROW_READ("prio preference pref", tc_prio_read),
	ROW_READ("chain", tc_chain_read),
	ROW_READ("parent", tc_parent),
	ROW_READ("handle", row_skip_value),
	ROW_LEAVE("egress root", EGRESS),
	ROW_LEAVE("block", BLOCK),
	{0},
};

/* Reads the head. Returns false if the filter is left out. */
static bool tc_head(struct tc_read *r)
{
	for (;;) {
		const struct token *name = tokens_peek(r->d.line);

		if (tokens_take(r->d.line, "flower") || tokens_take(r->d.line, "matchall"))
			return r->ingress || draft_leave(&r->d, name, REASON_EGRESS);
		if (!name->text)
			return draft_leave(&r->d, name, REASON_ENDS);
		if (tokens_take(r->d.line, "ingress"))
			r->ingress = true;
		else if (!row_take(&r->d, tc_heads, REASON_KIND))
			return false;
	}
}

/* --- the order --------------------------------------------------------------------------------- */

/* Returns the preference that a filter names, or the kernel's choice: one less than the last. */
static uint64_t tc_take_prio(struct tc_chain *c, const struct tc_read *r)
{
	uint64_t prio = r->prio ? r->prio : c->last_auto - 1;

	if (prio >= 0x8000 && prio < c->last_auto)
		c->last_auto = prio;
	return prio;
}

/* Finds or adds a chain. Returns NULL if there is no memory, or too many chains. */
static struct tc_chain *tc_chain_of(struct tc *t, const char *dev, uint32_t number)
{
	struct tc_chain *c;

	for (size_t i = 0; i < t->n; i++)
		if (t->chain[i].number == number &&
		    !strcmp(dev ? dev : "", t->chain[i].dev ? t->chain[i].dev : ""))
			return &t->chain[i];
	if (t->n == TC_CHAINS)
		return NULL;
	c = &t->chain[t->n++];
	*c = (struct tc_chain){.number = number, .dev = dev, .last_auto = 0xc001};
	return c;
}

/* Finds or adds a preference, whose filters have this protocol. Returns NULL if there is no memory. */
static struct tc_prio *tc_prio_of(struct tc_chain *c, uint64_t prio, uint64_t protocol)
{
	struct map_slot *slot = map_put(&c->at, prio, (uint32_t)c->n);

	if (!slot || (slot->what == c->n &&
		      !array_grow((void **)&c->prio, c->n, &c->room, sizeof(*c->prio))))
		return NULL;
	if (slot->what == c->n)
		c->prio[c->n++] = (struct tc_prio){.protocol = protocol};
	return &c->prio[slot->what];
}

/*
 * Returns the filter's mask as a text: equal masks have equal texts, in whatever order their words
 * stand.
 */
static const char *tc_mask_text(const struct tc_read *r)
{
	const char *text = "";

	for (unsigned int i = 0; i < 2 * DRAFT_SLOTS; i++)
		if (r->mask[i / DRAFT_SLOTS][i % DRAFT_SLOTS])
			text = import_format(r->d.im, "%s %u/%s", text, i,
					     r->mask[i / DRAFT_SLOTS][i % DRAFT_SLOTS]);
	return text;
}

/* Returns the place of a mask among those of its preference. */
static uint64_t tc_mask_rank(struct tc *t, struct tc_prio *p, const char *mask)
{
	uint64_t hash = map_mix_text(0, mask);
	struct map_slot *slot = map_put(&p->rank, hash, (uint32_t)p->n);

	while (slot && slot->what < p->n && strcmp(p->mask[slot->what], mask) != 0) {
		hash = map_again(hash);
		slot = map_put(&p->rank, hash, (uint32_t)p->n);
	}
	if (slot && slot->what < p->n)
		return slot->what;
	if (!slot || !array_grow((void **)&p->mask, p->n, &p->room, sizeof(*p->mask))) {
		t->im->no_memory = true;
		return 0;
	}
	p->mask[p->n] = mask;
	return p->n++;
}

/* Places the filter among the preferences. Returns false if the kernel would not take it. */
static bool tc_order(struct tc *t, struct tc_read *r, struct tc_prio **p)
{
	uint64_t protocol = TC_ALL;
	struct tc_chain *c = tc_chain_of(t, r->dev, r->d.table);
	uint64_t prio = c ? tc_take_prio(c, r) : 0;

	if (!c)
		return draft_leave(&r->d, r->d.at, REASON_LONG);
	if (r->protocol && !tc_type(r->d.im, r->protocol->text, &protocol))
		return draft_leave(&r->d, r->protocol, REASON_VALUE);
	r->d.order = prio << 32;
	*p = tc_prio_of(c, prio, protocol);
	t->im->no_memory |= !*p;
	if (*p && (*p)->protocol != protocol)
		return draft_leave(&r->d, r->protocol ? r->protocol : r->d.at, REASON_PRIORITY);
	return *p != NULL;
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Programs and their options. */
static const char tc_programs[] = "tc /sbin/tc /usr/sbin/tc -s -force -b -batch -p";

/* Returns whether a filter compares headers around a tunnel, which it can on a tunnel's interface. */
static bool tc_has_tunnel(const struct tokens *line)
{
	for (size_t i = line->at; i < line->n; i++)
		if (names_begin("enc_", line->token[i].text))
			return true;
	return false;
}

static void tc_filter(struct tc *t, struct tokens *line)
{
	struct tc_read r = {.d = {.im = t->im,
				  .line = line,
				  .at = &line->token[0],
				  .direction = "in",
				  .no_labels = true,
				  .no_inner_labels = true},
			    .eswitch = t->eswitch};
	struct tc_prio *p = NULL;
	size_t before;

	r.tunnel = t->eswitch && tc_has_tunnel(line);
	r.d.inner = r.tunnel;
	if (!tc_head(&r) || r.elsewhere || !tc_order(t, &r, &p) || !tc_protocol(&r) ||
	    !tc_keys_read(&r))
		return;
	r.d.order += tc_mask_rank(t, p, tc_mask_text(&r));
	before = t->im->out->n;
	if (tc_actions_read(&r))
		import_add(&r.d);
	else if (!t->eswitch)
		draft_ends(&r.d, before);
}

/* Returns whether it is `replace' with a handle, which may remove a filter that was read before. */
static bool tc_replaces(const struct tokens *line)
{
	bool handle = false;

	for (size_t i = line->at; i < line->n; i++)
		handle |= token_is(&line->token[i], "handle");
	return handle && token_is(tokens_peek(line), "replace");
}

static void tc_line(struct tc *t, struct tokens *line)
{
	while (token_among(tokens_peek(line), tc_programs))
		tokens_next(line);
	if (!tc_looks(line)) {
		dialect_leave_line(t->im, line);
	} else if (tokens_take(line, "filter")) {
		if (token_among(tokens_peek(line), "add replace") && !tc_replaces(line)) {
			tokens_next(line);
			tc_filter(t, line);
		} else {
			import_leave(t->im, &line->token[0], tokens_peek(line), REASON_COMMAND);
		}
	} else if (!token_is(tokens_peek(line), "qdisc") ||
		   (t->im->out->n && !token_is(tokens_peek(line) + 1, "add"))) {
		/* A qdisc makes a place for filters, or removes it before there are any. */
		import_leave(t->im, &line->token[0], tokens_peek(line), REASON_COMMAND);
	}
}

/*
 * Returns whether a text is about the e-switch: it has an interface of a function there, or sends
 * packets to one. The uplink's name alone does not show that.
 */
static bool tc_is_eswitch(const struct import *im, const struct token_reader *reader)
{
	struct token_reader r = *reader;
	struct tokens line = {0};
	bool found = im->ask->ports;
	struct iface i;

	while (!found && tokens_line(&r, &line))
		for (size_t k = 0; k + 1 < line.n; k++)
			found |= token_is(&line.token[k], "dev") &&
				 iface_find(NULL, line.token[k + 1].text, &i) &&
				 (i.vport != DVX_FLOW_UPLINK ||
				  (k && token_among(&line.token[k - 1], "redirect mirror")));
	free(line.token);
	return found;
}

void tc_read(struct import *im, struct token_reader *r)
{
	struct tc t = {.im = im, .eswitch = tc_is_eswitch(im, r)};
	struct tokens line = {0};

	while (tokens_line(r, &line))
		tc_line(&t, &line);
	for (size_t c = 0; c < t.n; c++) {
		import_leave_unmet(im, t.chain[c].number, 0);
		for (size_t i = 0; i < t.chain[c].n; i++) {
			free(t.chain[c].prio[i].mask);
			map_free(&t.chain[c].prio[i].rank);
		}
		map_free(&t.chain[c].at);
		free(t.chain[c].prio);
	}
	free(line.token);
}

bool tc_looks(const struct tokens *line)
{
	size_t i = 0;

	while (i < line->n && token_among(&line->token[i], tc_programs))
		i++;
	return i < line->n && token_among(&line->token[i], "filter qdisc chain class actions");
}
