/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

/*
 * Both ends send HELLO, then the client proves that it knows the key, then the server does. The
 * client goes first, so that an unauthenticated client gets nothing computed from the key. Without
 * a key (loopback only) the same steps run with an empty one: one path, and no downgrade, since
 * both HELLOs say whether there is a key, and the proofs cover them.
 */
static void make_hello(struct copy_msg *m, const struct key *k, const uint8_t nonce[AUTH_NONCE])
{
	*m = (struct copy_msg){.type = MSG_HELLO,
			       .magic = MSG_MAGIC,
			       .version = MSG_VERSION,
			       .flags = k->n ? MSG_HAS_KEY : 0,
			       .name = {nonce, AUTH_NONCE}};
}

static int check_hello(struct link *l, const struct copy_msg *m, const struct key *k,
		       struct copy_fault *f)
{
	bool theirs = m->flags & MSG_HAS_KEY, ours = k->n != 0;

	if (m->magic != MSG_MAGIC)
		return copy_fail(f, COPY_PROTOCOL, "%s does not speak dvx-copy's protocol",
				 l->peer);
	if (m->version != MSG_VERSION)
		return copy_fail(f, COPY_PROTOCOL,
				 "%s speaks version %u of the protocol, this end speaks version %u",
				 l->peer, m->version, MSG_VERSION);
	if (theirs && !ours)
		return copy_fail(f, COPY_AUTH,
				 "%s was started with a key: give the same --key-file", l->peer);
	if (!theirs && ours)
		return copy_fail(f, COPY_AUTH, "%s was started without a key, this end has one",
				 l->peer);
	return 0;
}

static int send_proof(struct link *l, const uint8_t proof[AUTH_PROOF], struct copy_fault *f)
{
	struct copy_msg m = {.type = MSG_PROOF, .name = {proof, AUTH_PROOF}};

	return link_send(l, &m, f);
}

static int check_proof(struct link *l, const uint8_t proof[AUTH_PROOF], struct copy_fault *f)
{
	struct copy_msg m;

	if (link_expect(l, MSG_PROOF, &m, f))
		return -1;
	if (!auth_equal(m.name.p, proof))
		return copy_fail(f, COPY_AUTH, "%s has another key", l->peer);
	return 0;
}

/* The keys are derived from both HELLOs as encoded. */
static int handshake_hello(struct link *l, const struct key *k, struct copy_fault *f)
{
	uint8_t nonce[AUTH_NONCE], mine[MSG_MAX], theirs[MSG_MAX];
	struct hello_bytes a = {mine, 0}, b = {theirs, 0};
	struct copy_msg m;

	if (auth_nonce(nonce, f))
		return -1;
	make_hello(&m, k, nonce);
	a.n = msg_encode(&m, mine);
	if (!l->is_server && link_send(l, &m, f))
		return -1;
	if (link_expect(l, MSG_HELLO, &m, f))
		return -1;
	b.n = msg_encode(&m, theirs);
	if (l->is_server) {
		struct copy_msg reply;

		/* Sent before any check, so that the other end can report the mismatch, too. */
		make_hello(&reply, k, nonce);
		if (link_send(l, &reply, f))
			return -1;
	}
	if (check_hello(l, &m, k, f))
		return -1;
	auth_derive(&l->auth, k, l->is_server ? b : a, l->is_server ? a : b);
	return 0;
}

#define HANDSHAKE_MS 10000 /* longest wait for a message of an unauthenticated peer */

static int handshake_prove(struct link *l, const struct key *k, struct copy_fault *f)
{
	if (handshake_hello(l, k, f))
		return -1;
	if (l->is_server)
		return check_proof(l, l->auth.proof_client, f) ||
		       send_proof(l, l->auth.proof_server, f);
	return send_proof(l, l->auth.proof_client, f) || check_proof(l, l->auth.proof_server, f);
}

int link_handshake(struct link *l, const struct key *k, struct copy_fault *f)
{
	int patience_ms = l->patience_ms;

	if (l->patience_ms > HANDSHAKE_MS)
		l->patience_ms = HANDSHAKE_MS;
	if (handshake_prove(l, k, f))
		return -1;
	l->patience_ms = patience_ms;
	l->sealed = true;
	return 0;
}
