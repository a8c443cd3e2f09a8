/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include "priv.h"

static const struct {
	uint32_t size;
	uint32_t spare, spare_bytes; /* offset and size of the member `reserved` */
} attr_shapes[] = {
#define ATTR_SPARE(type)                                                           \
	[DVX_ATTR_##type] = {sizeof(struct type), offsetof(struct type, reserved), \
			     sizeof(((struct type *)0)->reserved)},
#define ATTR_FULL(type) [DVX_ATTR_##type] = {sizeof(struct type), 0, 0},
	DVX_ATTRS(ATTR_SPARE, ATTR_FULL)};

/* Returns whether `len` bytes are 0. */
static bool attr_is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

/*
 * The caller's struct may be older than this library (shorter: the rest is 0, the default) or newer
 * (longer: unknown members must be 0, or the call would silently ignore them).
 */
int dvx_struct_copy_as(enum dvx_attr_type type, void *dst, const void *src, const char *call,
		       const char *name)
{
	const size_t dst_size = attr_shapes[type].size;
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
	return attr_is_zero((uint8_t *)dst + attr_shapes[type].spare, attr_shapes[type].spare_bytes)
		       ? 0
		       : dvx_fail(E2BIG,
				  "%s: %s.reserved is not 0, this libdvx knows no member there",
				  call, name);
}

int dvx_check_not_null(const char *call, ...)
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

uint32_t dvx_version(void)
{
	return DVX_VERSION;
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
