/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"
#include "base/alive.h"

#include <string.h>

/*
 * Both ends send HELLO in the clear: the protocol version, and whether they have a key, so that a
 * mismatch gets a clear error. There is only one version, and an end that has a key insists on it,
 * so an attacker gains nothing by changing these messages. TLS follows. Without a key (loopback
 * only) the same steps run with an empty one.
 */
static void make_hello(struct copy_msg *m, bool has_key)
{
	static const uint8_t none[32];

	*m = (struct copy_msg){.type = MSG_HELLO,
			       .magic = MSG_MAGIC,
			       .version = MSG_VERSION,
			       .flags = has_key ? MSG_HAS_KEY : 0,
			       .name = {none, sizeof(none)}};
}

static int check_hello(struct link *l, const struct copy_msg *m, bool ours, struct copy_fault *f)
{
	bool theirs = m->flags & MSG_HAS_KEY;

	if (m->magic != MSG_MAGIC)
		return link_breach(l, f, "does not speak dvx-copy's protocol");
	if (m->version != MSG_VERSION)
		return link_breach(l, f,
				   "speaks version %u of the protocol, this end speaks version %u",
				   m->version, MSG_VERSION);
	if (theirs && !ours)
		return copy_fail(f, COPY_AUTH,
				 "%s was started with a key: give the same --key-file", l->peer);
	if (!theirs && ours)
		return copy_fail(f, COPY_AUTH, "%s was started without a key, this end has one",
				 l->peer);
	return 0;
}

static int handshake_hello(struct link *l, bool has_key, struct copy_fault *f)
{
	struct copy_msg mine, theirs;

	make_hello(&mine, has_key);
	if (!l->is_server && link_send(l, &mine, f))
		return -1;
	if (link_expect(l, MSG_HELLO, &theirs, f))
		return -1;
	/* A server answers before it checks, so that the client can report the mismatch too. */
	if (l->is_server && link_send(l, &mine, f))
		return -1;
	return check_hello(l, &theirs, has_key, f);
}

static int handshake_secure(struct link *l, struct copy_fault *f)
{
	enum secure_result got;

	while ((got = secure_handshake(l->secure)) != SECURE_OK) {
		if (got == SECURE_UNKNOWN)
			return copy_fail(f, COPY_AUTH,
					 "%s has another key, or the handshake was tampered with",
					 l->peer);
		if (link_wait_secure(l, got, f))
			return -1;
	}
	return 0;
}

static int handshake_steps(struct link *l, const struct secure_end *end, struct copy_fault *f)
{
	bool has_key = end->is_server ? end->ring->any : end->key->n != 0;

	if (handshake_hello(l, has_key, f))
		return -1;
	if (l->have != l->at + l->used)
		return link_breach(l, f, "did not wait for an answer");
	l->secure = secure_new(end);
	if (!l->secure)
		return copy_no_memory(f);
	if (handshake_secure(l, f))
		return -1;
	l->key = secure_key(l->secure);
	l->sealed = true;
	return 0;
}

#define HANDSHAKE_MS 10000 /* for all of it: an unauthenticated peer occupies a place */

static int handshake(struct link *l, struct secure_end *end, struct copy_fault *f)
{
	l->deadline = clock_now_ms() + HANDSHAKE_MS;
	end->fd = l->fd;
	end->is_server = l->is_server;
	if (handshake_steps(l, end, f))
		return -1;
	l->deadline = 0;
	return 0;
}

static const struct key *handshake_only_key(const void *keys, const char *id)
{
	const struct key *k = keys;
	char own[KEY_ID];

	key_id(k, own);
	return strcmp(own, id) ? NULL : k;
}

int link_handshake(struct link *l, const struct key *k, struct copy_fault *f)
{
	struct key_ring ring = {handshake_only_key, k, k->n != 0};
	struct secure_end end = {.key = k, .ring = &ring};

	return handshake(l, &end, f);
}

int link_handshake_server(struct link *l, const struct key_ring *ring, struct copy_fault *f)
{
	struct secure_end end = {.ring = ring};

	return handshake(l, &end, f);
}
