/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_REQUEST_H
#define SIM_FRONT_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/kernel.h"

/*
 * A flattened request and all the memory it needs, in one piece. Both ends of the link build one:
 * the client from a program's ioctl, the server from a message.
 */
#define REQUEST_ATTRS 64	 /* a kernel method has fewer than 32 */
#define REQUEST_BYTES (1u << 20) /* of all attributes together */

struct request {
	struct kreq req;
	struct kattr attrs[REQUEST_ATTRS];
	uint8_t kind[REQUEST_ATTRS]; /* enum attr_kind, or REQUEST_UNKNOWN */
	uint8_t *bytes;
};
#define REQUEST_UNKNOWN 0xff

void request_init(struct request *, uint16_t object, uint16_t method, uint32_t driver);
/* Frees the memory and closes FDs that nobody took. */
void request_fini(struct request *);
/* How the method's table sees this attribute. */
uint8_t request_kind(const struct request *, uint16_t attr_id);
/* Bytes that an attribute carries behind its pointer: in for IN and ENUM, out for OUT; 0 if inline.
 */
uint32_t request_in_bytes(uint8_t kind, uint32_t len);
uint32_t request_out_bytes(uint8_t kind, uint32_t len);
/*
 * Space for everything, once all attributes have id, flags, len, data, enum_elem and kind: sets in
 * and out of each. -E2BIG beyond REQUEST_BYTES, -ENOMEM.
 */
int request_layout(struct request *);

#endif
