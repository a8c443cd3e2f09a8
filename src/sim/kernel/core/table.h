/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include <stdint.h>

/* A table that gives out the lowest free number, as the kernel's xarray does. */
struct id_table {
	void **at;	 /* NULL: free */
	uint32_t n;	 /* size */
	uint32_t used;	 /* first number that was never given out */
	uint32_t *freed; /* freed numbers: a heap, lowest first, with room for all */
	uint32_t nfreed;
};
int id_table_add(struct id_table *, void *, uint32_t *number); /* 0 or -ENOMEM */
void *id_table_find(const struct id_table *, uint64_t number);
void id_table_del(struct id_table *, uint32_t number);
void id_table_free(struct id_table *);

#endif
