/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_ALIAS_H
#define SIM_OBJ_ALIAS_H

/*
 * Objects that are reached from other functions: the owner grants access by a key, and an object of
 * the other function, the alias, stands for the owner's. An alias has the type of what it stands for,
 * so that numbers of both are never equal, and nothing else of it; of mkeys it is a whole mkey.
 */
#include <stdbool.h>
#include <stdint.h>
#include "obj.h"

struct device;

/* An alias of a flow table, a TIR or a rule table. It does not keep its target. */
struct alias {
	struct obj o;
	const struct vhca *target;
	uint32_t index;
	uint64_t generation; /* of the target; 0: never resolves */
};

/* Returns the object that an alias stands for, or the object itself if it is none; NULL: the target is gone. */
void *alias_follow(void *obj);

/* Grants access (ALLOW_OTHER_VHCA_ACCESS): functions that know the key may alias this object. Returns 0 or -ENOMEM. */
int grant_set(const struct obj *, const uint8_t key[32]);
/*
 * Returns the object if this key grants access to it, else NULL. It takes the same time for each key,
 * also for objects that do not exist.
 */
const struct obj *grant_check(const struct vhca *target, enum obj_type, uint32_t index,
			      const uint8_t key[32]);
/* Withdraws the access, if there is any. */
void grant_drop(const struct obj *);
void grants_free(struct device *);

#endif
