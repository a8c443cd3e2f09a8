/* SPDX-License-Identifier: BSD-2-Clause */
/* Every field of a structure, nested ones by path, with its bytes. */
#ifndef DVX_PRM_WALK_H
#define DVX_PRM_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/prm/reflect.h"

#define WALK_PATH 256

struct walk_leaf {
	const char *path;
	const struct prm_field *f;
	uint64_t bit;	/* from the outermost structure's beginning */
	uint64_t width; /* all bytes of a byte array together */
	bool raw;	/* plain bytes: no value */
	bool set;	/* something in it is not 0 */
	uint64_t value;
};

/* Returns nonzero to stop. */
typedef int walk_fn(const struct walk_leaf *leaf, void *ctx);

/*
 * Fields of the alternatives in use, as far as len bytes reach; at most WALK_MOST of them, since
 * arrays without an end follow the length of the bytes.
 */
#define WALK_MOST 200000
int walk(const struct prm_struct *s, const uint8_t *p, size_t len, walk_fn *fn, void *ctx);

/* len bytes in which each bit of a field in use is set; the caller frees them. NULL: no memory. */
uint8_t *walk_cover(const struct prm_struct *s, const uint8_t *p, size_t len);

/* Bits that are set but belong to no field in use, as runs; len may exceed the structure. */
struct stray {
	uint64_t bit;
	unsigned int width; /* up to 64 */
	uint64_t value;
};

/* Writes up to max of them and returns how many there are; *set becomes the number of bits. */
size_t walk_strays(const struct prm_struct *s, const uint8_t *p, size_t len, struct stray *out,
		   size_t max, size_t *set);

/* Bytes that the structure has; one that ends in an open array has all. */
size_t walk_extent(const struct prm_struct *s, size_t len);

#endif
