/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad.h"

#include <string.h>
#include "cm.h"

enum { MAD_VERSION = 1, MAD_CLASS_CM = 7, MAD_CM_VERSION = 2, MAD_METHOD_SEND = 3 };

uint64_t mad_get(const uint8_t *mad, uint32_t f)
{
	unsigned int bit = f >> 8, width = f & 0xff;
	uint64_t value = 0;

	for (unsigned int i = bit; i < bit + width; i++)
		value = value << 1 | (mad[i / 8] >> (7 - i % 8) & 1);
	return value;
}

void mad_set(uint8_t *mad, uint32_t f, uint64_t value)
{
	unsigned int bit = f >> 8, width = f & 0xff;

	for (unsigned int i = bit + width; i-- > bit; value >>= 1) {
		uint8_t mask = (uint8_t)(0x80u >> i % 8);

		mad[i / 8] = (uint8_t)((mad[i / 8] & ~mask) | (value & 1 ? mask : 0));
	}
}

void mad_begin(uint8_t *mad, unsigned int attribute, uint64_t tid)
{
	memset(mad, 0, CM_MAD_BYTES);
	mad_set(mad, MAD_BASE_VERSION, MAD_VERSION);
	mad_set(mad, MAD_CLASS, MAD_CLASS_CM);
	mad_set(mad, MAD_CLASS_VERSION, MAD_CM_VERSION);
	mad_set(mad, MAD_METHOD, MAD_METHOD_SEND);
	mad_set(mad, MAD_ATTRIBUTE, attribute);
	mad_set(mad, MAD_TID, tid);
}
