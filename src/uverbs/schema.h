/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_SCHEMA_H
#define UVERBS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The uverbs ABI as a table: the attributes of each method, and the direction of their bytes. The
 * program's side flattens requests by it, the kernel's side checks them by it. The kernel's side
 * has tables of handlers.
 */
enum attr_kind {
	ATTR_UNKNOWN, /* not an attribute of the method */
	ATTR_IN,     /* bytes in: inline when len <= 8, else behind the pointer */
	ATTR_OUT,    /* bytes out, behind the pointer */
	ATTR_IDR,    /* a handle, in or out, in data */
	ATTR_FD_IN,  /* an existing FD in data */
	ATTR_FD_OUT, /* a new FD, its number goes into data */
	ATTR_ENUM,   /* enum element, bytes behind it as ATTR_IN */
};

/* Treatment of a length above max_len, as in the kernel's table. */
enum attr_tail {
	TAIL_EXACT, /* EINVAL */
	TAIL_ZERO,  /* a newer structure: fine as long as the rest is zero (EOPNOTSUPP) */
	TAIL_ANY,   /* no upper limit */
};

struct attr_spec {
	uint16_t id;
	const char *name;
	uint8_t kind;
	bool mandatory;
	uint16_t min_len; /* of IN and OUT; 0: any */
	uint16_t max_len;
	uint8_t tail;
};

/*
 * A method. If `absent`, this device does not implement it: requests fail with EPROTONOSUPPORT, as
 * in a kernel that was built without it, and the row has no attributes.
 */
struct method_spec {
	uint16_t object, method;
	const char *name;
	const struct attr_spec *attrs;
	uint8_t nattrs;
	bool absent;
};

/* All rows. */
extern const struct method_spec uverbs_methods[];
extern const size_t uverbs_nmethods;

const struct method_spec *method_find(uint16_t object, uint16_t method);
/* Tells whether this kind of object has any method. */
bool method_object(uint64_t object);
/* Finds an attribute's row; NULL: the method has none, and ignores the attribute if optional. */
const struct attr_spec *method_attr(const struct method_spec *, uint16_t id);
/* Returns an enum attr_kind; method NULL: ATTR_UNKNOWN. */
uint8_t method_attr_kind(const struct method_spec *, uint16_t id);

/* A method that the headers of the build lack; rdma-core 65 calls it. */
enum { UVERBS_METHOD_QUERY_PORT_SPEED = 7 };
enum { UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM, UVERBS_ATTR_QUERY_PORT_SPEED_RESP };

#endif
