/* SPDX-License-Identifier: BSD-2-Clause */
/* The first device, and helpers that bring verbs queue pairs to RTS. */
#ifndef TESTS_VERBS_QP_H
#define TESTS_VERBS_QP_H

#include <infiniband/verbs.h>

/* Returns NULL without a device. */
struct ibv_context *verbs_open(void);
/*
 * Moves a queue pair of RC or XRC with this peer, or an initiator of DC (peer 0), from RST to RTS;
 * the peer has the port's GID of this index, and need not exist. Returns an errno.
 */
int verbs_qp_connect(struct ibv_qp *qp, uint32_t peer, uint8_t gid_index);
/* Connects an RC queue pair in RST to itself, by the port's GID of this index. Returns an errno. */
int verbs_qp_connect_self(struct ibv_qp *qp, uint8_t gid_index);
/* Moves a UD queue pair from RST to RTS. */
int verbs_qp_raise_ud(struct ibv_qp *qp, uint32_t qkey);
/*
 * Moves a raw packet queue pair from RST to RTR or RTS, at this port, or at the last one: the uplink
 * of an e-switch in switchdev mode.
 */
int verbs_qp_raise_at(struct ibv_qp *qp, uint8_t port, enum ibv_qp_state to);
int verbs_qp_raise(struct ibv_qp *qp, enum ibv_qp_state to);

#endif
