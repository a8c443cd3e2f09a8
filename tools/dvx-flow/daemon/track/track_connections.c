/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracked connections: from their SYN-ACK on, each has an object and a counter of the device and two
 * entries, one for each side.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <dvx/prm/object.h>

#include "rules/map.h"
#include "tools/cli/message.h"
#include "tools/dvx-flow/dvx-flow.h"
#include "track_priv.h"

#define BLOCK	      512u  /* connections whose objects and counters are made together */
#define SYNS	      8192u /* that are kept, each in the one place of its hash */
#define LOOKS	      4096u /* objects that are read in one look */
#define HANDSHAKE_MS  60000u
#define ENDED_MS      5000u /* for what is repeated after the last packet */
#define CONTEXT_BYTES PRM_CONN_TRACK_ASO_BYTES
#define NONE	      UINT32_MAX

struct track_syn {
	struct track_key key; /* family 0: none */
	struct dvx_connection_side side;
	uint32_t bytes;
	uint16_t from;
};

struct track_connection {
	struct track_key key; /* family 0: this place is free */
	struct dvx_flow_action *judge[2];
	struct dvx_flow_rule *rule[2]; /* initiator, responder */
	uint64_t packets, last;	       /* as of the last look with new packets, in ms */
	uint32_t next;		       /* with this hash, or free; NONE: the last one */
	uint8_t state;		       /* PRM ct_state */
};

struct track_block {
	struct dvx_aso *objects;
	struct dvx_flow_counter *counters;
	uint32_t used, top; /* top: the places from here on were never used */
	struct track_connection at[BLOCK];
};

struct track_connections {
	struct base_tables *base;
	const struct track_tables *tables;
	struct rule_track limits;
	uint64_t seed;
	struct track_block **block;
	size_t nblocks, room, look; /* look: the next block whose objects are read */
	uint32_t free;		    /* the first free place; NONE */
	uint32_t *chain, nchains;   /* by hash: the first connection */
	struct track_count count;
	bool warned; /* about the present refusals */
	struct track_syn syn[SYNS];
};

static uint64_t track_hash(const struct track_connections *c, const struct track_key *k)
{
	uint64_t h = c->seed, word;

	_Static_assert(sizeof(*k) % sizeof(word) == 0, "the key is hashed in words");
	for (size_t i = 0; i < sizeof(*k); i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)k + i, sizeof(word));
		h = map_mix(h, word);
	}
	return h;
}

static bool track_key_is(const struct track_key *a, const struct track_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct track_connection *track_at(const struct track_connections *c, uint32_t i)
{
	return &c->block[i / BLOCK]->at[i % BLOCK];
}

static uint32_t *track_chain(const struct track_connections *c, const struct track_key *k)
{
	return &c->chain[track_hash(c, k) & (c->nchains - 1)];
}

/* Returns NONE if this connection is not tracked. */
static uint32_t track_find(const struct track_connections *c, const struct track_key *k)
{
	uint32_t i = c->nchains ? *track_chain(c, k) : NONE;

	while (i != NONE && !track_key_is(&track_at(c, i)->key, k))
		i = track_at(c, i)->next;
	return i;
}

/* --- memory ------------------------------------------------------------------------------------ */

/* Doubles the number of chains. Returns false if there is no memory. */
static bool track_rehash(struct track_connections *c)
{
	uint32_t n = c->nchains ? 2 * c->nchains : 2 * BLOCK;
	uint32_t *chain = malloc(n * sizeof(*chain));

	if (!chain)
		return false;
	memset(chain, 0xff, n * sizeof(*chain));
	free(c->chain);
	c->chain = chain;
	c->nchains = n;
	for (uint32_t i = 0; i < c->nblocks * BLOCK; i++) {
		struct track_connection *t = track_at(c, i);
		uint32_t *first = t->key.family ? track_chain(c, &t->key) : NULL;

		if (!first)
			continue;
		t->next = *first;
		*first = i;
	}
	return true;
}

static void track_block_free(struct track_block *b)
{
	dvx_flow_counter_destroy(b->counters);
	dvx_aso_destroy(b->objects);
	free(b);
}

/* Makes a block's objects and counters. Returns libdvx's -errno. */
static int track_block_make(struct track_connections *c, struct track_block **out)
{
	struct track_block *b = calloc(1, sizeof(*b));
	int ret = b ? 0 : -ENOMEM;

	if (!ret)
		ret = base_tables_aso(c->base);
	if (!ret)
		ret = dvx_aso_create(c->base->aso, DVX_ASO_CONNECTIONS, BLOCK, &b->objects);
	if (!ret)
		ret = dvx_flow_counter_create(c->base->dev, BLOCK, &b->counters);
	if (ret && b)
		track_block_free(b);
	*out = ret ? NULL : b;
	return ret;
}

/* Adds free places. Returns libdvx's -errno. */
static int track_grow(struct track_connections *c)
{
	int ret;

	if (!array_grow((void **)&c->block, c->nblocks, &c->room, sizeof(struct track_block *)))
		return -ENOMEM;
	ret = track_block_make(c, &c->block[c->nblocks]);
	if (ret)
		return ret;
	c->nblocks++;
	for (uint32_t i = BLOCK; i-- > 0;) {
		c->block[c->nblocks - 1]->at[i].next = c->free;
		c->free = (uint32_t)(c->nblocks - 1) * BLOCK + i;
	}
	return c->nblocks * BLOCK > c->nchains && !track_rehash(c) ? -ENOMEM : 0;
}

int track_connections_new(struct base_tables *base, const struct track_tables *tables,
			  struct track_connections **out)
{
	struct track_connections *c = *out = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->base = base;
	c->tables = tables;
	c->free = NONE;
	if (getrandom(&c->seed, sizeof(c->seed), GRND_NONBLOCK) < 0)
		c->seed = (uintptr_t)c;
	return track_grow(c);
}

/* --- one connection ---------------------------------------------------------------------------- */

static void track_connection_clear(struct track_connection *t)
{
	for (int side = 0; side < 2; side++) {
		dvx_flow_rule_destroy(t->rule[side]);
		dvx_flow_action_destroy(t->judge[side]);
		t->rule[side] = NULL;
		t->judge[side] = NULL;
	}
}

static void track_remove(struct track_connections *c, uint32_t i)
{
	struct track_connection *t = track_at(c, i);
	uint32_t *link = track_chain(c, &t->key);

	while (*link != i)
		link = &track_at(c, *link)->next;
	*link = t->next;
	track_connection_clear(t);
	t->key.family = 0;
	t->next = c->free;
	c->free = i;
	c->block[i / BLOCK]->used--;
	c->count.open--;
	c->warned = false;
}

static int track_match(const struct track_key *k, bool reply, struct dvx_flow_match *m)
{
	const uint8_t *addr[] = {reply ? k->dst : k->src, reply ? k->src : k->dst};
	const uint8_t *port[] = {reply ? k->dport : k->sport, reply ? k->sport : k->dport};
	int ret = 0;

	*m = (struct dvx_flow_match){0};
	for (int e = DVX_FLOW_SRC; e <= DVX_FLOW_DST && !ret; e++) {
		const uint8_t *a = addr[e];
		uint32_t v4 =
			(uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8 | a[3];

		ret = k->family == 4
			      ? dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, (enum dvx_flow_end)e, v4, 32)
			      : dvx_flow_match_ipv6(m, DVX_FLOW_OUTER, (enum dvx_flow_end)e, a,
						    128);
		if (!ret)
			ret = dvx_flow_match_port(m, DVX_FLOW_OUTER, (enum dvx_flow_end)e,
						  DVX_FLOW_TCP,
						  (uint16_t)(port[e][0] << 8 | port[e][1]), 0xffff);
	}
	return ret;
}

/* Makes the entry of one side, whose packets come from this vport. */
static int track_side(struct track_connections *c, uint32_t i, bool reply, uint16_t from,
		      struct dvx_flow_action *counter)
{
	struct track_connection *t = track_at(c, i);
	struct dvx_flow_action *actions[] = {NULL, counter, NULL};
	struct dvx_flow_match m;
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = c->tables->matcher[t->key.family == 6],
					  .match = &m,
					  .actions = actions,
					  .action_count = 3};
	int ret = dvx_flow_action_create_aso(c->tables->domain, c->block[i / BLOCK]->objects,
					     i % BLOCK, OBJECT_REG,
					     reply ? DVX_FLOW_ASO_RESPONDER : 0, &t->judge[reply]);

	if (!ret)
		ret = track_match(&t->key, reply, &m);
	actions[0] = t->judge[reply];
	if (!ret)
		ret = c->tables->results(c->tables->arg, from, &actions[2]);
	return ret ? ret : dvx_flow_rule_create(&attr, &t->rule[reply]);
}

/* Makes both entries, which share a counter. */
static int track_sides(struct track_connections *c, uint32_t i, uint16_t from, uint16_t to)
{
	struct dvx_flow_action *counter;
	int ret = dvx_flow_action_create_count(c->tables->domain, c->block[i / BLOCK]->counters,
					       i % BLOCK, &counter);

	if (ret)
		return ret;
	ret = track_side(c, i, false, from, counter);
	if (!ret)
		ret = track_side(c, i, true, to, counter);
	dvx_flow_action_destroy(counter);
	return ret;
}

static int track_set_object(struct track_connections *c, uint32_t i, const struct track_syn *syn,
			    const struct track_packet *p)
{
	struct dvx_connection connection = {
		.size = sizeof(connection), .syn = syn->side, .syn_ack = p->side};

	return dvx_aso_set_connection(c->block[i / BLOCK]->objects, i % BLOCK, &connection);
}

/* Begins a connection in the first free place. Returns libdvx's -errno. */
static int track_begin(struct track_connections *c, const struct track_syn *syn,
		       const struct track_packet *p, uint64_t now)
{
	int ret = c->free == NONE ? track_grow(c) : 0;
	uint32_t i = c->free, *first;
	struct track_connection *t;

	if (ret)
		return ret;
	t = track_at(c, i);
	t->key = p->key;
	ret = track_set_object(c, i, syn, p);
	if (!ret)
		ret = track_sides(c, i, syn->from, p->from);
	if (ret) {
		track_connection_clear(t);
		t->key.family = 0;
		return ret;
	}
	c->free = t->next;
	first = track_chain(c, &t->key);
	t->next = *first;
	*first = i;
	t->last = now;
	t->state = PRM_CT_STATE_SYN_RECV;
	c->block[i / BLOCK]->used++;
	if (i % BLOCK >= c->block[i / BLOCK]->top)
		c->block[i / BLOCK]->top = i % BLOCK + 1;
	c->count.open++;
	c->count.begun++;
	return 0;
}

/* --- packets ----------------------------------------------------------------------------------- */

/* Finds the connection of these ports, whichever side began it. */
static uint32_t track_find_either(const struct track_connections *c, const struct track_key *k)
{
	struct track_key other = *k;
	uint32_t i = track_find(c, k);

	if (i != NONE)
		return i;
	memcpy(other.src, k->dst, sizeof(other.src));
	memcpy(other.dst, k->src, sizeof(other.dst));
	memcpy(other.sport, k->dport, sizeof(other.sport));
	memcpy(other.dport, k->sport, sizeof(other.dport));
	return track_find(c, &other);
}

/*
 * Keeps a SYN for its SYN-ACK. A connection of the same ports that has ended makes way: its entries
 * would let the SYN-ACK pass.
 */
static void track_take_syn(struct track_connections *c, struct track_syn *syn,
			   const struct track_packet *p)
{
	uint32_t i = track_find_either(c, &p->key);
	uint8_t context[CONTEXT_BYTES];

	*syn = (struct track_syn){p->key, p->side, p->bytes, p->from};
	if (i != NONE && !dvx_aso_read(c->block[i / BLOCK]->objects, i % BLOCK, 1, context) &&
	    prm_conn_track_aso_get_state(context) == PRM_CT_STATE_TIME_WAIT)
		track_remove(c, i);
}

/* Reports connections that are refused once, until one ends. */
static void track_refuse(struct track_connections *c, int err)
{
	c->count.refused++;
	if (c->warned)
		return;
	c->warned = true;
	if (err)
		message_print("a connection can't be tracked and does not begin: %s",
			      err == -ENOMEM ? strerror(ENOMEM) : device_last_error());
	else
		message_print("%" PRIu64 " connections are tracked, the rule's max: others do not "
			      "begin until one ends; write a larger max behind track",
			      c->count.open);
}

static bool track_take_answer(struct track_connections *c, struct track_syn *syn,
			      const struct track_packet *p, uint64_t now)
{
	uint32_t answered = p->ack - (syn->side.seq + 1), i;
	int ret;

	if (!syn->key.family || !track_key_is(&syn->key, &p->key) || answered > syn->bytes) {
		c->count.stray++;
		return false;
	}
	i = track_find_either(c, &p->key);
	if (i != NONE)
		track_remove(c, i);
	if (c->count.open >= c->limits.most) {
		track_refuse(c, 0);
		return false;
	}
	ret = track_begin(c, syn, p, now);
	if (ret) {
		track_refuse(c, ret);
		return false;
	}
	syn->key.family = 0;
	return true;
}

bool track_connections_take(struct track_connections *c, const struct track_packet *p, uint64_t now)
{
	struct track_syn *syn = &c->syn[track_hash(c, &p->key) % SYNS];

	if (p->answers)
		return track_take_answer(c, syn, p, now);
	track_take_syn(c, syn, p);
	return false;
}

void track_connections_limit(struct track_connections *c, const struct rule_track *limits)
{
	c->limits = *limits;
	c->warned = false;
}

/* --- ends of connections ----------------------------------------------------------------------- */

static uint64_t track_patience(const struct track_connections *c, uint8_t state)
{
	uint64_t idle = 1000ull * c->limits.idle;
	uint64_t most = state == PRM_CT_STATE_TIME_WAIT	 ? ENDED_MS
			: state == PRM_CT_STATE_SYN_RECV ? HANDSHAKE_MS
							 : idle;

	return idle < most ? idle : most;
}

/* Reads a block's counters and removes connections without packets for long enough. */
static int track_look_packets(struct track_connections *c, size_t b, uint64_t now)
{
	struct track_block *block = c->block[b];
	struct dvx_flow_count count[BLOCK];
	int ret = dvx_flow_counter_query(block->counters, 0, block->top, count);

	for (uint32_t i = 0; i < block->top && !ret; i++) {
		struct track_connection *t = &block->at[i];

		if (!t->key.family)
			continue;
		if (count[i].packets != t->packets)
			t->last = now;
		t->packets = count[i].packets;
		if (now - t->last >= track_patience(c, t->state))
			track_remove(c, (uint32_t)b * BLOCK + i);
	}
	return ret;
}

static int track_look_states(struct track_block *block)
{
	static uint8_t context[BLOCK][CONTEXT_BYTES];
	int ret = dvx_aso_read(block->objects, 0, block->top, context);

	for (uint32_t i = 0; i < block->top && !ret; i++)
		block->at[i].state = (uint8_t)prm_conn_track_aso_get_state(context[i]);
	return ret;
}

/* Looks at all counters, and at some blocks' objects: each costs the device a request. */
void track_connections_look(struct track_connections *c, uint64_t now)
{
	int ret = 0;

	for (size_t n = 0; n < LOOKS / BLOCK && n < c->nblocks && !ret; n++) {
		c->look = (c->look + 1) % c->nblocks;
		if (c->block[c->look]->used)
			ret = track_look_states(c->block[c->look]);
	}
	for (size_t b = 0; b < c->nblocks && !ret; b++)
		if (c->block[b]->used)
			ret = track_look_packets(c, b, now);
	if (ret)
		message_print("states of connections can't be read: %s", device_last_error());
}

void track_connections_free(struct track_connections *c)
{
	if (!c)
		return;
	for (size_t b = 0; b < c->nblocks; b++) {
		for (uint32_t i = 0; i < BLOCK; i++)
			track_connection_clear(&c->block[b]->at[i]);
		track_block_free(c->block[b]);
	}
	free(c->block);
	free(c->chain);
	free(c);
}

struct track_count track_connections_count(const struct track_connections *c)
{
	struct track_count count = c->count;

	count.most = c->limits.most;
	return count;
}

void track_connections_entries(const struct track_connections *c, uint32_t rule, entry_of_fn visit,
			       void *arg)
{
	for (uint32_t i = 0; i < c->nblocks * BLOCK; i++)
		for (int side = 0; side < 2 && track_at(c, i)->key.family; side++)
			visit(arg, dvx_flow_rule_id(track_at(c, i)->rule[side]), rule);
}
