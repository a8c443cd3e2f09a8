/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends what a peer of dvx-copy may send: single messages, and the whole conversation from its
 * handshake, to a client or a server. A message is taken, or refused in words.
 */
#include "fuzz.h"
#include <sys/socket.h>
#include <unistd.h>
#include "tests/copy/copy_sample.h"
#include "wire/link.h"

#define MOST 16384u

static unsigned int taken;

/* A good message of any type. */
static size_t encode(uint8_t to[MSG_MAX])
{
	struct copy_msg m = copy_sample(1 + any(MSG_TYPES - 1));

	m.flags = any(2);
	return msg_encode(&m, to);
}

/* Exactly as long as it is, so that a sanitizer sees a byte read past it. */
static void decode(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct copy_fault f = {0};
	struct copy_msg m;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	if (!msg_decode(&m, copy, n, &f)) {
		assert_true(m.name.n + m.text.n <= n);
		taken++;
	} else {
		assert_int_equal(f.code, COPY_PROTOCOL);
		assert_true(strlen(f.text) > 10);
	}
	free(copy);
}

/* Frames, most of them good ones with some bytes changed or cut off. */
static size_t make_frames(uint8_t *to)
{
	size_t at = 0;

	while (fuzz_more() && at + LINK_HEAD + MSG_MAX < MOST) {
		uint8_t *body = to + at + LINK_HEAD;
		size_t n = encode(body), said;

		for (uint32_t k = any(4); k; k--)
			body[any((uint32_t)n)] = (uint8_t)any(256);
		n = any(8) ? n : any((uint32_t)n + 1);
		decode(body, n);
		said = any(16) ? n : any(UINT32_MAX);
		bytes_put(to + at, said, LINK_HEAD);
		at += LINK_HEAD + n;
	}
	return at;
}

/* The peer says all of it at once and hangs up. */
static void converse(const uint8_t *b, size_t n, bool is_server, bool handshake)
{
	static const struct key none;
	struct link *l = calloc(1, sizeof(*l));
	struct copy_fault f = {0};
	struct copy_msg m;
	int fds[2];

	assert_non_null(l);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_true(send(fds[1], b, n, MSG_NOSIGNAL) == (ssize_t)n);
	assert_int_equal(shutdown(fds[1], SHUT_WR), 0);
	link_init(l, fds[0], is_server, 1000);
	if (!handshake || !link_handshake(l, &none, &f))
		while (link_take(l, &m, 0, &f) > 0)
			assert_true(m.name.n + m.text.n <= MSG_MAX);
	link_close(l);
	close(fds[1]);
	free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t *frames = malloc(MOST);
	bool is_server, handshake;
	size_t n;

	assert_non_null(frames);
	fuzz_begin(bytes, len);
	is_server = any(2);
	handshake = !any(4);
	n = make_frames(frames);
	converse(frames, n, is_server, handshake);
	free(frames);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(taken > inputs);
}

const struct fuzz_target fuzz_target = {.inputs = 4000, .longest = 128, .judge = judge};
