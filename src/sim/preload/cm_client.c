/* SPDX-License-Identifier: BSD-2-Clause */
/* write() to the RDMA_CM device: one command, copied in and out by the table in uverbs/ucma.h. */
#include "cfile.h"
#include "client.h"

#include <errno.h>
#include <pthread.h>
#include <rdma/rdma_user_cm.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "base/log.h"
#include "real.h"
#include "uverbs/ucma.h"

/* Replaces a descriptor by its inode, by which the kernel half knows it. */
static int cm_inode_in(struct ucma_request *r, const struct ucma_command *c)
{
	struct stat st;
	int32_t fd;

	if (c->fd < 0)
		return 0;
	memcpy(&fd, r->in + c->fd, sizeof(fd));
	if (real()->fstat(fd, &st))
		return -ENOENT; /* as the kernel returns here */
	r->inode = st.st_ino;
	return 0;
}

static int cm_value_in(struct ucma_request *r, const struct ucma_command *c)
{
	uint32_t len = ucma_value_bytes(c, r->in);

	if (len > sizeof(r->value)) {
		sim_refuse("%s: optlen %u, at most %zu bytes are taken", c->name, len,
			   sizeof(r->value));
		return -EINVAL;
	}
	r->nvalue = len;
	return len ? flatten_copy_in(r->value, ucma_address(r->in, c->value), len) : 0;
}

static int cm_command_in(struct ucma_request *r, const struct ucma_command **c, const void *buf,
			 size_t n)
{
	struct rdma_ucm_cmd_hdr h;
	int err;

	if (n < sizeof(h))
		return -EINVAL;
	err = flatten_copy_in(&h, (uintptr_t)buf, sizeof(h));
	if (err)
		return err;
	*c = ucma_command_find(h.cmd);
	if (!*c || h.in + sizeof(h) > n) {
		sim_refuse("rdma_cm: command %u with in %u in %zu bytes: %s", h.cmd, h.in, n,
			   *c ? "it is cut" : "there is no such command");
		return -EINVAL;
	}
	memset(r, 0, offsetof(struct ucma_request, in));
	r->command = h.cmd;
	r->in_len = h.in;
	r->out_len = h.out;
	r->nin = ucma_in_bytes(*c, h.in);
	err = flatten_copy_in(r->in, (uintptr_t)buf + sizeof(h), r->nin);
	if (!err)
		err = cm_value_in(r, *c);
	return err ? err : cm_inode_in(r, *c);
}

/* Checks that the answer's memory is writable before anything changes: an event would be lost. */
static int cm_probe(const struct ucma_request *r, const struct ucma_command *c)
{
	uint8_t bytes[UCMA_OUT_MAX];
	uint64_t at;
	int err;

	if (c->response < 0 || !c->least_out)
		return 0;
	at = ucma_address(r->in, c->response);
	err = flatten_copy_in(bytes, at, c->least_out);
	return err ? err : flatten_copy_out(at, bytes, c->least_out);
}

/* Sleeps until an event may be there. The kernel restarts it, or not, as it would a write(). */
static int cm_sleep(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK);

	if (n < 0)
		return -errno;
	return n ? 0 : -EIO; /* the device is gone */
}

/*
 * A duplicate that keeps the file open during a write(), also if this thread is cancelled or
 * another one closes the descriptor, as programs do that end while a thread waits for events.
 * client_closed() finds the duplicate.
 */
struct cm_held {
	struct cfile *cf;
	int fd, own;
};

static void cm_release(void *arg)
{
	const struct cm_held *h = arg;

	syscall(SYS_close, h->own); /* close() would end a thread that is cancelled */
	if (client_find(h->fd) != h->cf)
		client_closed(h->cf);
}

/* Fetches the next event; sleeps for it unless the descriptor is non-blocking. */
static int cm_event(struct cfile *cf, int fd, struct ucma_request *r)
{
	struct cm_held h = {cf, fd, fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
	int err = h.own < 0 ? -errno : 0;

	if (err == -EMFILE) { /* the kernel needs no descriptor for an event that is there */
		int now = cfile_cm_write(cf, r);

		return now == -EAGAIN ? err : now;
	}
	if (err)
		return err;
	pthread_cleanup_push(cm_release, &h);
	for (;;) {
		/* The file may have been closed before the call, and its number reused. */
		err = client_find(h.own) == cf ? cfile_cm_write(cf, r) : -EBADF;
		if (err != -EAGAIN)
			break;
		err = cm_sleep(h.own);
		if (err) /* -EAGAIN: O_NONBLOCK is set */
			break;
	}
	pthread_cleanup_pop(1);
	return err;
}

static int cm_execute(struct cfile *cf, int fd, const void *buf, size_t n)
{
	const struct ucma_command *c;
	struct ucma_request r;
	int err = cm_command_in(&r, &c, buf, n);

	if (!err && r.out_len >= c->least_out)
		err = cm_probe(&r, c);
	if (!err)
		err = r.command == RDMA_USER_CM_CMD_GET_EVENT ? cm_event(cf, fd, &r)
							      : cfile_cm_write(cf, &r);
	if (!err && r.nout)
		err = flatten_copy_out(ucma_address(r.in, c->response), r.out, r.nout);
	return err;
}

int cm_client_write(struct cfile *cf, int fd, const void *buf, size_t n)
{
	int saved = errno, err;

	if (!cf->cm) /* without a working ioctl, libibverbs would write commands */
		return -EINVAL;
	err = client_claim(cf, fd, "write");
	if (!err)
		err = cm_execute(cf, fd, buf, n);
	errno = saved;
	return err;
}
