/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WAY_H
#define DVX_COPY_WAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * How bytes get from the source's pool into the receiver's: through an alias and the DMA engine
 * inside one chip, or by RDMA READ over a connection of two queue pairs. The receiver says what it can
 * do (its offer); the source chooses, and opens its pool that way alone.
 */
enum way {
	WAY_NONE,
	WAY_ALIAS,
	WAY_RC,
};

enum way_flag {
	WAY_EXPORTS = 1, /* lets other functions use its memory keys */
	WAY_IMPORTS = 2, /* uses those of others */
	WAY_MMO = 4,	 /* has a DMA engine */
	WAY_CONNECTS = 8,
	WAY_ONLY_RC = 16,  /* --via rc */
	WAY_ONLY_DMA = 32, /* --via dma */
};

/* What an end says of itself. */
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

/* Why it is that way: it travels in the ticket as a number. */
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

/* "the ends are on two chips" */
const char *way_reason(enum way_why why);

void way_end_put(uint8_t to[WAY_END_BYTES], const struct way_end *e);
void way_end_get(struct way_end *e, const uint8_t from[WAY_END_BYTES]);

#endif
