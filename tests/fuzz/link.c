/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between programs and a server: a request of any method becomes a message, is damaged, and
 * what can still be read of it goes to the kernel's half; so does its answer, damaged, to the program.
 * The stream that carries them is cut anywhere.
 */
#include <sys/socket.h>
#include <unistd.h>
#include "uverbs.h"
#include "link/link.h"
#include "link/msg.h"

struct fx *f;
uint32_t lkeys[1024];
static unsigned int asked, good;

static uint8_t *damaged(uint8_t *body, size_t *len)
{
	size_t n = any(8) ? *len : any((uint32_t)*len + 9);
	uint8_t *copy = calloc(1, n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, body, n < *len ? n : *len);
	for (uint32_t k = any(4); k && n; k--)
		copy[any((uint32_t)n)] = (uint8_t)(any(3) ? any(256) : 0xff);
	free(body);
	*len = n;
	return copy;
}

static void answer(struct uverbs_request *program, struct owned_request *server)
{
	int fds[UVERBS_REQUEST_FDS] = {-1, -1, -1, -1};
	uint8_t *body;
	size_t len;

	good += !kernel_ioctl(f->f, &server->req);
	assert_int_equal(msg_pack_answer(server, &body, &len), 0);
	body = damaged(body, &len);
	(void)msg_unpack_answer(program, body, len, fds, server->req.nfds);
	program->nfds = 0;
	free(body);
}

static void request(void)
{
	struct owned_request server;
	const char *why = NULL;
	uint8_t *body;
	struct request r;
	size_t len;

	any_fill(&r);
	asked++;
	assert_int_equal(msg_pack_request(&r.req, &body, &len), 0);
	body = damaged(body, &len);
	if (!msg_unpack_request(&server, body, len, &why)) {
		assert_true(len >= sizeof(struct msg_ioctl));
		answer(&r.req, &server);
	} else {
		assert_non_null(why);
	}
	request_fini(&server);
	free(body);
	rq_done(&r);
}

/* Any bytes on the socket: whole messages, or an end. */
static void stream(void)
{
	struct link_header h = {LINK_MAGIC, LINK_VERSION, LINK_IOCTL, any(64), 0};
	struct link_in in = {0};
	uint8_t bytes[512];
	int fds[2], got;
	size_t n = any(sizeof(bytes));

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	any_bytes(bytes, n);
	if (any(4))
		assert_int_equal(send(fds[1], &h, sizeof(h), MSG_NOSIGNAL), sizeof(h));
	assert_int_equal(send(fds[1], bytes, n, MSG_NOSIGNAL), n);
	close(fds[1]);
	while ((got = link_read(fds[0], &in, 0)) > 0)
		link_in_reset(&in);
	assert_true(got < 0);
	link_in_reset(&in);
	close(fds[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	void *state;

	fuzz_begin(bytes, len);
	fx_setup(&state);
	f = state;
	while (fuzz_more())
		if (any(8))
			request();
		else
			stream();
	kernel_close(f->f);
	f->f = NULL;
	f->objects = fx_objects(f); /* anchors stay, as in the kernel */
	fx_teardown(&state);
	return 0;
}

/* Some are still good, behind all checks. */
static void judge(unsigned int inputs)
{
	(void)inputs;
	assert_true(good > asked / 50);
}

const struct fuzz_target fuzz_target = {.inputs = 300, .longest = 4096, .judge = judge};
