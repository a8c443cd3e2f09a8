/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PART_H
#define DVX_COPY_PART_H

#include "base/digest.h"
#include "dest.h"

/*
 * Parts: a large file is written under a name that the next copy of the same version finds. Name,
 * size and time do not prove that it is the same version, so the receiver offers the part to the
 * sender by sums of its blocks, and the sender answers how much of it equals the source's.
 */

/* Opens the part of a wanted file, or makes it. file->part is the number of bytes already there. */
void part_open(struct dest_file *file);

/*
 * Computes the sums of at most DIGEST_BLOCKS blocks of the part. Returns their bytes, 0 on failure.
 */
uint32_t part_sums(const struct dest_file *file, uint8_t *sums, struct alive *alive);

/*
 * Handles the sender's first piece: truncates the part to the length that the sender found right,
 * or to 0.
 */
int part_cut(struct dest_file *file, const struct msg_piece *p, struct copy_fault *f);

#endif
