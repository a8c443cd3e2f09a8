/* SPDX-License-Identifier: BSD-2-Clause */
/* Visits every field of a structure, nested ones by path, with its bytes. */
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
	uint64_t bit;	/* counted from the start of the outermost structure */
	uint64_t width; /* of a byte array: of all its bytes */
	bool raw;	/* a byte array, without a value */
	bool set;	/* not all of its bits are 0 */
	uint64_t value;
};

/* A callback. It returns nonzero to stop. */
typedef int walk_fn(const struct walk_leaf *leaf, void *ctx);

/*
 * Visits the fields of the alternatives in use, as far as len bytes reach, at most WALK_MOST:
 * arrays without an end grow with the bytes.
 */
#define WALK_MOST 200000
int walk(const struct prm_struct *s, const uint8_t *p, size_t len, walk_fn *fn, void *ctx);

/* Returns len bytes with all bits of fields in use set, to be freed. NULL: no memory. */
uint8_t *walk_cover(const struct prm_struct *s, const uint8_t *p, size_t len);

/* A run of set bits that belong to no field in use; len may exceed the structure. */
struct stray {
	uint64_t bit;
	unsigned int width; /* up to 64 */
	uint64_t value;
};

/* Writes up to max runs, and returns how many there are; *set becomes the number of bits. */
size_t walk_strays(const struct prm_struct *s, const uint8_t *p, size_t len, struct stray *out,
		   size_t max, size_t *set);

/* Returns the structure's length; if it ends in an open array, len. */
size_t walk_extent(const struct prm_struct *s, size_t len);

#endif
