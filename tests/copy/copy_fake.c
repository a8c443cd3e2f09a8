/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces tools/dvx-copy/engine/ in tests of the protocol and of files: process_vm_readv() moves
 * the bytes instead of a device. Never shipped.
 */
#include "copy_fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/engine.h"

uint32_t copy_fake_max = 1u << 20;
unsigned int copy_fake_corrupt, copy_fake_fails;

#define RING 64u

struct copy_device {
	int unused;
};

struct copy_engine {
	struct copy_fake_ticket remote;
	const struct pool *local;
	uint32_t done[RING], from, n;
	int fd;
};

int device_open(struct copy_device **d, const char *name, struct copy_fault *f)
{
	(void)name;
	*d = calloc(1, sizeof(**d));
	return *d ? 0 : copy_fail(f, COPY_DEVICE, "no memory");
}

void device_close(struct copy_device *d)
{
	free(d);
}

const char *device_name(const struct copy_device *d)
{
	(void)d;
	return "fake";
}

int export_make(struct export **e, struct copy_device *d, const struct pool *p,
		const struct ticket *offer, struct ticket *t, struct copy_fault *f)
{
	struct copy_fake_ticket ticket = {.pid = getpid(), .mem = p->mem};

	(void)d;
	(void)offer;
	(void)f;
	*e = NULL;
	memcpy(t->bytes, &ticket, sizeof(ticket));
	t->n = sizeof(ticket);
	return 0;
}

void export_free(struct export *e)
{
	(void)e;
}

int engine_offer(struct copy_engine **out, struct copy_device *d, struct ticket *offer,
		 struct copy_fault *f)
{
	(void)d;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return copy_fail(f, COPY_IO, "out of memory");
	(*out)->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	offer->bytes[0] = 0;
	offer->n = 1;
	return 0;
}

int engine_make(struct copy_engine *e, const struct pool *local, const struct ticket *t,
		struct copy_fault *f)
{
	if (t->n != sizeof(e->remote))
		return copy_fail(f, COPY_PROTOCOL, "the server sent a ticket that can't be read");
	memcpy(&e->remote, t->bytes, sizeof(e->remote));
	e->local = local;
	return 0;
}

const char *export_rc_reason(const struct export *e)
{
	(void)e;
	return NULL;
}

const char *engine_rc_reason(const struct copy_engine *e)
{
	(void)e;
	return NULL;
}

void engine_free(struct copy_engine *e)
{
	if (e)
		close(e->fd);
	free(e);
}

uint32_t engine_max(const struct copy_engine *e)
{
	(void)e;
	return copy_fake_max;
}

int engine_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len,
		struct copy_fault *f)
{
	struct iovec to = {e->local->mem + off, len}, from = {e->remote.mem + off, len};

	if (e->n == RING)
		return 0;
	if (len > copy_fake_max ||
	    process_vm_readv(e->remote.pid, &to, 1, &from, 1, 0) != (ssize_t)len)
		return copy_fail(f, COPY_DEVICE, "the fake could not copy: %s", strerror(errno));
	if (copy_fake_corrupt && !--copy_fake_corrupt)
		e->local->mem[off + len / 2] ^= 1;
	e->done[(e->from + e->n++) % RING] = cookie;
	return 1;
}

void engine_ring(struct copy_engine *e)
{
	(void)e;
}

int engine_poll(struct copy_engine *e, uint32_t *cookie, struct copy_fault *f)
{
	if (!e->n)
		return 0;
	if (copy_fake_fails && !--copy_fake_fails)
		return copy_fail(f, COPY_DEVICE, "the fake's copy ended with an error");
	*cookie = e->done[e->from];
	e->from = (e->from + 1) % RING;
	e->n--;
	return 1;
}

int engine_fd(const struct copy_engine *e)
{
	return e->fd;
}

int engine_arm(struct copy_engine *e, struct copy_fault *f)
{
	(void)e;
	(void)f;
	return 0;
}
