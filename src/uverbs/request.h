/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_REQUEST_H
#define UVERBS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "schema.h"

/*
 * One ioctl(RDMA_VERBS_IOCTL), flattened. Attributes come in the program's order. in/len hold the
 * bytes an attribute carries (the 8 inline ones, or what its pointer points to, according to
 * schema.h). A FD that the program passes in comes as the inode number of that FD (a pipe's two
 * ends share it). Output goes to `out` (len bytes, allocated by the caller) with `written` set; a
 * FD that goes out is appended to fds[] and named by its attribute (and off: where in that
 * attribute's output its number belongs).
 */
struct uverbs_attr {
	uint16_t id;
	uint16_t flags; /* UVERBS_ATTR_F_* */
	uint32_t len;	/* the program's value */
	uint64_t data;	/* the 8 inline bytes: a handle, an enum element, a small value */
	uint8_t enum_elem;
	uint8_t kind;	   /* enum attr_kind */
	bool valid_output; /* kernel sets UVERBS_ATTR_F_VALID_OUTPUT */
	uint32_t written;
	const uint8_t *in; /* len bytes; == &data for inline input */
	uint8_t *out;
};

/*
 * Pages that the server asks the program to move to a memfd, and to pass that by kernel_share(); or
 * to take back, when the device no longer uses its mapping of them. The program may decline: the
 * device can access its memory in another way. Pages to take back come first.
 */
struct uverbs_share {
	uint64_t va, len;
	enum uverbs_share_what {
		UVERBS_SHARE_BACK,
		UVERBS_SHARE_RING,
		UVERBS_SHARE_DATA, /* a region: other threads of the program may use it */
	} what;
};

/* The longest memory that is treated as a ring. */
#define UVERBS_SHARE_RING_MOST (64u << 20)

#define UVERBS_REQUEST_FDS    4
#define UVERBS_REQUEST_SHARES 8
struct uverbs_request {
	uint16_t object, method;
	const struct method_spec *spec; /* NULL: an unknown method */
	uint32_t driver;
	unsigned int nshares;
	struct uverbs_share shares[UVERBS_REQUEST_SHARES];
	unsigned int nattrs;
	struct uverbs_attr *attrs;
	unsigned int nfds;
	struct {
		int fd;		   /* owned by the request once set */
		unsigned int attr; /* index in attrs */
		unsigned int off;  /* in out, or in data if the attribute is itself a FD */
	} fds[UVERBS_REQUEST_FDS];
};

/*
 * A request with all the memory it needs. Both ends of the socket build one: the program's side
 * from an ioctl, the server from a message.
 */
#define REQUEST_ATTRS 64	 /* a kernel method has fewer than 32 */
#define REQUEST_BYTES (1u << 20) /* of all attributes together */

struct owned_request {
	struct uverbs_request req;
	struct uverbs_attr attrs[REQUEST_ATTRS];
	uint8_t *bytes;
};

void request_init(struct owned_request *, uint16_t object, uint16_t method, uint32_t driver);
/* Frees the memory and closes FDs that were not taken. */
void request_fini(struct owned_request *);
/* Return the bytes behind an attribute's pointer: in for IN and ENUM, out for OUT; 0 if inline. */
uint32_t request_in_bytes(const struct uverbs_attr *);
uint32_t request_out_bytes(const struct uverbs_attr *);
/*
 * Allocates memory for a request whose attributes have id, flags, len, data and enum_elem: sets
 * kind, in and out of each. -E2BIG: more than REQUEST_BYTES; -ENOMEM.
 */
int request_layout(struct owned_request *);

#endif
