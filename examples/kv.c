/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key-value look-ups in a peer's memory, in two ways. By READ the client walks the hash table
 * itself: the peer's CPU does nothing, but each link of a chain is a round trip. By SEND the
 * peer's CPU walks the table: one round trip for a chain of any length.
 *
 *	dvx-sim run -- ./kv
 *
 * The parent is the client, the child the server. On dvx-sim, round trips and bytes are the same as
 * on a NIC, but times are not.
 */
#include <time.h>
#include "exchange.h"

enum { BUCKETS = 16, KEYS = 64, VALUE = 24, STOP = 0 }; /* keys are from 1 */
enum { SENT = 1, RECEIVED, FETCHED };			/* cookies */

struct node {
	uint32_t key;
	uint32_t next; /* the next node's number, 0: none */
	char value[VALUE];
};

/* The server uses the table; the client reads into word and node; both receive into inbox. */
static _Alignas(4096) struct {
	uint32_t first[BUCKETS];
	struct node nodes[KEYS + 1];
	uint32_t word;
	struct node node;
	char inbox[VALUE];
} memory;

struct cost {
	uint64_t trips, bytes;
};

/* Reads the bytes of the server's memory that are at `place` in this process. */
static void read_there(struct exchange_end *e, const void *place, void *to, uint32_t len,
		       struct cost *cost)
{
	struct dvx_sge room = {(uintptr_t)to, len, e->mine.key};
	uint64_t offset = (uintptr_t)place - (uintptr_t)&memory;

	must(dvx_post_read(dvx_qp_sq(e->qp), e->theirs.addr + offset, e->theirs.key, &room, 1,
			   FETCHED, DVX_SIGNALED),
	     "read");
	dvx_sq_ring(dvx_qp_sq(e->qp));
	example_wait(e->cq, FETCHED);
	cost->trips++;
	cost->bytes += len;
}

static const char *by_read(struct exchange_end *e, uint32_t key, struct cost *cost)
{
	struct node *node = &memory.node;

	read_there(e, &memory.first[key % BUCKETS], &memory.word, sizeof(memory.word), cost);
	for (uint32_t i = memory.word; i && i <= KEYS; i = node->next) {
		read_there(e, &memory.nodes[i], node, sizeof(*node), cost);
		if (node->key == key)
			return node->value;
	}
	return "";
}

static const char *by_send(struct exchange_end *e, uint32_t key, struct cost *cost)
{
	exchange_receive(e, memory.inbox, VALUE, RECEIVED);
	exchange_send(e, &key, sizeof(key), SENT);
	example_wait(e->cq, RECEIVED);
	cost->trips++;
	cost->bytes += sizeof(key) + VALUE;
	return memory.inbox;
}

static void fill(void)
{
	for (uint32_t i = 1; i <= KEYS; i++) {
		memory.nodes[i] = (struct node){.key = i, .next = memory.first[i % BUCKETS]};
		snprintf(memory.nodes[i].value, VALUE, "value of %u", i);
		memory.first[i % BUCKETS] = i;
	}
}

static void serve(struct exchange_end *e)
{
	struct node *node;
	uint32_t key;

	for (;;) {
		example_wait(e->cq, RECEIVED);
		memcpy(&key, memory.inbox, sizeof(key));
		if (key == STOP)
			return;
		node = &memory.nodes[memory.first[key % BUCKETS]];
		while (node->key && node->key != key)
			node = &memory.nodes[node->next];
		/* Posted before the answer, since the next question may follow at once. */
		exchange_receive(e, memory.inbox, VALUE, RECEIVED);
		exchange_send(e, node->value, VALUE, SENT);
	}
}

static void measure(struct exchange_end *e, const char *how,
		    const char *(*look_up)(struct exchange_end *, uint32_t, struct cost *))
{
	struct cost cost = {0, 0};
	struct timespec from, to;
	char want[VALUE];
	int right = 0;
	double us;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (uint32_t key = 1; key <= KEYS; key++) {
		snprintf(want, sizeof(want), "value of %u", key);
		right += !strcmp(look_up(e, key, &cost), want);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	us = (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
	printf("by %s: %d of %d right; each %.1f round trips, %.0f bytes, %.1f us\n", how, right,
	       KEYS, (double)cost.trips / KEYS, (double)cost.bytes / KEYS, us / KEYS);
}

int main(int argc, char **argv)
{
	const uint32_t stop = STOP;
	struct exchange_end e;
	pid_t child = exchange_fork(&e);

	if (!child)
		fill();
	exchange_open(&e, argc > 1 ? argv[1] : NULL, &memory, sizeof(memory), DVX_REMOTE_READ);
	if (!child)
		exchange_receive(&e, memory.inbox, VALUE, RECEIVED);
	exchange_ready(e.fd);
	if (child) {
		measure(&e, "READ", by_read);
		measure(&e, "SEND", by_send);
		exchange_send(&e, &stop, sizeof(stop), SENT);
	} else {
		serve(&e);
	}
	exchange_ready(e.fd);
	return child && wait(NULL) != child;
}
