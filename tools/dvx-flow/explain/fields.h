/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet's fields, as entries of a device compare them: numbers of up to 128 bits. A field that
 * the packet does not have is 0, as in hardware.
 */
#ifndef DVX_FLOW_FIELDS_H
#define DVX_FLOW_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

/* Fields; F_INNER() are those inside a tunnel. */
enum field {
#define LEVEL_FIELD(name, ...) F_##name,
#include "fields.def"
	F_PER_LEVEL,
	F_LEVELS_END = 2 * F_PER_LEVEL - 1,
#define FIELD(name, ...) F_##name,
#include "fields.def"
	F_COUNT,
	F_NONE = 255
};
#define F_INNER(f) ((enum field)((f) < F_PER_LEVEL ? (f) + F_PER_LEVEL : (f)))

struct fields {
	u128 value[F_COUNT];
	bool known[F_COUNT]; /* the packet has it, or its words give it */
	/* The option of GENEVE_OPTION, as in struct rule: set before a frame is read. 0: none. */
	uint32_t option;
};

/* A text that is being written. What does not fit is cut. */
struct sentence {
	char *buf;
	size_t size, at;
};
#define SENTENCE(buf) sentence_begin(buf, sizeof(buf))
struct sentence sentence_begin(char *buf, size_t size);
void __attribute__((format(printf, 2, 3))) sentence_add(struct sentence *t, const char *fmt, ...);

/* Adds words of the rule language: "ipv4 dst". Inner ones are preceded by "inner". */
void sentence_add_words(struct sentence *t, enum field f);
/* Adds a value. An address is IPv6 if l3 is 2. */
void sentence_add_value(struct sentence *t, enum field f, u128 value, unsigned int l3);
/*
 * Adds a value under a mask: "ipv4 dst 10.0.0.0/8", "tcp port 80 mask 0xfff0". The mask is left
 * out if it has all the field's bits.
 */
void sentence_add_field(struct sentence *t, enum field f, u128 value, u128 mask, unsigned int l3);

/* Writes one line about a packet: "ipv4 10.0.0.1 > 10.0.0.2 tcp 1234 > 80". */
void fields_line(char *buf, size_t size, const struct fields *p);

/* --- frame_fields.c --- */

/* Reads an Ethernet frame's fields; bytes after len are missing. Registers are 0. */
void fields_of_frame(struct fields *out, const uint8_t *frame, size_t len);

/* Offsets of headers; 0: the frame does not have them. */
struct frame_places {
	size_t type;   /* the EtherType behind the VLAN tags */
	size_t l3, l4; /* l4: of TCP or UDP */
	size_t end;    /* of the IP packet */
	size_t inner_l2, inner_l3;
};
void fields_of_frame_at(struct fields *out, struct frame_places *at, const uint8_t *frame,
			size_t len);

#endif
