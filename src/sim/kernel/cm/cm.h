/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CM_H
#define KERNEL_CM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "uverbs/ucma.h"

struct device;
struct sockaddr;
struct uverbs_resource;
struct vhca;

/*
 * rdma_ucm, rdma_cm and ib_cm in one: the device /dev/infiniband/rdma_cm. It makes and ends
 * connections by exchanging MADs (IBA volume 1, chapter 12); queues and data are not its business.
 */
struct cm;
struct cm_file; /* one open of the device */

/* How a MAD travels. The receiver sees it with source and destination exchanged. */
struct cm_path {
	uint8_t sgid[16], dgid[16];
	uint8_t sgid_index; /* of the end that has this path */
	uint8_t hop_limit, tclass, sl;
	uint32_t flow_label;
};

#define CM_MAD_BYTES 256u

/* What the composition root provides. */
struct cm_ops {
	/* Sends a MAD to QP1 behind a path. It arrives after this returns, or never. 0 or -errno */
	int (*send)(void *ctx, struct vhca *from, const struct cm_path *,
		    const uint8_t mad[CM_MAD_BYTES]);
	/* One of the addresses of the machine that the programs run on. */
	bool (*is_own)(void *ctx, const struct sockaddr *);
	void *ctx;
	/* Of PSNs and communication ids: peers must not take a chip for the one that it was. */
	uint64_t seed;
};

struct cm *cm_new(struct device *, const struct cm_ops *);
void cm_free(struct cm *);
/* A MAD came in to QP1 of a function. */
void cm_receive(struct cm *, struct vhca *to, const struct cm_path *,
		const uint8_t mad[CM_MAD_BYTES]);

/* The network has answered: addresses that are asked for may be known (front_ops.neighbour). */
void cm_neighbours(struct cm *);

/*
 * pid: the program's; low_ports: it may bind to ports below 1024. *client_fd is the program's
 * descriptor: it is readable while events wait, one byte for each. NULL and errno on failure.
 */
struct cm_file *cm_open(struct cm *, unsigned int function, pid_t pid, bool low_ports,
			int *client_fd);
/* The device's own duplicate of the program's descriptor. */
int cm_fd(const struct cm_file *);
/* close() or death: destroys all ids of the file; peers are told. */
void cm_close(struct cm_file *);
/* One write(): 0 or -errno. Never waits: GET_EVENT without an event is -EAGAIN. */
int cm_write(struct cm_file *, struct ucma_request *);

/* How many ids of a function are in each state, for a status. */
#define CM_ID_STATES 8
void cm_count_ids(const struct cm *, const struct vhca *, uint32_t count[CM_ID_STATES]);
const char *cm_state_name(unsigned int state);
/* As kernel_resources(): a function's ids that have a device, for `rdma res`. */
size_t cm_resources(const struct cm *, unsigned int function, size_t first,
		    struct uverbs_resource *rows, size_t max);

#endif
