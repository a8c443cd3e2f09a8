/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a WQE that depend on more than its opcode. */
#ifndef DVX_PRM_EXPLAIN_WQE_H
#define DVX_PRM_EXPLAIN_WQE_H

#include "explain.h"

/*
 * Between control segment and operation there is nothing (RC, UC), an XRC segment, an address
 * vector (UD, DC) or an Ethernet segment (raw). Adds it to the parts; returns where the rest
 * begins.
 */
size_t wqe_address(struct finding *f, unsigned int opcode, size_t end);

/* Pointers and inline data, up to the WQE's end. */
void wqe_data(struct finding *f, size_t at, size_t end);

/* What a UMR puts into the mkey: KLM, KSM, MTT or strided entries, and signature descriptions. */
void wqe_translations(struct finding *f, size_t at, size_t end);

/* Bytes after the Ethernet segment that its inline header of n bytes takes. */
size_t wqe_header_rest(size_t n);

/* Whether the 16 bytes at `at` can be a pointer to memory: a key and a user address. */
bool wqe_is_pointer(const struct finding *f, size_t at);

#endif
