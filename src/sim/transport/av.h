/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_AV_H
#define SIM_TRANSPORT_AV_H

#include <stdint.h>
#include <dvx/prm/wqe.h>
#include "port/roce.h"

struct queue;
struct send_wr;
struct vhca;

/* Address vectors, which stand behind the control segment of a WQE with a destination of its own.
 */
#define AV_UNITS   (PRM_AV_BYTES / 16) /* wqe_row.head */
#define AV_ADDRESS 12u /* before it: Q_Key or DC key, and the destination's number */

const uint8_t *av_of(const struct send_wr *);
/* A vector that this function can't use ends the request, wr->error. */
void av_check(const struct queue *, struct send_wr *);
/* The way to where it leads. */
void av_path(struct vhca *, const uint8_t *av, struct roce_path *);

#endif
