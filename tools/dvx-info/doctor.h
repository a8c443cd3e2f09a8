/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that doctor's parts share. Each part adds lines. The device is NULL if there is
 * none.
 */
#ifndef DVX_INFO_DOCTOR_H
#define DVX_INFO_DOCTOR_H

#include <dvx/dvx.h>
#include "dvx-info.h"

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_FAIL };

struct doctor {
	json_t *lines;
	const char *which;   /* as the user named it, or NULL */
	struct dvx_dev *dev; /* opened, or NULL */
	bool elsewhere;	     /* the facts come from a copy of another host's /proc, /sys and /dev */
	char pci[64];	     /* its address, or "" */
	char error[256];     /* why the device is not open */
	size_t devices;	     /* mlx5 devices that libibverbs shows */
};

/* Adds a line; remedy is a command, or "". */
void doctor_line(struct doctor *d, const char *id, enum level level, const char *remedy,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void doctor_rdma(struct doctor *d);
void doctor_mem(struct doctor *d);
void doctor_host(struct doctor *d);
void doctor_peer(struct doctor *d);

#endif
