/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the readers of a dump's records. */
#ifndef DVX_FLOW_DUMP_H
#define DVX_FLOW_DUMP_H

#include "tables.h"

#define FIELDS_MAX 80 /* a rewrite has 8, and its list */

struct dump_reader {
	struct steering *d;
	struct dump_error *err;
	uint32_t line, type;
	const char *field[FIELDS_MAX];
	size_t len[FIELDS_MAX];
	unsigned int n;
};

/* Returns the last row of an array, NULL: there is none. */
#define LAST(r, rows, count) ((r)->d->count ? &(r)->d->rows[(r)->d->count - 1] : NULL)
#define GROW(r, rows, count) STEERING_GROW((r)->d->rows, (r)->d->count)

/* Sets the error of this line. Returns -EINVAL. */
int __attribute__((format(printf, 2, 3))) dump_wrong(struct dump_reader *r, const char *fmt, ...);
/* Reads a field as a number of 32 bits. */
bool dump_number32(const struct dump_reader *r, unsigned int at, uint32_t *v);
/* Returns whether the record names this row: rows begin with their ID. */
bool dump_is_of(const struct dump_reader *r, unsigned int at, const void *row);

/* dump_hardware.c: an action template, a matcher's key, and a piece of it */
int dump_template(struct dump_reader *r);
int dump_key(struct dump_reader *r);
int dump_move(struct dump_reader *r);

#endif
