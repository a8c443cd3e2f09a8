/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"
#include "tools/cli/library.h"

#include <stdlib.h>
#include <sys/resource.h>

int device_fault(struct copy_fault *f, const char *what)
{
	return copy_fail(f, COPY_DEVICE, "%s: %s", what, library_says());
}

int device_open(struct copy_device **out, const char *name, struct copy_fault *f)
{
	struct copy_device *d = calloc(1, sizeof(*d));

	if (!d)
		return copy_fail(f, COPY_IO, "out of memory");
	if (dvx_dev_open(name, &d->dev)) {
		free(d);
		return copy_fail(f, COPY_IO, "%s", library_says());
	}
	if (dvx_pd_alloc(d->dev, &d->pd)) {
		device_fault(f, "making a protection domain");
		device_close(d);
		return -1;
	}
	*out = d;
	return 0;
}

void device_close(struct copy_device *d)
{
	if (!d)
		return;
	if (d->pd)
		dvx_pd_free(d->pd);
	dvx_dev_close(d->dev);
	free(d);
}

const char *device_name(const struct copy_device *d)
{
	return dvx_dev_name(d->dev);
}

int device_register(struct copy_device *d, const struct pool *p, uint32_t access,
		    struct dvx_mkey **out, struct copy_fault *f)
{
	struct dvx_mkey_attr a = {
		.size = sizeof(a), .access = access, .pd = d->pd, .addr = p->mem, .len = p->bytes};
	int err = dvx_mkey_create(d->dev, &a, out);
	struct rlimit lim;

	/* If the device refused a command, the kernel's limit is not the reason. */
	if (err == -ENOMEM && !dvx_last_error()->opcode && !getrlimit(RLIMIT_MEMLOCK, &lim) &&
	    lim.rlim_cur < p->bytes)
		return copy_fail(f, COPY_DEVICE,
				 "registering %zu MiB: only %llu KiB may be locked (ulimit -l)",
				 p->bytes >> 20, (unsigned long long)lim.rlim_cur >> 10);
	return err ? device_fault(f, "registering the pool") : 0;
}
