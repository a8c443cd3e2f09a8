/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_METHODS_H
#define SIM_FRONT_METHODS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The uverbs ABI as a table that both halves of the front read: which attributes a method has and
 * which way their bytes go. The client half flattens by it, the kernel half checks and dispatches
 * by it.
 */
enum attr_kind {
	ATTR_IN,     /* bytes in: inline when len <= 8, else behind the pointer */
	ATTR_OUT,    /* bytes out, behind the pointer */
	ATTR_IDR,    /* a handle, in or out, in data */
	ATTR_FD_IN,  /* an existing FD in data */
	ATTR_FD_OUT, /* a new FD, its number goes into data */
	ATTR_ENUM,   /* enum element, bytes behind it as ATTR_IN */
};

/* What a length above max_len means, as in the kernel's table. */
enum attr_tail {
	TAIL_EXACT,    /* EINVAL */
	TAIL_ZERO,     /* a newer structure: fine as long as the rest is zero (EOPNOTSUPP) */
	TAIL_ANY,      /* no upper limit */
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

struct kfile;
struct kreq;

/*
 * A method without attributes and with a NULL handler is known but not made by this device: it is
 * refused with EPROTONOSUPPORT, as a kernel does that was built without it. Its attributes need
 * no flattening.
 */
struct method_spec {
	uint16_t object, method;
	const char *name;
	const struct attr_spec *attrs;
	uint8_t nattrs;
	int (*handler)(struct kfile *, struct kreq *);
	bool before_context; /* allowed in a file that has no context yet */
};

const struct method_spec *method_find(uint16_t object, uint16_t method);
/* Whether any method is of this kind of object. */
bool method_object(uint64_t object);
/* NULL: the method does not know this attribute; optional ones are then ignored. */
const struct attr_spec *method_attr(const struct method_spec *, uint16_t id);

#endif
