/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads one line of a dump. */
#ifndef DVX_PRM_HEXROW_H
#define DVX_PRM_HEXROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_kind {
	ROW_EMPTY,
	ROW_TEXT,  /* not a dump: text of a log or a person */
	ROW_DATA,  /* bytes, maybe an offset before them */
	ROW_STAR,  /* "*": the previous row repeats */
	ROW_LONE,  /* a single offset or word; the lines around it decide which */
	ROW_WRONG, /* meant to be hex, but not all of it is */
};

enum radix { RADIX_HEX, RADIX_OCT, RADIX_DEC, RADIXES };

#define ROW_NO_OFFSET UINT64_MAX

struct hexrow {
	enum row_kind kind;
	bool colon;		  /* the offset ends in a colon, so the bytes are in memory order */
	bool maybe;		  /* the first group may be an offset */
	bool odd;		  /* the first group can't be data, because bytes have two digits */
	bool prefixed;		  /* groups begin with 0x, as gdb and C write words */
	uint8_t group;		  /* digits of the first group of data */
	uint32_t start, end;	  /* the groups, as a part of the text */
	uint32_t rest;		  /* start without that first group */
	uint32_t bytes;		  /* in [start, end) */
	uint64_t offset[RADIXES]; /* value of the leading number, by radix */
	uint32_t wrong;		  /* column (from 1) of the word that is not hex */
};

/* Reads one line without its end, text[0..len). Offsets are relative to text. */
void row_read(struct hexrow *row, const char *text, size_t len);

/*
 * Returns the number of bytes in the groups of text[0..len). Writes them if out is not NULL,
 * swapped within groups if `swap`.
 */
size_t row_bytes(const char *text, size_t len, bool swap, uint8_t *out);

#endif
