/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of what each named feature needs. */
#ifndef DVX_INFO_FEATURES_H
#define DVX_INFO_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Needs from the host, not the device; whynot.c has a probe for each. */
enum need {
	NEED_NONE,
	NEED_NET_RAW, /* CAP_NET_RAW, for raw packets and steering */
	NEED_ODP,     /* the kernel offers on-demand paging for the device */
	NEED_RDMA_CM,
	NEED_BF_UAR, /* a write-combining UAR page */
	NEED_HUGEPAGES,
	NEED_ACTIVE_PORT,
	NEED_IPV4_GID,
	NEED_CLOCK,	/* timestamps can be converted to nanoseconds */
	NEED_CHANNEL,	/* completion or event channel opens */
	NEED_MEMLOCK,	/* RLIMIT_MEMLOCK is not used up */
	NEED_NETDEV,	/* a port has a network interface */
	NEED_DMABUF,	/* the kernel registers dma-bufs for the device */
	NEED_VFIO,	/* libmlx5 drives the device without a kernel driver */
	NEED_ELSEWHERE, /* cannot be checked from here: `what` says where to look */
};

struct check {
	uint16_t page;
	const char *field; /* NULL: a host's need, or with NEED_NONE that the page exists */
	uint64_t mask;	   /* bits that must be set; 0: the whole value counts */
	uint64_t value;	   /* with mask 0: the least value; with `zero`: the value must be 0 */
	bool zero;
	bool or_before; /* the check before this one suffices, too */
	enum need need;
	const char *what;
	const char *remedy; /* NULL: the default one */
};

#define FEATURE_CHECKS 10

struct feature {
	const char *name;
	const char *also; /* other names for it, separated by blanks */
	const char *text;
	bool devx;			     /* used through DevX: context, umem */
	struct check checks[FEATURE_CHECKS]; /* the last one has no `what` */
};

extern const struct feature features[];
extern const size_t feature_count;

struct ibv_context;

/*
 * Tries mlx5dv_get_clock_info(). Returns 0 or an errno. It is in verbs.c, which includes libmlx5's
 * header.
 */
int clock_try(struct ibv_context *ctx);
/* Whether libibverbs reports on-demand paging: regions need not be pinned. */
bool odp_offered(struct ibv_context *ctx);
/*
 * Returns the errno of a registration with the descriptor -1: EBADF from a device that supports
 * dma-bufs, EOPNOTSUPP or EPROTONOSUPPORT from others.
 */
int dmabuf_try(struct ibv_context *ctx);
/* Whether the kernel copies pinned pages when a process forks. */
bool fork_unneeded(void);

/* Finds a feature; case, - and _ do not matter. NULL: there is none. */
const struct feature *feature_find(const char *name);
const char *feature_near(const char *name, char *buf, size_t size);

#endif
