/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "base/intervals.h"
#include "base/log.h"
#include "host/mm.h"
#include "obj/vhca.h"

/*
 * What the rooms of the kernel share: the kernel itself and the open files. Errno values are those
 * of ib_uverbs and mlx5_ib.
 */
struct bar;
struct channel;
struct dm_map;
struct fs_chain;
struct hw_ref;
struct kernel_room;
struct method_handler;
struct qp_stat;
struct rate_table;
struct subscription;
struct uobj;
struct uverbs_resource;
struct xrcd;

/* Pages of capabilities that it asks for at boot. */
enum cap_page { CAP_GENERAL, CAP_ETHERNET, CAP_ODP, CAP_QOS, CAP_DEV_MEM, CAP_PAGES };

/* Regions of device memory (verbs/uverbs_dm.c). */
enum dm_kind { DM_STE, DM_MODIFY, DM_KINDS };

struct kernel {
	struct device *dev;
	const struct kernel_room *const *rooms; /* up to a NULL */
	const struct method_handler **handlers; /* by row of uverbs_methods; NULL: absent */
	void (*on_async_fd)(void *arg, int fd); /* kernel_on_async_fd(); may be NULL */
	void *on_async_arg;
	struct uverbs_file *files;
	struct subscription *subs[256]; /* DevX event subscriptions, by hardware number */
	struct hw_ref *refs[256];	/* queues by hardware number, for events */
	uint32_t contexts;		/* that were made so far */
	uint16_t next_uid;
	uint16_t whitelist_uid; /* queries of contexts without DevX */
	uint8_t next_key;	/* mkey_7_0 of the next memory region */
	struct kernel_function {
		uint32_t eqn;
		uint8_t q_counter;   /* counter_set_id of its queues */
		uint8_t caps[CAP_PAGES][4096]; /* QUERY_HCA_CAP, current */
		struct fs_chain *fs; /* FS_DIRS of them (flow/fs.h) */
		struct dm_map *dm[DM_KINDS];
		struct xrcd *xrcds;	  /* XRC domains (verbs/xrc.h) */
		struct rate_table *rates; /* NULL until it is needed */
		LIST_HEAD(, qp_stat) stats; /* verbs/qp_stat.c */
		uint32_t stat_mask;	    /* by what new queue pairs are bound; 0: not */
		uint64_t memic_pages;	  /* that programs have */
	} * fn; /* by vhca.index */
};

/* One open of the device. */
struct uverbs_file {
	struct kernel *k;
	struct uverbs_file *next;
	struct vhca *vhca;
	struct mm *mm; /* of the process that opened it */
	struct bar *bar;
	/*
	 * Guests: other processes that have it open, because the one that opened it passed the
	 * descriptor on. Each has a uverbs_file of its own for its memory: no handles, no BAR, but
	 * `mm` and `pins`.
	 */
	struct uverbs_file *guests, *next_guest, *guest_of;
	bool on_demand;		  /* regions reach what this process will map */
	bool left;		  /* the guest's process: kernel_detach() */
	struct uverbs_file *asks; /* the guest whose request is handled; NULL: who opened it */
	bool context; /* GET_CONTEXT was done */
	bool closing; /* its objects go, whatever refers to them */
	uint32_t ctxn; /* its number, from 1 */
	uint16_t uid; /* 0: no DevX */
	uint32_t tdn;
	struct uobj **handles;
	uint32_t nhandles;
	uint32_t used;	 /* handles from here on were never given out */
	uint32_t *freed; /* those that came back, the lowest first: a heap with room for all */
	uint32_t nfreed;
	struct uobj *newest; /* teardown goes from the newest to the oldest */
	struct intervals pins; /* memory that its objects hold */
	uint64_t locked;       /* how many pages they count for RLIMIT_MEMLOCK */
	struct pin *fresh;     /* what the current request has pinned, the newest first */
	LIST_HEAD(backs, back) backs;
	struct uobj *holder; /* of what the current request pins: made or changed by it, or NULL */
	struct mappings *look; /* of the current request; NULL: not read yet */
	unsigned int eventfds; /* subscriptions that raise one */
	struct channel *channels;
	struct channel *async; /* the default one: the first that was made */
};

/* Whose memory the current request means. */
static inline struct uverbs_file *file_memory(struct uverbs_file *f)
{
	return f->asks ? f->asks : f;
}

static inline struct mm *file_mm(const struct uverbs_file *f)
{
	return f->asks ? f->asks->mm : f->mm;
}

const uint8_t *file_caps(const struct uverbs_file *); /* PRM cmd_hca_cap */
const uint8_t *file_cap_page(const struct uverbs_file *, enum cap_page);
uint32_t file_eqn(const struct uverbs_file *);
uint32_t file_q_counter(const struct uverbs_file *);
int file_new_uid(struct uverbs_file *);
/* Frees the guests that have left and whose memory no object holds any more. */
void kernel_settle_guests(struct uverbs_file *);

/* Logs a sentence and evaluates to the errno. */
#define refuse(err, ...) (sim_refuse(__VA_ARGS__), (err))

#endif
