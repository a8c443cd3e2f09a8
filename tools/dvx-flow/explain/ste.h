/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry of a steering table, decoded (prm/ste.prm: format 0, prm/ste1.prm: later ones). In a
 * dump the tag comes before the mask, in the device's memory of format 1 behind it.
 */
#ifndef DVX_FLOW_STE_H
#define DVX_FLOW_STE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "change.h"
#include "dump.h"
#include "src/prm/reflect.h"

#define STE_TAG_BYTES 32
#define LOOKUP_ANY    0x0f /* of an entry that hits always; of format 1 only if its mask is 0 */

#define TAG_ROWS_MAX  64

/* One field of a tag: `width` bits from bit `bit` on are the field's bits from `shift` on. */
struct tag_row {
	enum field field; /* F_NONE: an unknown field */
	uint8_t shift;
	uint8_t width;
	uint16_t bit;
	const char *name; /* the table's */
};

struct ste_action {
	uint8_t id;
	const struct prm_struct *layout; /* NULL: an unknown action */
	uint8_t at, len;		 /* bytes of the entry */
};

struct ste_reader;

struct ste {
	const struct ste_reader *reader;
	const uint8_t *bytes;
	const struct prm_struct *control;
	const struct prm_struct *tag_layout; /* NULL: unknown, or nothing to compare */
	uint16_t lookup, next_lookup;
	uint16_t byte_mask; /* of the next table's hash */
	uint8_t tag_bytes;  /* 16 or 32 */
	uint8_t tag[STE_TAG_BYTES], mask[STE_TAG_BYTES];
	bool mask_known;       /* it is in the entry, or follows from the matcher */
	bool any;	       /* nothing is compared */
	uint64_t miss;	       /* address, 40 bits */
	uint64_t next;	       /* of the next table */
	uint32_t next_entries; /* its size; 1: the address itself */
	uint32_t counter;      /* 0: none */
	struct ste_action action[3];
	unsigned int nactions;
	/* effects of the actions */
	bool tags;
	uint32_t flow_tag;
};

/*
 * The layout of a rule's entries at one position of its chain, and the fields that they compare
 * according to the matcher: fields that no earlier position compares.
 */
struct builder_view {
	uint16_t lookup;
	int definer; /* number of its format, -1: none */
	const struct prm_struct *layout;
	struct tag_row row[TAG_ROWS_MAX];
	unsigned int rows;
	uint8_t tag_bytes;
	bool mask_known;
	uint8_t mask[STE_TAG_BYTES];
};

/* The fields that a lookup type compares. */
struct lookup_type {
	const char *name;		 /* "ETHL2_SRC_O"; never NULL */
	const struct prm_struct *layout; /* of the tag; NULL: unknown, or nothing is compared */
	bool inner;			 /* fields of the inner headers */
	uint8_t tag_bytes;		 /* 16 or 32 */
};

/* The reader of entries of one format, as a table of functions. */
struct ste_reader {
	unsigned int format;  /* PRM steering_format_version */
	const char *any_name; /* of LOOKUP_ANY, if its mask is 0; NULL: its name */
	/*
	 * Fills the addresses, the lookup type, tag_bytes and, of an entry that only acts, any.
	 * Many entries are read for no more than this.
	 */
	void (*links)(struct ste *, const uint8_t *bytes);
	/* Fills the rest: the control part's layout, the counter, the actions and their effects. */
	void (*acts)(struct ste *, const uint8_t *bytes);
	/*
	 * Returns the entry's i-th change to packets; false: there is none. format: the dump's, -1:
	 * unknown.
	 */
	bool (*change)(const struct ste *, unsigned int i, int format, struct packet_change *c);
	/*
	 * Describes a lookup type. m: the matcher's mask, which decides where a lookup type has
	 * several layouts; left: the part of it that no earlier entry compares. Both are NULL if
	 * the matcher is unknown.
	 */
	void (*lookup)(struct lookup_type *, uint16_t lookup, int definer,
		       const struct match_mask *m, const struct match_mask *left);
	/* Adds fields that entries compare beyond the matcher's mask; NULL: none. */
	void (*adjust_mask)(struct match_mask *, enum side);
};

extern const struct ste_reader ste_reader_v0, ste_reader_v1;

/* Returns the newest reader that is not newer than the format. */
const struct ste_reader *ste_reader_of(unsigned int format);

/* Fills a lookup type as the enum of this name has it. For readers. */
void ste_lookup_row(struct lookup_type *, const char *names, uint16_t lookup);
/* Reads a table's address and size from one number: its lowest set bit is half the size. */
void ste_read_next(struct ste *, uint64_t high, uint64_t low);

/* Fills one view per builder of the matcher's side. */
void matcher_views(const struct dump_matcher *m, enum side side, const struct ste_reader *reader,
		   struct builder_view view[BUILDERS_MAX]);

/* Reads an entry; view: of its position, NULL if it only acts or the matcher is unknown. */
void ste_read(struct ste *s, const struct dump_entry *e, const struct builder_view *view);

/* Reads an entry without its actions. */
void ste_read_tag(struct ste *s, const struct dump_entry *e, const struct builder_view *view);

/* Reads only the addresses of a hit and a miss, and whether it compares: no tag, no mask. */
void ste_read_links(struct ste *s, const struct dump_entry *e);

/* Returns the index of an address as a dump has it. */
static inline uint32_t ste_index(uint64_t addr)
{
	return (uint32_t)(addr >> 6);
}

/* Returns "ETHL2_SRC_O" or "by definer"; never NULL. */
const char *ste_lookup_name(const struct ste *s);

/* --- ste_tag.c --- */

/* Finds the rows of a layout; inner: it holds the inner headers' fields. Returns how many. */
unsigned int tag_rows(const struct prm_struct *layout, bool inner,
		      struct tag_row rows[TAG_ROWS_MAX]);

/* Makes the tag that a packet has. */
void tag_of_packet(uint8_t tag[STE_TAG_BYTES], const struct builder_view *v,
		   const struct fields *p);
/* Return a field's bits in a tag or a mask; of a row, its part of them. */
u128 tag_row_get(const uint8_t *bytes, const struct tag_row *row);
u128 tag_get(const uint8_t *bytes, const struct builder_view *v, enum field field);
/* Sets the view's mask to the fields of *left that it has, and removes them from *left. */
void tag_mask(struct builder_view *v, struct match_mask *left);

/* Returns true if a tag agrees with an entry; otherwise *field is the first that differs. */
bool tag_hits(const struct ste *s, const struct builder_view *v, const uint8_t *tag,
	      enum field *field);

/* Return the bytes that a table hashes, and the slot of its n entries. */
uint16_t tag_byte_mask(const uint8_t *mask);
uint32_t tag_slot(const uint8_t *tag, unsigned int bytes, uint16_t byte_mask, uint32_t n);

#endif
