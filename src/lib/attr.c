/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include "priv.h"

/*
 * The caller's struct may be older than this library (shorter: the rest is 0, the default) or newer
 * (longer: unknown members must be 0, or the call would silently ignore them).
 */
int dvx_struct_copy(void *dst, size_t dst_size, const void *src, const char *call, const char *name)
{
	const uint8_t *bytes = src;
	uint32_t size;
	size_t i;

	if (!src)
		return dvx_fail(EINVAL, "%s: %s is NULL", call, name);
	memcpy(&size, src, sizeof(size));
	if (size < sizeof(size) || size > 4096)
		return dvx_fail(EINVAL, "%s: %s.size is %u, set it to sizeof(%s)", call, name, size,
				name);
	for (i = dst_size; i < size; i++)
		if (bytes[i])
			return dvx_fail(E2BIG, "%s: %s byte %zu is set, this libdvx knows only %zu",
					call, name, i, dst_size);
	memset(dst, 0, dst_size);
	memcpy(dst, src, size < dst_size ? size : dst_size);
	return 0;
}

int dvx_given(const char *call, ...)
{
	const char *name;
	va_list ap;
	bool given = true;

	va_start(ap, call);
	while (given && (name = va_arg(ap, const char *)))
		given = va_arg(ap, const void *) != NULL;
	va_end(ap);
	return given ? 0 : dvx_fail(EINVAL, "%s: %s is NULL", call, name);
}

int dvx_attr_copy(void *dst, size_t dst_size, const void *src, const char *call)
{
	return dvx_struct_copy(dst, dst_size, src, call, "attr");
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
