/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw packets into receive queues. */
#include "priv.h"
#include "obj/tir.h"
#include "steer/packet.h"

void dp_receive(struct tir *tir, const struct packet *p)
{
	(void)p;
	tir->o.vhca->raw.out_of_buffer++;
}
