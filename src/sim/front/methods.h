/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_METHODS_H
#define SIM_FRONT_METHODS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The uverbs ABI as a table that both halves of the front read: which attributes a method has and
 * which way their bytes go. The client half flattens by it, the kernel half dispatches by it.
 */
enum attr_kind {
	ATTR_IN,     /* bytes in: inline when len <= 8, else behind the pointer */
	ATTR_OUT,    /* bytes out, behind the pointer */
	ATTR_IDR,    /* a handle, in or out, in data */
	ATTR_FD_IN,  /* an existing FD in data */
	ATTR_FD_OUT, /* a new FD, its number goes into data */
	ATTR_ENUM,   /* enum element, bytes behind it as ATTR_IN */
};

struct attr_spec {
	uint16_t id;
	uint8_t kind;
	bool mandatory;
	uint16_t min_len; /* of IN; 0: any */
};

struct kfile;
struct kreq;

struct method_spec {
	uint16_t object, method;
	const char *name;
	const struct attr_spec *attrs;
	uint8_t nattrs;
	int (*handler)(struct kfile *, struct kreq *); /* NULL where only the client half is linked */
};

const struct method_spec *method_find(uint16_t object, uint16_t method);
const struct attr_spec *method_attr(const struct method_spec *, uint16_t id);

#endif
