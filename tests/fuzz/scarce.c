/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of uverbs.c on a device that is short of memory: of what it asks for while it makes
 * something or runs packets, some is refused. Nothing crashes, leaks, or is called a bug. (The
 * linker's --wrap puts these between the device and libc.)
 */
#include "uverbs.h"

#include "chip/datapath.h"
#include "port/port.h"
#include "queue/queue.h"

#define ONE_IN 12u

static unsigned int serving;

static bool refused(void)
{
	return serving && fuzz_more() && !any(ONE_IN);
}

void *__real_malloc(size_t);
void *__wrap_malloc(size_t);
void *__wrap_malloc(size_t n)
{
	return refused() ? NULL : __real_malloc(n);
}

void *__real_calloc(size_t, size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_calloc(size_t n, size_t size)
{
	return refused() ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_realloc(void *p, size_t n)
{
	return refused() ? NULL : __real_realloc(p, n);
}

void *__real_reallocarray(void *, size_t, size_t);
void *__wrap_reallocarray(void *, size_t, size_t);
void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return refused() ? NULL : __real_reallocarray(p, n, size);
}

/* --- when the device works ------------------------------------------------------------------- */

/*
 * A new table of the kernel's chain, or one that goes, has entries of others written anew: what can't
 * be told to firmware then is only logged, as by mlx5_core.
 */
static bool may_relink(const struct request *r)
{
	return r->req.object == UVERBS_OBJECT_FLOW || r->req.object == UVERBS_OBJECT_DEVICE ||
	       r->req.object == MLX5_IB_OBJECT_STEERING_ANCHOR;
}

int __real_rq_run(struct fx *, struct request *);
int __wrap_rq_run(struct fx *, struct request *);
int __wrap_rq_run(struct fx *fx, struct request *r)
{
	int err;

	if (may_relink(r))
		return __real_rq_run(fx, r);
	serving++;
	err = __real_rq_run(fx, r);
	serving--;
	return err;
}

bool __real_datapath_run(struct device *);
bool __wrap_datapath_run(struct device *);
bool __wrap_datapath_run(struct device *dev)
{
	bool did;

	serving++;
	did = __real_datapath_run(dev);
	serving--;
	return did;
}

int __real_port_inject(struct port *, const void *, size_t);
int __wrap_port_inject(struct port *, const void *, size_t);
int __wrap_port_inject(struct port *port, const void *bytes, size_t len)
{
	int err;

	serving++;
	err = __real_port_inject(port, bytes, len);
	serving--;
	return err;
}

void __real_queue_doorbell(void *, uint32_t, uint32_t, uint64_t);
void __wrap_queue_doorbell(void *, uint32_t, uint32_t, uint64_t);
void __wrap_queue_doorbell(void *device, uint32_t uar, uint32_t offset, uint64_t value)
{
	serving++;
	__real_queue_doorbell(device, uar, offset, value);
	serving--;
}
