/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

/* Ones in the lowest n bits. */
static uint64_t flow_range_low(unsigned int n)
{
	return n >= 64 ? UINT64_MAX : (1ull << n) - 1;
}

/* The largest aligned block that begins at first and does not reach beyond last. */
static unsigned int block(uint64_t first, uint64_t last, unsigned int width)
{
	unsigned int n = 0;

	while (n < width && !(first & flow_range_low(n + 1)) &&
	       (first | flow_range_low(n + 1)) <= last)
		n++;
	return n;
}

size_t dvx_flow_range(uint64_t first, uint64_t last, unsigned int width,
		      struct dvx_flow_prefix *out, size_t max)
{
	size_t count = 0;
	unsigned int n;

	if (!width || width > 64 || last > flow_range_low(width) || first > last)
		return 0;
	for (;;) {
		n = block(first, last, width);
		if (count < max)
			out[count] = (struct dvx_flow_prefix){first, flow_range_low(width) &
									     ~flow_range_low(n)};
		count++;
		if ((first | flow_range_low(n)) == last)
			return count;
		first = (first | flow_range_low(n)) + 1;
	}
}
