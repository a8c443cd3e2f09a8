/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports every inline function of the hot path as a symbol, too: for languages that can't read C
 * headers, and for the test that counts their instructions.
 */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#define DVX_INLINE
#include <dvx/dvx.h>
