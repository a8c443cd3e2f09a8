/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of a dump. */
#ifndef DVX_PRM_HEXROW_H
#define DVX_PRM_HEXROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_kind {
	ROW_EMPTY,
	ROW_TEXT,  /* no dump: text of a log or a person */
	ROW_DATA,  /* bytes, maybe an offset before them */
	ROW_STAR,  /* "*": the row before repeats */
	ROW_LONE,  /* an offset or one word alone; its neighbours decide which */
	ROW_WRONG, /* meant to be hex, but some of it is not */
};

enum radix { RADIX_HEX, RADIX_OCT, RADIX_DEC, RADIXES };

#define ROW_NO_OFFSET UINT64_MAX

struct hexrow {
	enum row_kind kind;
	bool colon;		  /* the offset ends in a colon: bytes are in memory order */
	bool maybe;		  /* the first group may be an offset */
	bool odd;		  /* and cannot be data: bytes have two digits */
	bool prefixed;		  /* groups begin with 0x, as gdb and C write words */
	uint8_t group;		  /* digits of the first group of data */
	uint32_t start, end;	  /* the groups, as a part of the text */
	uint32_t rest;		  /* start without the group that may be an offset */
	uint32_t bytes;		  /* in start..end */
	uint64_t offset[RADIXES]; /* of the leading number */
	uint32_t wrong;		  /* column (from 1) of what is not hex */
};

/* Looks at text[0..len), one line without its end; offsets are relative to text. */
void row_read(struct hexrow *row, const char *text, size_t len);

/* Bytes of the groups in text[0..len); writes them if out is not NULL, swapped within groups. */
size_t row_bytes(const char *text, size_t len, bool swap, uint8_t *out);

#endif
