/* SPDX-License-Identifier: BSD-2-Clause */
#include "copy_actor.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "copy_fake.h"
#include "tools/cli/crc32c.h"

static void actor_end(struct actor *a, uint32_t code)
{
	struct copy_fault f = {0};

	if (!code) {
		shutdown(a->l->fd, SHUT_RDWR);
		return;
	}
	copy_fail(&f, (int)code, "the disk is on fire\033[2J");
	link_send_error(a->l, &f);
}

static void actor_say_data(struct actor *a, struct copy_msg m)
{
	uint8_t *p = m.slot < SLOTS ? pool_slot(&a->pool, m.slot) : a->pool.mem;
	const struct msg_piece piece = {m.id, m.flags, m.off, m.size ? (uint32_t)m.size : m.len};
	uint8_t bytes[MSG_PIECE_BYTES];

	if (m.len && !m.crc) {
		memset(p, 'x', m.len < SLOT ? m.len : SLOT);
		m.crc = m.len <= SLOT ? crc32c(p, m.len) : 0;
	}
	msg_piece_put(bytes, &piece);
	if (!m.text.n)
		m.text = (struct copy_bytes){bytes, sizeof(bytes)};
	link_send(a->l, &m, &a->f);
}

static void actor_say_one(struct actor *a, struct copy_msg m)
{
	if (m.type == MSG_TYPES)
		actor_end(a, m.code);
	else if (m.type == MSG_DATA)
		actor_say_data(a, m);
	else
		link_send(a->l, &m, &a->f);
}

static void actor_say(struct actor *a, struct copy_msg m)
{
	uint32_t times = m.type == MSG_POOL || !m.slots ? 1 : m.slots;

	while (times--)
		actor_say_one(a, m);
}

void *actor_main(void *arg)
{
	struct actor *a = arg;
	struct key none = {.n = 0};
	struct copy_fake_ticket ticket = {getpid(), a->pool.mem};
	struct copy_msg m;

	if (link_handshake(a->l, &none, &a->f) || link_expect(a->l, MSG_START, &m, &a->f))
		return NULL;
	for (uint64_t rules = m.chunks; rules; rules--)
		if (link_expect(a->l, MSG_FILTER, &m, &a->f))
			return NULL;
	if (link_expect(a->l, MSG_SETUP, &m, &a->f))
		return NULL;
	actor_say(a, (struct copy_msg){.type = MSG_POOL,
				       .slots = SLOTS,
				       .slot_bytes = SLOT,
				       .name = {(const uint8_t *)&ticket, sizeof(ticket)}});
	if (link_expect(a->l, MSG_PULL, &m, &a->f))
		return NULL;
	if (a->script->type != MSG_TOP)
		actor_say(a, (struct copy_msg)TOP("got"));
	for (const struct copy_msg *said = a->script; said->type; said++)
		actor_say(a, *said);
	/* Read the client's messages up to its end. A server answers a failure with them. */
	while (a->l->fd >= 0 && !link_expect(a->l, MSG_TYPES, &m, &a->f) && m.type != MSG_BYE)
		;
	if (a->f.code && a->f.code != COPY_PEER)
		link_send_error(a->l, &a->f);
	return NULL;
}
