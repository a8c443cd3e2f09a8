/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RAW_RAW_H
#define SIM_TRANSPORT_RAW_RAW_H

struct packet;
struct tir;

/* A packet that steering gives to a TIR: hashed, received, or counted as lost. */
void raw_receive(struct tir *, const struct packet *);

#endif
