/* SPDX-License-Identifier: BSD-2-Clause */
/* Removal and insertion of headers, for a packet of which only some fields are known. */
#include <errno.h>
#include <string.h>
#include "change.h"
#include "dvx/prm/ste1.h"

#define TAG_FIELDS 4u /* kind, id, dei, pcp */

static void words_move_tag(struct fields *f, enum field to, enum field from)
{
	memcpy(f->value + to, f->value + from, TAG_FIELDS * sizeof(f->value[0]));
	memcpy(f->known + to, f->known + from, TAG_FIELDS * sizeof(f->known[0]));
}

static void words_forget(struct fields *f, enum field first, unsigned int n)
{
	memset(f->value + first, 0, n * sizeof(f->value[0]));
	memset(f->known + first, 0, n * sizeof(f->known[0]));
}

static void words_pop(struct fields *f)
{
	words_move_tag(f, F_VLAN_KIND, F_VLAN2_KIND);
	words_forget(f, F_VLAN2_KIND, TAG_FIELDS);
	f->known[F_VLAN_KIND] = true;
}

/* Inserts a tag. Entries compare two tags, and nothing behind a third one. */
static void words_push(struct fields *f, uint32_t tag)
{
	bool third = f->value[F_VLAN2_KIND] != 0;

	if (third) {
		words_forget(f, F_L3, F_PER_LEVEL - F_L3);
		words_forget(f, (enum field)F_PER_LEVEL, F_REG_A - F_PER_LEVEL);
		f->value[F_ETHERTYPE] = f->value[F_VLAN2_KIND] == 1 ? 0x88a8 : 0x8100;
		f->known[F_ETHERTYPE] = true;
	}
	words_move_tag(f, F_VLAN2_KIND, F_VLAN_KIND);
	f->value[F_VLAN_KIND] = tag >> 16 == 0x88a8 ? 1 : 2;
	f->value[F_VLAN_ID] = tag & 0xfff;
	f->value[F_VLAN_DEI] = tag >> 12 & 1;
	f->value[F_VLAN_PCP] = tag >> 13 & 7;
	for (unsigned int i = 0; i < TAG_FIELDS; i++)
		f->known[F_VLAN_KIND + i] = true;
}

/* Removes a tunnel: the inner headers become the packet's. */
static void words_decap(struct fields *f)
{
	memcpy(f->value, f->value + F_PER_LEVEL, F_PER_LEVEL * sizeof(f->value[0]));
	memcpy(f->known, f->known + F_PER_LEVEL, F_PER_LEVEL * sizeof(f->known[0]));
	words_forget(f, (enum field)F_PER_LEVEL, F_REG_A - F_PER_LEVEL);
}

int words_resize(struct changing_packet *p, const struct packet_change *c, const char **why)
{
	if (c->kind == PACKET_REMOVE && c->anchor == PRM_STE_ANCHOR_1ST_VLAN && !c->offset &&
	    c->bytes % 4 == 0) {
		for (unsigned int i = 0; i < c->bytes; i += 4) {
			if (!p->f.value[F_VLAN_KIND]) {
				*why = "removes a VLAN tag, and the packet was given without one";
				return -EINVAL;
			}
			words_pop(&p->f);
		}
		return 0;
	}
	if (c->kind == PACKET_INSERT && c->anchor == PRM_STE_ANCHOR_START_OUTER &&
	    c->offset == 12) {
		words_push(&p->f, c->value);
		return 0;
	}
	if (c->kind == PACKET_REMOVE_TO && c->anchor == PRM_STE_ANCHOR_START_OUTER &&
	    c->end == PRM_STE_ANCHOR_INNER_MAC) {
		words_decap(&p->f);
		return 0;
	}
	*why = "changes headers in a way that needs the packet's bytes: give it in a file";
	return -EINVAL;
}
