/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(LINK_FDS * sizeof(int))];
};

/* Takes a message's FDs; closes those beyond the limit. */
static void take_fds(struct link_message *m, struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (m->nfds < LINK_FDS)
				m->fds[m->nfds++] = fd;
			else
				close(fd);
		}
	}
}

/* Receives up to len bytes by one recvmsg. Returns how many, 0 if it would block, or -errno. */
static ssize_t link_receive(int sock, struct link_message *m, void *to, size_t len, int flags)
{
	struct iovec iov = {to, len};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n;

	do {
		n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	take_fds(m, &msg);
	return n ? n : -EPIPE;
}

static int link_check_header(const struct link_header *h)
{
	if (h->magic != LINK_MAGIC || h->version != LINK_VERSION || h->len > LINK_BODY_MAX)
		return -EPROTO;
	return 0;
}

static int body_for(struct link_message *m)
{
	int err = link_check_header(&m->h);

	if (err || m->body)
		return err;
	m->body = malloc(m->h.len + 1u);
	return m->body ? 0 : -ENOMEM;
}

int link_read(int sock, struct link_in *in, int flags)
{
	for (;;) {
		uint8_t *to = (uint8_t *)&in->m.h + in->have;
		size_t want = sizeof(in->m.h) - in->have;
		ssize_t n;

		if (in->have >= sizeof(in->m.h)) {
			int err = body_for(&in->m);

			if (err)
				return err;
			to = in->m.body + (in->have - sizeof(in->m.h));
			want = in->m.h.len - (in->have - sizeof(in->m.h));
			if (!want)
				return 1;
		}
		n = link_receive(sock, &in->m, to, want, flags);
		if (n <= 0)
			return (int)n;
		in->have += (size_t)n;
	}
}

void link_message_free(struct link_message *m)
{
	for (unsigned int i = 0; i < m->nfds; i++)
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	free(m->body);
	memset(m, 0, sizeof(*m));
}

void link_in_reset(struct link_in *in)
{
	link_message_free(&in->m);
	in->have = 0;
}

static void put_fds(struct msghdr *msg, union control *control, const int *fds, unsigned int nfds)
{
	struct cmsghdr *c;

	if (!nfds)
		return;
	memset(control, 0, sizeof(*control));
	msg->msg_control = control;
	msg->msg_controllen = CMSG_SPACE(nfds * sizeof(int));
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
	memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
}

static void iov_advance(struct iovec iov[2], size_t n)
{
	for (unsigned int i = 0; i < 2; i++) {
		size_t part = n < iov[i].iov_len ? n : iov[i].iov_len;

		iov[i].iov_base = (char *)iov[i].iov_base + part;
		iov[i].iov_len -= part;
		n -= part;
	}
}

int link_write(int sock, uint16_t type, int32_t result, const void *body, size_t len,
	       const int *fds, unsigned int nfds, int flags)
{
	struct link_header h = {LINK_MAGIC, LINK_VERSION, type, (uint32_t)len, result};
	struct iovec iov[2] = {{&h, sizeof(h)}, {(void *)(uintptr_t)body, len}};
	union control control;
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	if (len > LINK_BODY_MAX || nfds > LINK_FDS)
		return -EMSGSIZE;
	put_fds(&msg, &control, fds, nfds);
	while (iov[0].iov_len + iov[1].iov_len) {
		ssize_t n = sendmsg(sock, &msg, flags | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		iov_advance(iov, (size_t)n);
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
	}
	return 0;
}
