/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to a client, and refusals. A refusal goes to the chip's log, and to the program's stderr
 * with the answer to its next request: if the server wrote there itself, it could be blocked. The
 * program gets each kind of refusal once per open of the device, whatever numbers it contains, so a
 * loop that goes wrong reports it once. The log has them all.
 */
#include "session.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "base/log.h"

#define KINDS 32u
#define BYTES 4096u

struct session_refusals {
	uint64_t kinds[KINDS]; /* hashes of refusals already sent */
	unsigned int nkinds;
	size_t len;
	char text[BYTES];
};

/* Returns the next word from `at` on without its numbers; hexadecimal ones contain letters. */
static const char *refusals_skip_number(const char *at)
{
	if (at[0] == '0' && at[1] == 'x')
		at += 2;
	while (isxdigit((unsigned char)*at))
		at++;
	return at;
}

/* Returns the FNV-1a hash of the sentence; all numbers hash alike. */
static uint64_t refusals_kind(const char *line)
{
	uint64_t hash = 0xcbf29ce484222325u;

	while (*line) {
		char c = *line;

		if (isdigit((unsigned char)c)) {
			line = refusals_skip_number(line);
			c = '0';
		} else {
			line++;
		}
		hash = (hash ^ (unsigned char)c) * 0x100000001b3u;
	}
	return hash;
}

static bool refusals_has_kind(const struct session_refusals *r, uint64_t kind)
{
	for (unsigned int i = 0; i < r->nkinds; i++)
		if (r->kinds[i] == kind)
			return true;
	return false;
}

void session_refusals_add(struct chip_session *c, const char *line)
{
	struct session_refusals *r = c->refusals;
	size_t len = strlen(line);
	uint64_t kind;

	if (!r)
		r = c->refusals = calloc(1, sizeof(*r));
	kind = refusals_kind(line);
	if (!r || r->nkinds == KINDS || r->len + len + 1 > BYTES || refusals_has_kind(r, kind))
		return;
	r->kinds[r->nkinds++] = kind;
	memcpy(r->text + r->len, line, len);
	r->len += len;
	r->text[r->len++] = '\n';
}

/* Sends the refusals in a separate message. Returns 0, or the socket's -errno. */
static int session_refusals_send(struct chip_session *c)
{
	struct session_refusals *r = c->refusals;
	size_t len = r ? r->len : 0;

	if (!len)
		return 0;
	r->len = 0;
	return link_write(c->sock, LINK_REFUSALS, 0, r->text, len, NULL, 0, MSG_DONTWAIT);
}

void session_close(struct chip_session *c)
{
	c->all->free(c);
}

void session_disconnect(struct chip_session *c, const char *why)
{
	sim_refuse("client %d (%s) is disconnected: it sent %s", c->pid, c->comm, why);
	session_close(c);
}

bool session_answer(struct chip_session *c, uint16_t type, int result, const void *body, size_t len,
		    const int *fds, unsigned int nfds)
{
	int err = link_write(c->sock, type, result, body, len, fds, nfds, MSG_DONTWAIT);

	if (!err)
		return true;
	if (err == -EAGAIN)
		sim_refuse("client %d (%s) is disconnected: it does not read its answers", c->pid,
			   c->comm);
	session_close(c);
	return false;
}

bool session_reply(struct chip_session *c, int result, const void *body, size_t len, const int *fds,
		   unsigned int nfds)
{
	session_refusals_send(c); /* if this fails, so does the answer */
	return session_answer(c, c->in.m.h.type, result, body, len, fds, nfds);
}

/* Answers a program that ends: sends the refusals since its last request. */
void session_refusals_answer(struct chip_session *c)
{
	struct session_refusals *r = c->refusals;
	size_t len = r ? r->len : 0;

	if (session_answer(c, LINK_REFUSALS, 0, len ? r->text : NULL, len, NULL, 0) && len)
		r->len = 0;
}

void session_refusals_forget(struct chip_session *c)
{
	free(c->refusals);
	c->refusals = NULL;
}
