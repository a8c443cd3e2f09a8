/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MKEY_H
#define SIM_OBJ_MKEY_H

#include "obj.h"
#include "base/intervals.h"
#include "host/mm.h"

struct device;
struct queue;
struct sw_icm;

/* A pinned region of a client, as CREATE_UMEM describes it: one page list, its offset and length.
 */
struct umem {
	struct obj o;
	uint8_t log_page;
	uint64_t offset; /* of the first byte in the first page */
	uint64_t len;
	uint32_t npages;
	bus_t *pages;
	bool ro; /* some page has no wr_en: the device never writes here */
};

/* [offset, offset+len) of a umem as bus segments: how many, or -ERANGE past its end, -E2BIG > max.
 */
int umem_segs(const struct umem *, uint64_t offset, uint64_t len, struct dma_seg *,
	      unsigned int max);

/*
 * [pos, pos+len) of a list of equal pages as bus segments; neighbours on the bus become one.
 * How many, -ERANGE past the list's end, -E2BIG if more than max would be needed.
 */
int pages_segs(const bus_t *pages, uint32_t npages, unsigned int log_page, uint64_t pos,
	       uint64_t len, struct dma_seg *, unsigned int max);

/* Access rights, PRM mkc bits. */
enum {
	MKEY_LR = 1 << 0,
	MKEY_LW = 1 << 1,
	MKEY_RR = 1 << 2,
	MKEY_RW = 1 << 3,
	MKEY_ATOMIC = 1 << 4,
	MKEY_UMR = 1 << 5,
	MKEY_PINNED = 1 << 6, /* of an access: it can't wait for pages (odp_cap) */
};

#define MKEY_ANY_QP 0xffffffu
/* Keys that no mkey has: their indexes lie below the first one's. */
enum {
	MKEY_TERMINATE = 0x100, /* the end of a receive's data segments */
	MKEY_NULL = 0x300,	/* dump_fill_mkey and null_mkey: reads zeros, writes go nowhere */
	MKEY_REPEAT = 0x400,	/* in a list's first entry: the list is interleaved */
	MKEY_RESERVED = 0x700,	/* resd_lkey: the bus itself, of queues with qpc.rlky */
};

/* One entry of an indirect mkey's list. */
struct klm {
	uint64_t at; /* where it begins in the mkey; interleaved: in a cycle */
	uint64_t len, addr;
	uint32_t key;
	uint32_t stride; /* interleaved: how far the next cycle's is */
};

/* What an indirect mkey is made of (klm.c): its list as it was written, and as it is read. */
struct klm_list {
	uint32_t room; /* entries that fit: mkc.translations_octword_size */
	uint32_t used; /* entries that were written; those behind are zeros */
	uint32_t n;    /* what they make */
	struct klm *klm;
	uint8_t *raw;	 /* room entries of 16 bytes */
	uint64_t cycle;	 /* interleaved: bytes of one; else 0 */
	uint64_t repeat; /* and how many there are */
};
#define KLM_BYTES    16u
#define KLM_LOG_MOST 16u /* entries */
#define MKEY_DEPTH   4u	 /* indirect mkeys in a row: max_indirection */
/* A list of pages, as it stands in commands and WQEs: an octword has two; flags are below an address. */
#define MKEY_PAGES_PER_OCTWORD 2u
#define MKEY_PAGE_FLAGS	       7ull

struct mkey {
	struct obj o; /* id is the index (24 bits); the key is id << 8 | low */
	uint8_t low;  /* mkey_7_0 */
	uint8_t mode; /* PRM access mode */
	uint8_t rights;
	bool free; /* mkc.free: made, but may not be used yet */
	bool alias;
	bool en_rinval; /* a peer's SEND_INVAL may free it */
	uint32_t pdn;
	uint32_t qpn;	/* the only queue that may use it, or MKEY_ANY_QP */
	struct obj *pd; /* referenced */
	uint64_t start, len;
	/* translation: a umem and an offset in it, or a list of its own */
	struct umem *umem;
	uint64_t umem_offset;
	uint8_t log_entity;
	uint32_t nentries;
	bus_t *entries; /* MTT; 0: a page that is not there */
	bool on_demand; /* no page of them is there to begin with */
	struct intervals present; /* of an mkey on demand: pages that came since */
	/* what mkey_place() found out about them */
	bool plain; /* memory of its own, which may be written */
	bool flat;  /* and all of it one piece of the bus, from here on */
	bus_t bus;
	struct dma_place place; /* mkey_bytes() */
	struct klm_list *list; /* or, of an indirect mkey, other mkeys' parts */
	struct sig *sig;       /* and room for their signatures' description (sig.h); NULL: none */
	struct sw_icm *icm; /* or steering memory: start is 0, this is where it lies */
	uint64_t icm_addr;
	bool memic; /* or memory that programs map: likewise, at icm_addr */
	bool physical; /* or all of the bus, at its own addresses */
	/* alias: looked up at every access, not only at creation */
	uint16_t target_vhca;
	uint32_t target_index;
	uint64_t target_generation; /* 0: never resolves */
	uint8_t mkc[64];	    /* as CREATE_MKEY gave it, for QUERY_MKEY */
};

/*
 * Checks one access as the hardware does (state, key byte, PD, rights, bounds, alias and its grant)
 * and fills in the segments of memory, in order. Returns how many, or a negative enum mkey_fault
 * with one logged sentence. max must allow for fragmentation: MKEY_SEGS is enough for a packet.
 * Segments NULL: only checks (a long message is checked at its start).
 */
enum mkey_fault {
	MKEY_BAD_KEY = 1,
	MKEY_BAD_PD,
	MKEY_BAD_RIGHTS,
	MKEY_BAD_BOUNDS,
	MKEY_BAD_ALIAS,
	MKEY_TOO_FRAGMENTED,
	MKEY_BAD_QP,
	MKEY_TOO_DEEP,
	MKEY_SIGNED, /* no fault: signed or encrypted. queue/sig.c moves the bytes, and
		      * mkey_memory() finds them */
};
#define MKEY_SEGS 64
/*
 * The pages of an mkey on demand come when they are touched. device.page_fault is set if some were not
 * there. [I] Only once for each: the device does not learn when a program unmaps them. The bytes are
 * those that the program has mapped at each access; without any, the access fails.
 */
void mkey_fault_in(struct mkey *, uint64_t va, uint64_t len);
void mkey_present_free(struct mkey *);
/* After its range and its translation are set, unless it has a list. */
void mkey_place(struct mkey *);
void mkey_move(struct mkey *, struct obj *pd); /* to another PD */
/*
 * The same for a queue. As much as fits is filled in: *len says how much that is. Indirect mkeys
 * may take more than max segments.
 */
int mkey_part(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va, uint64_t *len,
	      unsigned int rights, struct dma_seg *, unsigned int max);
/*
 * The usual access of a queue's, on the way of each message: allowed, through an mkey without alias
 * or list, to one piece. False, and no sentence: it is another one, and mkey_part() finds out
 * which.
 */
bool mkey_piece(const struct queue *, uint32_t key, uint64_t va, uint64_t len, unsigned int rights,
		struct dma_seg *);
/* The mkey of a key comes into the cache: where it is found; a step later, itself. */
void mkey_prefetch_slot(const struct vhca *, uint32_t key);
void mkey_prefetch(const struct vhca *, uint32_t key);
/* The same access, to bytes that the device reaches itself. NULL: it is another one. */
uint8_t *mkey_bytes(const struct queue *, uint32_t key, uint64_t va, uint64_t len,
		    unsigned int rights);
/* The same as mkey_part() of an mkey with signatures, as if it had none: va counts bytes of its memory. */
int mkey_memory(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va, uint64_t *len,
		unsigned int rights, struct dma_seg *, unsigned int max);
/* The mkey whose description MKEY_SIGNED means; NULL: there is none. */
const struct mkey *mkey_described(const struct vhca *, uint32_t key, uint32_t pdn);
int mkey_segs(struct vhca *, uint32_t key, uint32_t pdn, uint64_t va, uint64_t len,
	      unsigned int rights, struct dma_seg *, unsigned int max);

/* A peer's SEND_INVAL. False, with a sentence: it may not. */
bool mkey_invalidate(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn);

/* At the chip's end. */
void mkey_null_free(struct device *);

/* A list with room for n entries; NULL: no memory. */
struct klm_list *klm_list_new(uint32_t room);
void klm_list_free(struct klm_list *);
/* Entries from `first` on, as they stand in commands and WQEs: 0, or -EINVAL: they make no list. */
int klm_list_write(struct klm_list *, uint32_t first, const void *entries, uint32_t n);
/* What lies at pos of an mkey, and how many bytes of it in one piece. False: the list ends there.
 */
bool klm_find(const struct mkey *, uint64_t pos, uint32_t *key, uint64_t *addr, uint64_t *len);

/* ALLOW_OTHER_VHCA_ACCESS: functions that know access_key may alias this mkey. */
int grant_set(struct vhca *, uint32_t mkey_index, uint64_t generation, const uint8_t key[32]);
/* In constant time. True: the object may be aliased; its generation is filled in. */
bool grant_check(struct vhca *target, uint32_t mkey_index, const uint8_t key[32],
		 uint64_t *generation);
void grant_drop(struct vhca *, uint32_t mkey_index);
void grants_free(struct device *);

#endif
