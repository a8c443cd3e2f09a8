/* SPDX-License-Identifier: BSD-2-Clause */
/* Rule files as access lists have them: the shapes of ClassBench's seeds, and mixed lines. */
#ifndef TESTS_ACL_SETS_H
#define TESTS_ACL_SETS_H

#include <stdbool.h>

#include "rules/map.h"
#include "flow_random.h"

enum acl_shape { ACL_SHAPE, FW_SHAPE, IPC_SHAPE, MIXED_SHAPE, HOSTILE_SHAPE, ACL_SHAPES };

/* Returns a text that depends on the arguments alone and has no rule twice. The caller frees it. */
char *acl_set_text(enum acl_shape shape, size_t rules, uint64_t seed);

#endif
