/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MKEY_H
#define SIM_OBJ_MKEY_H

#include "obj.h"
#include "base/intervals.h"
#include "host/mem.h"

struct device;
struct queue;
struct sw_icm;

/* A pinned region of a client's memory, as CREATE_UMEM describes it: page list, offset, length. */
struct umem {
	struct obj o;
	uint8_t log_page;
	uint64_t offset; /* of the first byte in the first page */
	uint64_t len;
	uint32_t npages;
	bus_t *pages;
	bool ro; /* a page has no wr_en: the device never writes to this umem */
};

/*
 * Translates [offset, offset+len) of a umem into bus segments. Returns their number, -ERANGE past
 * its end, or -E2BIG for more than max.
 */
int umem_segs(const struct umem *, uint64_t offset, uint64_t len, struct dma_seg *,
	      unsigned int max);

/*
 * Translates [pos, pos+len) of a list of equal pages into bus segments; adjacent ones are merged.
 * Returns their number, -ERANGE past the list's end, or -E2BIG for more than max.
 */
int pages_segs(const bus_t *pages, uint32_t npages, unsigned int log_page, uint64_t pos,
	       uint64_t len, struct dma_seg *, unsigned int max);

/* Access rights, bits of the PRM's mkc. */
enum {
	MKEY_LR = 1 << 0,
	MKEY_LW = 1 << 1,
	MKEY_RR = 1 << 2,
	MKEY_RW = 1 << 3,
	MKEY_ATOMIC = 1 << 4,
	MKEY_UMR = 1 << 5,
	MKEY_PINNED = 1 << 6,	 /* of an access: it cannot wait for pages (odp_cap) */
	MKEY_ANY_ORDER = 1 << 7, /* of an access: it knows of relaxed order */
};

#define MKEY_ANY_QP 0xffffffu
/* Reserved keys. Their indexes lie below that of the first mkey. */
enum {
	MKEY_TERMINATE = 0x100, /* ends the data segments of a receive */
	/* dump_fill_mkey and null_mkey: reads return zeros, writes are discarded */
	MKEY_NULL = 0x300,
	MKEY_REPEAT = 0x400,   /* in a list's first entry: the list is interleaved */
	MKEY_RESERVED = 0x700, /* resd_lkey: bus addresses, for queues with qpc.rlky */
};

/* An entry of an indirect mkey's list. */
struct klm {
	uint64_t at; /* offset in the mkey; interleaved: in a cycle */
	uint64_t len, addr;
	uint32_t key;
	uint32_t stride; /* interleaved: distance to the entry of the next cycle */
};

/* List of an indirect mkey (klm.c), as it was written and decoded. */
struct klm_list {
	uint32_t room; /* capacity in entries: mkc.translations_octword_size */
	uint32_t used; /* entries that were written; the rest are zeros */
	uint32_t n;    /* decoded entries */
	struct klm *klm;
	uint8_t *raw;	 /* `room` entries of 16 bytes */
	uint64_t cycle;	 /* interleaved: bytes of a cycle; else 0 */
	uint64_t repeat; /* interleaved: number of cycles */
};
#define KLM_BYTES    16u
#define KLM_LOG_MOST 16u /* entries */
#define MKEY_DEPTH   4u	 /* most indirect mkeys in a row: max_indirection */
/*
 * Page lists in commands and WQEs: two page addresses per octword, flags in the low bits of each.
 */
#define MKEY_PAGES_PER_OCTWORD 2u
#define MKEY_PAGE_FLAGS	       7ull

struct mkey {
	struct obj o; /* id is the index (24 bits); the key is id << 8 | low */
	uint8_t low;  /* mkey_7_0 */
	uint8_t mode; /* PRM access mode */
	uint8_t rights;
	bool free;	/* mkc.free: created, but not usable yet */
	bool en_rinval; /* a peer's SEND_INVAL may free it */
	bool relaxed;	/* mkc.relaxed_ordering_write, on a hostile device */
	uint32_t pdn;
	uint32_t qpn;	/* the only queue that may use it, or MKEY_ANY_QP */
	struct obj *pd; /* referenced */
	uint64_t start, len;
	/* Translation: a umem and an offset in it, or a separate list. */
	struct umem *umem;
	uint64_t umem_offset;
	uint8_t log_entity;
	uint32_t nentries;
	bus_t *entries;		  /* MTT; 0: page not present */
	bool on_demand;		  /* pages come when first accessed */
	struct intervals present; /* pages of an on-demand mkey that are present */
	/* Set by mkey_place(). */
	bool plain; /* plain and writable memory */
	bool flat;  /* one piece of bus addresses */
	bus_t bus;
	struct dma_place place; /* cache of mkey_bytes() */
	struct klm_list *list;	/* indirect mkey: parts of other mkeys */
	struct sig *sig;	/* room for the description of signatures (sig.h); NULL: none */
	struct sw_icm *icm;	/* steering memory; start is 0, and this is the location */
	uint64_t icm_addr;
	bool memic;    /* memory that programs map; start is 0, and the location is icm_addr */
	bool physical; /* all of the bus, at bus addresses */
	/* Target of an alias, looked up at every access, not only at creation. */
	uint16_t target_vhca;
	uint32_t target_index;
	uint64_t target_generation; /* of the target; 0: never resolves */
	uint8_t mkc[64];	    /* as CREATE_MKEY set it, for QUERY_MKEY */
};

/*
 * Checks one access as the hardware does (state, key byte, PD, rights, bounds, alias and its grant)
 * and fills in the segments of memory, in order. Returns their number, or a negative enum
 * mkey_fault after one logged sentence. max must allow for fragmentation: MKEY_SEGS is enough for a
 * packet. With segments NULL it only checks (a long message is checked at its start).
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
	/*
	 * no fault: signed or encrypted. queue/sig.c moves the bytes, and mkey_memory() finds them
	 */
	MKEY_SIGNED,
	/* a hostile device, and a write whose order is relaxed */
	MKEY_RELAXED,
};
#define MKEY_SEGS 64
/*
 * Makes the pages of a range present in an on-demand mkey, and sets device.page_fault if some were
 * not. [I] A page faults once only: the device does not learn when a program unmaps it. Each access
 * uses the pages that the program has mapped at that time; if there are none, it fails.
 */
void mkey_fault_in(struct mkey *, uint64_t va, uint64_t len);
void mkey_present_free(struct mkey *);
/* Computes plain and flat from range and translation; not for an mkey with a list. */
void mkey_place(struct mkey *);
void mkey_move(struct mkey *, struct obj *pd); /* changes the PD */
/*
 * Like mkey_segs(), for a queue. Fills in what fits, and sets *len to its length. Indirect mkeys may
 * need more than max segments.
 */
int mkey_part(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va, uint64_t *len,
	      unsigned int rights, struct dma_seg *, unsigned int max);
/*
 * Checks the common access of a queue, made for each message: allowed, through an mkey without
 * alias or list, to one piece of memory. Returns false without a sentence for any other access;
 * mkey_part() decides on it.
 */
bool mkey_piece(const struct queue *, uint32_t key, uint64_t va, uint64_t len, unsigned int rights,
		struct dma_seg *);
/*
 * Prefetch into the cache, in two steps: the slot that points to the mkey of a key, then the mkey.
 */
void mkey_prefetch_slot(const struct vhca *, uint32_t key);
void mkey_prefetch(const struct vhca *, uint32_t key);
/* Called after a change of an mkey that mkey_place() has not made: views of it are wrong now. */
void mkey_changed(const struct mkey *);
/*
 * Like mkey_part(), for an mkey with signatures: va counts bytes of its memory, signatures included.
 */
int mkey_memory(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va, uint64_t *len,
		unsigned int rights, struct dma_seg *, unsigned int max);
/* Returns the mkey with the description that MKEY_SIGNED refers to; NULL if there is none. */
const struct mkey *mkey_described(const struct vhca *, uint32_t key, uint32_t pdn);
int mkey_segs(struct vhca *, uint32_t key, uint32_t pdn, uint64_t va, uint64_t len,
	      unsigned int rights, struct dma_seg *, unsigned int max);

/*
 * Invalidates an mkey for a peer's SEND_INVAL. Returns false after a sentence if that is not
 * allowed.
 */
bool mkey_invalidate(struct vhca *, uint32_t key, uint32_t pdn, uint32_t qpn);

/* Frees the null mkey's memory. */
void mkey_null_free(struct device *);

/* Returns a list with room for n entries; NULL if there is no memory. */
struct klm_list *klm_list_new(uint32_t room);
void klm_list_free(struct klm_list *);
/*
 * Writes entries from `first` on, in the form of commands and WQEs. Returns 0, or -EINVAL for a
 * wrong list.
 */
int klm_list_write(struct klm_list *, uint32_t first, const void *entries, uint32_t n);
/*
 * Finds the part at offset pos of an mkey, and the bytes from there to its end. Returns false past
 * the end.
 */
bool klm_find(const struct mkey *, uint64_t pos, uint32_t *key, uint64_t *addr, uint64_t *len);

#endif
