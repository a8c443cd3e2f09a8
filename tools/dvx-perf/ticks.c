/* SPDX-License-Identifier: BSD-2-Clause */
#include "ticks.h"

double ticks_to_ns(void)
{
	uint64_t ns0 = ticks_now_ns(), t0 = ticks(), ns1, t1;

	do {
		ns1 = ticks_now_ns();
		t1 = ticks();
	} while (ns1 - ns0 < 20000000);
	return (double)(ns1 - ns0) / (double)(t1 - t0);
}
