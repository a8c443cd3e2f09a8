/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_STAT_H
#define SIM_BASE_STAT_H

#include <stdint.h>

/* Counts of the messages of one class of one queue, which lab/stat.c keeps (doc/design/0102). */
enum stat_class {
	STAT_SEND,
	STAT_WRITE,
	STAT_READ,
	STAT_ATOMIC,
	STAT_DATAGRAM,
	STAT_RAW,
	STAT_LOCAL, /* UMR, NOP and other requests that send nothing */
	STAT_RECEIVE,
	STAT_CLASSES,
	STAT_DEVICE = STAT_CLASSES, /* one row of the device: enum stat_device */
};

/* Bytes that were moved by DMA, and the pieces of at most this size that they fall into. */
enum stat_dma { STAT_DMA_BYTES, STAT_DMA_MPS, STAT_DMA_MRRS, STAT_DMA_LINES, STAT_DMA };

enum stat_count {
	STAT_MESSAGES, /* WQEs or receive entries */
	STAT_BLOCKS,   /* 64 bytes of a send ring */
	STAT_SMALL,    /* WQEs that fit into a BlueFlame register */
	STAT_INLINED,
	STAT_SIGNALED,
	STAT_BYTES,			    /* of the messages */
	STAT_ENTRIES,			    /* bytes of receive entries */
	STAT_HERE,			    /* enum stat_dma: data segments */
	STAT_TARGET = STAT_HERE + STAT_DMA, /* likewise: memory behind the remote key */
	STAT_CQES = STAT_TARGET + STAT_DMA,
	STAT_CQE_BYTES,
	STAT_ERRORS, /* error CQEs */
	STAT_RNR,
	STAT_RNR_NS, /* that RNR NAKs asked to wait */
	STAT_RETRIES,
	STAT_COUNTS,
};

enum stat_device {
	STAT_EVENTS,  /* EQEs */
	STAT_WINDOWS, /* runs of 1000 sends; the sums of what is distinct in each */
	STAT_QUEUES,
	STAT_KEYS,
	STAT_PAGES,
};

struct stat_row {
	char function[8];
	char object[8]; /* "qp", "sq", "cq"...; empty: of several */
	uint64_t guid;	/* of the function's node */
	uint32_t id;
	uint32_t class;
	uint64_t n[STAT_COUNTS];
};

/* The sizes that DMA falls into. */
struct stat_pcie {
	uint32_t mps, mrrs;
};

#endif
