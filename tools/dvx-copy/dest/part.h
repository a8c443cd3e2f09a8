/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PART_H
#define DVX_COPY_PART_H

#include "base/digest.h"
#include "dest.h"

/*
 * A large file is written under a name that the next copy of the same version finds. Name, size and time are no proof
 * that it is the same version: what is there is offered to the sender by sums of its blocks, and the sender says how
 * much of it is the source's.
 */
#define PART_LEAST (4u << 20) /* bytes: a smaller file is sent again */

/* Takes up or begins the temporary of a file that is wanted. file->part: how much of it is there. */
void part_open(struct dest_file *file);

/* The sums of what is there, for DIGEST_BLOCKS blocks at most; their bytes, 0 if they can't be had. */
uint32_t part_sums(const struct dest_file *file, uint8_t *sums, struct alive *alive);

/* The sender's first piece: the part is cut to what it says is the source's, else to nothing. */
int part_cut(struct dest_file *file, const struct msg_piece *p, struct copy_fault *f);

#endif
