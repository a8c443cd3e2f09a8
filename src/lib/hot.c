/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every inline function of the hot path once more, as a symbol: for languages that can't read C
 * headers, and for the test that counts their instructions.
 */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#define DVX_INLINE
#include <dvx/dvx.h>
