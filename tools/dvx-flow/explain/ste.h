/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of the device's formats (prm/ste.prm: format 0, prm/ste1.prm: later ones). In a dump the
 * tag comes before the mask, in the device's memory of format 1 behind it.
 */
#ifndef DVX_FLOW_STE_H
#define DVX_FLOW_STE_H

#include "src/prm/reflect.h"
#include "tables.h"

#define STE_TAG_BYTES  44 /* of hardware steering; others have STE_WIDE_BYTES at most */
#define STE_WIDE_BYTES 32
#define LOOKUP_ANY     0x0f /* of an entry that hits always; of format 1 only if its mask is 0 */

/* One field of a tag: `width` bits from bit `bit` on are the field's bits from `shift` on. */
struct tag_row {
	enum field field; /* F_NONE: an unknown field */
	uint8_t shift;
	uint8_t width;
	uint16_t bit;
};

struct ste_action {
	uint8_t id;
	const struct prm_struct *layout; /* NULL: an unknown action */
	uint8_t at, len;		 /* bytes of the entry */
};

struct ste_reader;

/* An entry with the structures that it is made of. */
struct ste {
	const struct ste_reader *reader;
	const uint8_t *bytes;
	const struct prm_struct *control;
	const struct prm_struct *tag_layout; /* NULL: unknown, or nothing to compare */
	uint8_t tag_bytes, tag_at;	     /* 16, 32 or 44, from this byte on */
	uint8_t tag[STE_TAG_BYTES], mask[STE_TAG_BYTES];
	struct ste_action action[CHANGES_MAX];
	unsigned int nactions;
	const uint8_t *template[TEMPLATES_MAX]; /* PRM stc; NULL: the dump has none */
	struct steering_entry e;
};

/* The fields that a lookup type compares. */
struct lookup_type {
	uint16_t lookup;
	const char *name;		 /* "ETHL2_SRC_O"; never NULL */
	const struct prm_struct *layout; /* of the tag; NULL: unknown, or nothing is compared */
	bool inner;			 /* fields of the inner headers */
	uint8_t tag_bytes;		 /* 16, 32 or 44 */
};

/*
 * The layout of a rule's entries at one position of its chain, and the fields that they compare
 * according to the matcher: fields that no earlier position compares.
 */
struct builder_view {
	struct lookup_type type;
	struct tag_row row[KEYS_MAX];
	unsigned int rows;
	bool mask_known;
	uint8_t mask[STE_TAG_BYTES];
	/* Parts that only hardware steering has. */
	bool v6;	/* its addresses are IPv6 */
	uint8_t hashed; /* bytes at the tag's end that choose the row; 0: it has none */
	uint8_t fixed[STE_TAG_BYTES]; /* bits that all tags have */
};

/* The reader of entries of one format, as a table of functions. */
struct ste_reader {
	unsigned int format;  /* PRM steering_format_version */
	const char *any_name; /* of LOOKUP_ANY, if its mask is 0; NULL: its name */
	/*
	 * Fills the addresses, the lookup type, tag_bytes and, of an entry that only acts, any.
	 * Many entries are read for no more than this.
	 */
	void (*links)(struct ste *);
	/*
	 * Fills the rest: the control part's layout, the counter, the actions and the changes.
	 * format: the dump's, -1: unknown.
	 */
	void (*acts)(struct ste *, int format);
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

extern const struct ste_reader ste_reader_v0, ste_reader_v1, ste_reader_hardware;

/* Fills a lookup type as the enum of this name has it. For readers. */
void ste_lookup_row(struct lookup_type *, const char *names, uint16_t lookup);
/* Returns the layout of a tunnel's header: VXLAN-GPE's, raw words or Geneve's. */
const char *ste_tunnel_layout(const struct match_mask *);
/*
 * Adds the packet's origin: an entry that names a source on the receive side also compares that the
 * packet comes from inside.
 */
void ste_mask_source(struct match_mask *, enum side);
/* Reads a table's address and size from one number: its lowest set bit is half the size. */
void ste_read_next(struct steering_entry *, uint64_t high, uint64_t low);
/* Adds a change to the entry. PACKET_NOTHING is none. */
void ste_add_change(struct ste *, struct packet_change c);

void ste_read(struct steering *d, const struct steering_record *r, struct ste *s);

/* --- ste_tag.c --- */

/* Finds the rows of the view's layout. */
void tag_rows(struct builder_view *v);
/* Sets the view's mask to the fields of *left that it has, and removes them from *left. */
void tag_mask(struct builder_view *v, struct match_mask *left);
/* Sets the entry's keys. */
void tag_keys(struct ste *s, const struct builder_view *v);

/* Makes the tag that a packet has. */
void tag_of_packet(uint8_t tag[STE_TAG_BYTES], const struct builder_view *v,
		   const struct fields *p);
/* Return the bytes that a table hashes, and the slot of its n entries. */
uint16_t tag_byte_mask(const uint8_t *mask);
uint32_t tag_slot(const uint8_t *tag, unsigned int bytes, uint16_t byte_mask, uint32_t n);

/* --- ste_hardware.c --- */

/* Returns the row of n in which a device looks for a packet's tag, which it masks. */
uint32_t hardware_row(const struct builder_view *v, uint8_t tag[STE_TAG_BYTES], uint32_t n);

#endif
