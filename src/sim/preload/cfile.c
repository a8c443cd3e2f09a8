/* SPDX-License-Identifier: BSD-2-Clause */
/* An open file's connection to the server whose chip is the device. */
#include "cfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/log.h"
#include "link/cm_msg.h"
#include "link/link.h"
#include "link/msg.h"
#include "real.h"
#include "uverbs/resource.h"

static char server[108]; /* the longest name of a Unix socket */

/* Logs each line as one of this program's log. */
static void cfile_print_refusals(const char *lines, size_t len)
{
	const char *end = lines + len, *nl;

	for (; lines < end && (nl = memchr(lines, '\n', (size_t)(end - lines))); lines = nl + 1)
		sim_refuse("%.*s", (int)(nl - lines), lines);
}

void cfile_server(const char *socket)
{
	link_on_refusals(cfile_print_refusals);
	snprintf(server, sizeof(server), "%s", socket);
}

/* Lets the server read and write this process's memory, as a NIC does (Yama). */
static void allow_dma(int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (!getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		prctl(PR_SET_PTRACER, (unsigned long)peer.pid, 0, 0, 0);
}

/* Reports a refused open: a second dvx-sim, or an upgraded one, as a shell outlives its server. */
static void cfile_refused(const char *what, int err)
{
	unsigned int version = link_version(server, err);

	if (version)
		sim_refuse("the device at %s speaks link version %u, this preload speaks %u: it "
			   "was started by another dvx-sim; use that dvx-sim's exec, or restart "
			   "the device with dvx-sim down and up",
			   server, version, LINK_VERSION);
	else
		sim_refuse("the device at %s can't be %s: %s", server, what, strerror(-err));
}

static void cfile_connect(struct cfile *cf)
{
	struct stat st;

	cf->sock = link_connect(server);
	if (cf->sock >= 0 && !real()->fstat(cf->sock, &st))
		cf->link = st.st_ino;
}

bool cfile_has_link(const struct cfile *cf)
{
	struct stat st;

	return cf->sock >= 0 && !real()->fstat(cf->sock, &st) && S_ISSOCK(st.st_mode) &&
	       st.st_ino == cf->link;
}

void cfile_disconnect(struct cfile *cf)
{
	if (cfile_has_link(cf))
		real()->close(cf->sock);
	cf->sock = -1;
}

int cfile_open(struct cfile *cf, const struct link_function *f)
{
	struct link_message answer = {0};
	int err, fd;

	cfile_connect(cf);
	if (cf->sock < 0) {
		sim_refuse("no device answers at %s: %s", server, strerror(-cf->sock));
		return cf->sock == -EMFILE ? -EMFILE : -ENODEV;
	}
	if (!cf->cm)
		allow_dma(cf->sock);
	err = link_ask(cf->sock, cf->cm ? LINK_CM_OPEN : LINK_OPEN, f, sizeof(*f), -1, &answer);
	if (!err)
		err = answer.h.result;
	if (!err && answer.nfds != 1)
		err = answer.nfds ? -EPROTO : -EMFILE; /* no descriptor number was free */
	if (err) {
		cfile_refused("opened", err);
		link_message_free(&answer);
		real()->close(cf->sock);
		return err;
	}
	fd = answer.fds[0];
	answer.nfds = 0;
	link_message_free(&answer);
	return fd;
}

/* Marks the connection as unusable. */
static int cfile_lost(struct cfile *cf, int err)
{
	if (cf->sock >= 0) {
		sim_refuse("the device at %s is gone: %s", server,
			   err == -EBADF ? "the program closed its connection" : strerror(-err));
		cfile_disconnect(cf);
	}
	return -EIO;
}

static int cfile_ask(struct cfile *cf, uint16_t type, const void *body, size_t len, int fd,
		     struct link_message *answer)
{
	int err = cfile_has_link(cf) ? link_ask(cf->sock, type, body, len, fd, answer) : -EBADF;

	return err ? cfile_lost(cf, err) : 0;
}

static int answer_into(struct cfile *cf, struct uverbs_request *req, struct link_message *answer)
{
	int err = 0;

	if (answer->h.len)
		err = msg_unpack_answer(req, answer->body, answer->h.len, answer->fds,
					answer->nfds);
	if (err == -EMFILE)
		return err;
	if (err)
		return cfile_lost(cf, err);
	answer->nfds = 0; /* the request owns the descriptors now */
	return answer->h.result;
}

int cfile_ioctl(struct cfile *cf, struct uverbs_request *req)
{
	struct link_message answer = {0};
	uint8_t *body;
	struct lock_saved held;
	size_t len;
	int err = msg_pack_request(req, &body, &len);

	if (err)
		return err;
	ticket_lock(&cf->lock, &held);
	err = cfile_ask(cf, LINK_IOCTL, body, len, -1, &answer);
	if (!err)
		err = answer_into(cf, req, &answer);
	ticket_unlock(&cf->lock, &held);
	link_message_free(&answer);
	free(body);
	return err;
}

static int cfile_notify(struct cfile *cf, uint16_t type, const void *body, size_t len, int fd)
{
	struct link_message answer = {0};
	struct lock_saved held;
	int err;

	ticket_lock(&cf->lock, &held);
	err = cfile_ask(cf, type, body, len, fd, &answer);
	ticket_unlock(&cf->lock, &held);
	if (!err)
		err = answer.h.result;
	link_message_free(&answer);
	return err;
}

int cfile_mapped(struct cfile *cf, int uffd, uint64_t va, uint64_t len, uint64_t offset)
{
	struct link_range range = {va, len, offset};
	int err = cfile_notify(cf, LINK_MAP, &range, sizeof(range), uffd);

	/*
	 * Only the server keeps the userfaultfd, else this process would hang if the server dies.
	 */
	if (uffd >= 0)
		real()->close(uffd);
	return err;
}

void cfile_unmapped(struct cfile *cf, uint64_t va, uint64_t len)
{
	struct link_range range = {va, len, 0};

	cfile_notify(cf, LINK_UNMAP, &range, sizeof(range), -1);
}

int cfile_share(struct cfile *cf, uint64_t va, uint64_t len, int memfd)
{
	struct link_range range = {va, len, 0};

	return cfile_notify(cf, LINK_SHARE, &range, sizeof(range), memfd);
}

bool cfile_close(struct cfile *cf)
{
	bool in_use;

	if (cf->sock < 0)
		return false;
	in_use = cfile_notify(cf, cf->cm ? LINK_CM_CLOSE : LINK_CLOSE, NULL, 0, -1) > 0;
	cfile_disconnect(cf);
	return in_use;
}

int cfile_cm_write(struct cfile *cf, struct ucma_request *r)
{
	struct link_message answer = {0};
	uint8_t body[CM_MSG_MAX];
	struct lock_saved held;
	size_t len = cm_msg_pack(r, body);
	int err;

	ticket_lock(&cf->lock, &held);
	err = cfile_ask(cf, LINK_CM, body, len, -1, &answer);
	if (!err && answer.h.len > sizeof(r->out))
		err = cfile_lost(cf, -EPROTO);
	ticket_unlock(&cf->lock, &held);
	if (err)
		return err;
	r->nout = answer.h.len;
	memcpy(r->out, answer.body, r->nout);
	err = answer.h.result;
	link_message_free(&answer);
	return err;
}

struct resource_rows {
	struct uverbs_resource *at;
	size_t n;
};

/* Adds the next page. Returns how many rows it has, or -errno. */
static ssize_t resources_page(int sock, const struct link_function *f, struct resource_rows *r)
{
	const struct link_resources ask = {*f, (uint32_t)r->n};
	struct uverbs_resource *at = NULL;
	struct link_message answer = {0};
	int err = link_ask(sock, LINK_RESOURCES, &ask, sizeof(ask), -1, &answer);
	size_t n = answer.h.len / sizeof(*at);

	if (!err)
		err = answer.h.result;
	if (!err)
		at = reallocarray(r->at, r->n + n + 1, sizeof(*at));
	if (at) {
		if (n)
			memcpy(at + r->n, answer.body, n * sizeof(*at));
		r->at = at;
		r->n += n;
	}
	link_message_free(&answer);
	return err ? err : at ? (ssize_t)n : -ENOMEM;
}

int cfile_resources(const struct link_function *f, struct uverbs_resource **rows, size_t *n)
{
	struct resource_rows r = {0};
	int sock = link_connect(server);
	ssize_t got = sock;

	while (sock >= 0 && (got = resources_page(sock, f, &r)) > 0)
		;
	if (sock >= 0)
		real()->close(sock);
	if (got < 0) {
		cfile_refused("listed", (int)got);
		free(r.at);
		return (int)got;
	}
	*rows = r.at;
	*n = r.n;
	return 0;
}

static int cfile_fetch_refusals(struct cfile *cf)
{
	const struct timeval patience = {.tv_sec = 1}, endless = {0};
	struct link_message answer = {0};
	int err;

	setsockopt(cf->sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	err = link_ask(cf->sock, LINK_REFUSALS, NULL, 0, -1, &answer);
	if (err) {
		cfile_disconnect(cf); /* a late answer would be taken for that of the next request */
		return err;
	}
	setsockopt(cf->sock, SOL_SOCKET, SO_RCVTIMEO, &endless, sizeof(endless));
	cfile_print_refusals((const char *)answer.body, answer.h.len);
	link_message_free(&answer);
	return 0;
}

bool cfile_exiting(struct cfile *cf)
{
	struct lock_saved held;
	int err;

	if (!ticket_try(&cf->lock, &held))
		return true;
	err = cfile_has_link(cf) ? cfile_fetch_refusals(cf) : 0;
	ticket_unlock(&cf->lock, &held);
	return err != -ETIMEDOUT;
}

int cfile_attach(struct cfile *cf, int fd)
{
	int err;

	cfile_connect(cf);
	if (cf->sock < 0)
		return cf->sock;
	allow_dma(cf->sock);
	err = cfile_notify(cf, LINK_ATTACH, NULL, 0, fd);
	if (err)
		cfile_disconnect(cf);
	return err;
}
