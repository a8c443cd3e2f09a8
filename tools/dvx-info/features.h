/* SPDX-License-Identifier: BSD-2-Clause */
/* What each named feature needs: a table of checks. */
#ifndef DVX_INFO_FEATURES_H
#define DVX_INFO_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Needs that are the host's, not the device's; whynot.c has a probe for each. */
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
	NEED_MEMLOCK,	/* RLIMIT_MEMLOCK leaves something */
	NEED_NETDEV,	/* a port has a network interface */
	NEED_DMABUF,	/* the kernel registers dma-bufs for the device */
	NEED_VFIO,	/* libmlx5 drives the device without a kernel driver */
	NEED_ELSEWHERE, /* cannot be checked from here: `what` says where to look */
};

struct check {
	uint16_t page;
	const char *field; /* NULL: the host's need, or that the page exists (need is NEED_NONE) */
	uint64_t mask;	   /* these bits have to be set; 0: the whole value counts */
	uint64_t value;	   /* with mask 0: at least this; with `zero`: must be 0 */
	bool zero;
	bool or_before; /* this or the check before it */
	enum need need;
	const char *what;
	const char *remedy; /* NULL: the usual one */
};

#define FEATURE_CHECKS 10

struct feature {
	const char *name;
	const char *also; /* other words for it, blank-separated */
	const char *text;
	bool devx;			     /* used through DevX: context, umem */
	struct check checks[FEATURE_CHECKS]; /* ends at one without `what` */
};

extern const struct feature features[];
extern const size_t feature_count;

struct ibv_context;

/* 0 if mlx5dv_get_clock_info() works, or an errno. In verbs.c, which includes libmlx5's header. */
int clock_try(struct ibv_context *ctx);
/* Whether libibverbs says that regions may be registered without being pinned. */
bool odp_offered(struct ibv_context *ctx);
/*
 * The errno of a registration with the descriptor -1: EBADF from a device that takes dma-bufs,
 * EOPNOTSUPP or EPROTONOSUPPORT from others.
 */
int dmabuf_try(struct ibv_context *ctx);
/* Whether the kernel copies pinned pages when a process forks. */
bool fork_unneeded(void);

/* NULL: none; case, - and _ do not matter. */
const struct feature *feature_find(const char *name);
const char *feature_near(const char *name, char *buf, size_t size);

#endif
