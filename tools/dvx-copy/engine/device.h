/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ENGINE_DEVICE_H
#define DVX_COPY_ENGINE_DEVICE_H

#include <dvx/dvx.h>

#include "engine.h"
#include "way.h"

/* The device, for the files of engine/, the only ones that use libdvx. */
struct copy_device {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_channel *watch; /* a server's, for the loss of the device; without a CQ */
	struct way_end end; /* what this end can do */
};

#define DEVICE_PORT 1 /* the port of connections */

/* Fails with "<doing what>: <libdvx's error>". */
int device_fault(struct copy_fault *f, const char *what);

/* Registers a pool. The message names the limit of locked memory if that is the reason. */
int device_register(struct copy_device *d, const struct pool *p, uint32_t access,
		    struct dvx_mkey **out, struct copy_fault *f);

#endif
