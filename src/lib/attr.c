/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

/*
 * The caller's struct may be older than this library (shorter: the rest is 0, the default) or newer
 * (longer: unknown members must be 0, or the call would silently ignore them).
 */
int dvx_attr_copy(void *dst, size_t dst_size, const void *src, const char *call)
{
	const uint8_t *bytes = src;
	uint32_t size;
	size_t i;

	if (!src)
		return dvx_fail(EINVAL, "%s: attr is NULL", call);
	memcpy(&size, src, sizeof(size));
	if (size < sizeof(size) || size > 4096)
		return dvx_fail(EINVAL, "%s: attr.size is %u, set it to sizeof(attr)", call, size);
	for (i = dst_size; i < size; i++)
		if (bytes[i])
			return dvx_fail(E2BIG,
					"%s: attr byte %zu is set, this libdvx knows only %zu",
					call, i, dst_size);
	memset(dst, 0, dst_size);
	memcpy(dst, src, size < dst_size ? size : dst_size);
	return 0;
}

/* Rings are open structures, which the program's inline code and this library both write. */
int dvx_check_layout(uint32_t layout)
{
	if (layout == DVX_RING_LAYOUT)
		return 0;
	return dvx_fail(EPROTO, "the program was built for ring layout %u, this libdvx has %u",
			layout, DVX_RING_LAYOUT);
}

void dvx_ref(int *refs)
{
	__atomic_add_fetch(refs, 1, __ATOMIC_RELAXED);
}

void dvx_unref(int *refs)
{
	__atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL);
}

bool dvx_in_use(const int *refs)
{
	return __atomic_load_n(refs, __ATOMIC_ACQUIRE) != 0;
}
