/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

WATCH_HOOK int ibv_destroy_ah(struct ibv_ah *ah)
{
	const struct watch_place here = WATCH_HERE();

	watch_search(&(struct watch_search){
		.context = ah->context, .ah = ah, .kind = CHECK_AH, .place = &here});
	return WATCH_REAL(ibv_destroy_ah)(ah);
}
