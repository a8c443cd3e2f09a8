/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"

#include <stdlib.h>

struct export
{
	struct dvx_mkey *mkey;
};

/* The pool is read-only: a copy out of it needs only local read, which every mkey grants.
 */
#define POOL_ACCESS 0 /* [I] that an alias used as a copy's source needs no remote right */

int export_check(const struct copy_device *d, struct copy_fault *f)
{
	if (dvx_dev_caps(d->dev)->mkey_export)
		return 0;
	return copy_fail(f, COPY_DEVICE, "device %s lets no other function use its memory keys",
			 device_name(d));
}

int export_make(struct export **out, struct copy_device *d, const struct pool *p, struct ticket *t,
		struct copy_fault *f)
{
	struct dvx_ticket plain;
	struct export *e;

	e = calloc(1, sizeof(*e));
	if (!e)
		return copy_fail(f, COPY_IO, "out of memory");
	if (device_register(d, p, POOL_ACCESS, &e->mkey, f)) {
		free(e);
		return -1;
	}
	if (dvx_mkey_export(e->mkey, &plain)) {
		device_fault(f, "exporting the pool");
		export_free(e);
		return -1;
	}
	dvx_ticket_encode(&plain, t->bytes);
	t->n = DVX_TICKET_BYTES;
	dvx_ticket_wipe(&plain);
	*out = e;
	return 0;
}

/* From now on the client's alias faults. */
void export_free(struct export *e)
{
	if (!e)
		return;
	dvx_mkey_destroy(e->mkey);
	free(e);
}
