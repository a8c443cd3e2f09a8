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
 * The device /dev/infiniband/rdma_cm: rdma_ucm, rdma_cm and ib_cm in one. It makes and ends
 * connections by exchanging MADs (IBA volume 1, chapter 12), without queues and data.
 */
struct cm;
struct cm_file; /* one open of the device */

/* The addresses of a MAD. The receiver gets them with source and destination exchanged. */
struct cm_path {
	uint8_t sgid[16], dgid[16];
	uint8_t sgid_index; /* in the GID table of this end */
	uint8_t hop_limit, tclass, sl;
	uint32_t flow_label;
};

#define CM_MAD_BYTES 256u

/* Callbacks into the chip. */
struct cm_ops {
	/* Sends a MAD to QP1 at the path's end: 0 or -errno. It arrives later, if ever. */
	int (*send)(void *ctx, struct vhca *from, const struct cm_path *,
		    const uint8_t mad[CM_MAD_BYTES]);
	/* Returns whether the address is one of the machine that the programs run on. */
	bool (*is_own)(void *ctx, const struct sockaddr *);
	void *ctx;
	/* Seeds PSNs and communication ids, so that peers notice when a chip was restarted. */
	uint64_t seed;
};

struct cm *cm_new(struct device *, const struct cm_ops *);
void cm_free(struct cm *);
/* Handles a MAD that QP1 of a function received. */
void cm_receive(struct cm *, struct vhca *to, const struct cm_path *,
		const uint8_t mad[CM_MAD_BYTES]);

/* Tries the waiting resolutions again, after the network has answered (front_ops.neighbour). */
void cm_neighbours(struct cm *);

/*
 * Opens the device for the program pid. low_ports: it may bind to ports below 1024. *client_fd is
 * the program's descriptor, which is readable while events wait, one byte for each. NULL and errno
 * on failure.
 */
struct cm_file *cm_open(struct cm *, unsigned int function, pid_t pid, bool low_ports,
			int *client_fd);
/* Destroys all ids of the file, at close() or the program's end; their peers get a message. */
void cm_close(struct cm_file *);
/* Runs the command of a write(): 0 or -errno. Never waits: GET_EVENT without events is -EAGAIN. */
int cm_write(struct cm_file *, struct ucma_request *);

/* Returns whether a connection of the function has this peer. */
bool cm_connects(const struct cm *, const struct vhca *, uint32_t remote_qpn);

/* Counts the ids of a function in each state, for chip/census.c. */
#define CM_ID_STATES 8
void cm_count_ids(const struct cm *, const struct vhca *, uint32_t count[CM_ID_STATES]);
const char *cm_state_name(unsigned int state);
/* Fills rows with a function's ids that have a device, as kernel_resources() does. */
size_t cm_resources(const struct cm *, unsigned int function, size_t first,
		    struct uverbs_resource *rows, size_t max);

#endif
