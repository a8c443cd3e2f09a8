/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WAY_H
#define DVX_COPY_WAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The way that bytes take from the source's pool into the receiver's: through an alias and the DMA
 * engine inside one chip, or by RDMA READ over a connection of two queue pairs. The receiver offers
 * what it can do; the source chooses, and opens its pool for that way only.
 */
enum way {
	WAY_NONE,
	WAY_ALIAS,
	WAY_RC,
};

enum way_flag {
	WAY_EXPORTS = 1, /* lets other functions use its memory keys */
	WAY_IMPORTS = 2, /* uses memory keys of other functions */
	WAY_MMO = 4,	 /* has a DMA engine */
	WAY_CONNECTS = 8,
	WAY_ONLY_RC = 16,  /* --via rc */
	WAY_ONLY_DMA = 32, /* --via dma */
};

/* The abilities of one end. */
struct way_end {
	uint8_t flags;
	uint16_t vhca;
	/*
	 * sys_image_guid, 0 if it can't be read. [I] that all functions of one chip have the same one,
	 * a host's and its DPU's, and those of two chips differ.
	 */
	uint64_t chip;
};
#define WAY_END_BYTES 11u

/* The reason for the choice. It travels in the ticket as a number. */
enum way_why {
	WHY_ONE_CHIP,
	WHY_ASKED,
	WHY_NO_MMO,
	WHY_NO_IMPORT,
	WHY_NO_EXPORT,
	WHY_CHIPS,
	WHY_FUNCTION,
	WHY_TYPES,
};

enum way way_choose(const struct way_end *source, const struct way_end *receiver,
		    enum way_why *why);

/* Returns the reason as text: "the ends are on two chips". */
const char *way_reason(enum way_why why);

void way_end_put(uint8_t to[WAY_END_BYTES], const struct way_end *e);
void way_end_get(struct way_end *e, const uint8_t from[WAY_END_BYTES]);

#endif
