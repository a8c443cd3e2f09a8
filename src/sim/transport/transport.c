/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport.h"

static const struct transport *const transports[] = {
	&transport_rc,	&transport_uc,	&transport_ud,	   &transport_xrc,
	&transport_dci, &transport_qp1, &transport_reg_umr};

const struct transport *transport_find(uint8_t st)
{
	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (transports[i]->st == st)
			return transports[i];
	return NULL;
}
