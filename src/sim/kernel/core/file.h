/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "base/intervals.h"
#include "base/log.h"
#include "host/client.h"
#include "obj/vhca.h"
#include "table.h"

/*
 * State shared by the rooms of the kernel: the kernel itself and the open files. Errno values are
 * those of ib_uverbs and mlx5_ib.
 */
struct bar;
struct channel;
struct dm_map;
struct fs_chain;
struct hw_ref;
struct kernel_room;
struct rate_table;
struct subscription;
struct uobj;
struct uverbs_resource;
struct xrcd;

/* Pages of QUERY_HCA_CAP that are read at boot. */
enum cap_page { CAP_GENERAL, CAP_ETHERNET, CAP_ODP, CAP_QOS, CAP_DEV_MEM, CAP_PAGES };

/* Regions of device memory (verbs/uverbs_dm.c). */
enum dm_kind { DM_STE, DM_MODIFY, DM_PATTERN, DM_KINDS };

struct kernel {
	struct device *dev;
	const struct kernel_room *const *rooms; /* NULL-terminated */
	void (*on_async_fd)(void *arg, int fd); /* kernel_on_async_fd(); may be NULL */
	void *on_async_arg;
	struct uverbs_file *files;
	struct subscription *subs[256]; /* DevX event subscriptions, by hardware number */
	struct hw_ref *refs[256];	/* queues by hardware number, for events */
	uint32_t contexts;		/* made so far */
	bool unplugged;			/* kernel_unplug() */
	uint16_t next_uid;
	uint16_t whitelist_uid; /* for queries of contexts without DevX */
	uint8_t next_key;	/* mkey_7_0 of the next memory region */
	struct kernel_function {
		uint32_t eqn;
		uint8_t q_counter;	       /* counter_set_id of its queues */
		uint8_t caps[CAP_PAGES][4096]; /* QUERY_HCA_CAP, current */
		struct fs_chain *fs;	       /* array of FS_DIRS (flow/fs.h) */
		struct dm_map *dm[DM_KINDS];
		struct xrcd *xrcds;	  /* XRC domains (verbs/xrc.h) */
		struct rate_table *rates; /* NULL until it is needed */
		uint64_t memic_pages;	  /* bitmap of pages in use */
	} * fn;				  /* by vhca.index */
};

/* One open of the device. */
struct uverbs_file {
	struct kernel *k;
	struct uverbs_file *next;
	struct vhca *vhca;
	struct mm *mm; /* memory of the process that opened it */
	struct bar *bar;
	/*
	 * Guests are other processes that got the descriptor from the one that opened the file.
	 * Each has a uverbs_file with `mm` and `pins`, but without handles and a BAR.
	 */
	struct uverbs_file *guests, *next_guest, *guest_of;
	bool on_demand;		       /* has regions that cover memory not mapped yet */
	bool detached;		       /* the guest called kernel_detach() */
	struct uverbs_file *requester; /* guest whose request is handled; NULL: the opener's */
	bool context;		       /* GET_CONTEXT was done */
	bool closing;		       /* all objects are being destroyed */
	uint32_t ctxn;		       /* number of the context, from 1 */
	uint16_t uid;		       /* 0: no DevX */
	uint32_t tdn;
	struct id_table handles;
	struct uobj *newest;   /* teardown runs from here to the oldest */
	struct intervals pins; /* memory that objects hold */
	uint64_t locked;       /* pages of them that count for RLIMIT_MEMLOCK */
	struct pin *new_pins;  /* made by the current request, newest first */
	LIST_HEAD(, released_pages) released;
	struct uobj *holder;	   /* gets new_pins: made or changed by the request; or NULL */
	struct uobj *made;	   /* by the current request, whose failure drops it */
	struct mappings *mappings; /* read for the current request; NULL: not yet */
	/* The queue that the last request destroyed, if events of it were delivered (NULL: none). */
	struct {
		const char *name;
		uint32_t number, events;
	} destroyed;
	unsigned int eventfds;	   /* subscriptions with an eventfd */
	struct channel *channels;
	struct channel *async; /* the default one: the first made */
};

/* Returns the file or guest whose memory the current request names. */
static inline struct uverbs_file *file_memory(struct uverbs_file *f)
{
	return f->requester ? f->requester : f;
}

static inline struct mm *file_mm(const struct uverbs_file *f)
{
	return f->requester ? f->requester->mm : f->mm;
}

/* Returns the bus address of a byte of the request's memory. */
static inline bus_t file_bus(const struct uverbs_file *f, uint64_t va)
{
	return mm_bus(file_mm(f), va);
}

static inline struct kernel_function *file_function(const struct uverbs_file *f)
{
	return &f->k->fn[f->vhca->index];
}

static inline const uint8_t *file_cap_page(const struct uverbs_file *f, enum cap_page page)
{
	return file_function(f)->caps[page];
}

/* Returns PRM's cmd_hca_cap. */
static inline const uint8_t *file_caps(const struct uverbs_file *f)
{
	return file_cap_page(f, CAP_GENERAL);
}

/* Frees the detached guests whose memory no object holds any more. */
void kernel_free_guests(struct uverbs_file *);

/* Logs a sentence and evaluates to the errno. */
#define refuse(err, ...) (sim_refuse(__VA_ARGS__), (err))

#endif
