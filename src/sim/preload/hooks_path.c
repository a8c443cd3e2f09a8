/* SPDX-License-Identifier: BSD-2-Clause */
/* The hooks that pass another path to libc, or refuse: made from the table. */
#include "hooks.h"
#include "paths.h"
#include "real.h"

#define HOOK(result, failure, function, params, args, dir, use)   \
	result function params                                    \
	{                                                         \
		struct path_place place;                          \
		const char *to = path_to(dir, path, use, &place); \
                                                                  \
		if (place.kind == PLACE_REFUSED)                  \
			return failure;                           \
		return real()->function args;                     \
	}
HOOKS_PATH(HOOK)
#undef HOOK

#define HOOK(function, params, args, from_dir, to_dir)                               \
	int function params                                                          \
	{                                                                            \
		struct path_place from_place, place;                                 \
		const char *was = path_to(from_dir, from, PATH_CHANGE, &from_place); \
		const char *to = path_to(to_dir, path, PATH_MAKE, &place);           \
                                                                                     \
		if (from_place.kind == PLACE_REFUSED || place.kind == PLACE_REFUSED) \
			return -1;                                                   \
		return real()->function args;                                        \
	}
HOOKS_PATHS(HOOK)
#undef HOOK
