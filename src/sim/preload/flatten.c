/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One ioctl(RDMA_VERBS_IOCTL): copies in the data that the program's pointers point to, sends one
 * request to the kernel half, and copies out the answer. Copies go through the kernel (process_vm_*
 * on this process), so a bad pointer is EFAULT, never a crash.
 */
#include "cfile.h"
#include "client.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "real.h"
#include "share.h"
#include "uverbs/request.h"

static int flatten_copy(long number, void *here, uint64_t there, size_t len)
{
	struct iovec local = {here, len};
	struct iovec remote = {(void *)(uintptr_t)there, len};
	ssize_t n;

	n = len ? syscall(number, getpid(), &local, 1ul, &remote, 1ul, 0ul) : 0;
	if (n == (ssize_t)len)
		return 0;
	if (n >= 0 || (errno != ENOSYS && errno != EPERM))
		return -EFAULT;
	/* A sandbox may forbid these calls: trust the pointers then. */
	if (number == SYS_process_vm_readv)
		memcpy(here, remote.iov_base, len);
	else
		memcpy(remote.iov_base, here, len);
	return 0;
}

int flatten_copy_in(void *to, uint64_t from, size_t len)
{
	return flatten_copy(SYS_process_vm_readv, to, from, len);
}

int flatten_copy_out(uint64_t to, const void *from, size_t len)
{
	return flatten_copy(SYS_process_vm_writev, (void *)(uintptr_t)from, to, len);
}

/* Replaces a descriptor by its inode, by which the kernel half knows it. */
static int fd_in(struct uverbs_attr *a)
{
	struct stat st;

	if (a->data > INT32_MAX || real()->fstat((int)a->data, &st))
		return -EBADF;
	a->data = st.st_ino;
	return 0;
}

static int header_in(struct ib_uverbs_ioctl_hdr *h, const void *arg)
{
	int err = flatten_copy_in(h, (uintptr_t)arg, sizeof(*h));

	if (err)
		return err;
	if (h->num_attrs > REQUEST_ATTRS ||
	    h->length != sizeof(*h) + h->num_attrs * sizeof(h->attrs[0]))
		return -EINVAL;
	if (h->reserved1 || h->reserved2)
		return -EPROTONOSUPPORT;
	return 0;
}

static int attrs_in(struct owned_request *r, const struct ib_uverbs_attr *ua, unsigned int n)
{
	int err;

	r->req.nattrs = n;
	for (unsigned int i = 0; i < n; i++) {
		r->attrs[i] = (struct uverbs_attr){
			.id = ua[i].attr_id,
			.flags = ua[i].flags,
			.len = ua[i].len,
			.data = ua[i].data,
			.enum_elem = ua[i].attr_data.enum_data.elem_id,
		};
	}
	err = request_layout(r);
	for (unsigned int i = 0; !err && i < n; i++) {
		struct uverbs_attr *a = &r->attrs[i];

		if (a->kind == ATTR_FD_IN)
			err = fd_in(a);
		else if (request_in_bytes(a))
			err = flatten_copy_in((void *)(uintptr_t)a->in, ua[i].data, a->len);
	}
	return err;
}

/* Writes the numbers that descriptors have in this process to where the kernel would. */
static void place_fds(struct owned_request *r)
{
	for (unsigned int i = 0; i < r->req.nfds; i++) {
		unsigned int at = r->req.fds[i].attr;
		struct uverbs_attr *a = &r->attrs[at];
		int32_t number = r->req.fds[i].fd;

		if (a->kind == ATTR_FD_OUT)
			a->data = (uint32_t)number;
		else if (a->kind == ATTR_OUT && r->req.fds[i].off + sizeof(number) <= a->len)
			memcpy(a->out + r->req.fds[i].off, &number, sizeof(number));
	}
}

static int attrs_out(const struct owned_request *r, struct ib_uverbs_attr *ua, uint64_t to)
{
	int err = 0;

	for (unsigned int i = 0; i < r->req.nattrs; i++) {
		const struct uverbs_attr *a = &r->attrs[i];

		if (a->kind == ATTR_OUT && a->written &&
		    flatten_copy_out(ua[i].data, a->out, a->written))
			err = -EFAULT;
		if (a->kind == ATTR_IDR || a->kind == ATTR_FD_OUT)
			ua[i].data = a->data;
		if (a->valid_output)
			ua[i].flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	}
	if (flatten_copy_out(to, ua, r->req.nattrs * sizeof(*ua)))
		err = -EFAULT;
	return err;
}

static int flatten_exchange(struct cfile *cf, struct owned_request *r, struct ib_uverbs_attr *ua,
			    uint64_t to)
{
	int rc = share_ioctl(cf, &r->req);
	int err;

	if (!rc)
		place_fds(r);
	err = attrs_out(r, ua, to);
	if (!rc && !err)
		r->req.nfds = 0; /* the program owns them now */
	return rc ? rc : err;
}

static int flatten_request(struct cfile *cf, void *arg)
{
	struct ib_uverbs_attr ua[REQUEST_ATTRS];
	struct ib_uverbs_ioctl_hdr h;
	uint64_t at = (uintptr_t)arg + sizeof(h);
	struct owned_request r;
	int err = header_in(&h, arg);

	if (err)
		return err;
	err = flatten_copy_in(ua, at, h.num_attrs * sizeof(ua[0]));
	if (err)
		return err;
	request_init(&r, h.object_id, h.method_id, h.driver_id);
	err = attrs_in(&r, ua, h.num_attrs);
	if (!err)
		err = flatten_exchange(cf, &r, ua, at);
	request_fini(&r);
	return err;
}

int flatten_ioctl(struct cfile *cf, int fd, unsigned long request, void *arg)
{
	int saved = errno, err;

	if (request != RDMA_VERBS_IOCTL || cf->cm)
		return -ENOTTY;
	err = client_claim(cf, fd, "ioctl");
	if (!err)
		err = flatten_request(cf, arg);
	errno = saved;
	return err;
}
