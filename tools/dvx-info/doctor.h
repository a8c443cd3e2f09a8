/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that doctor's parts share. Each part adds lines. The device is NULL if there is
 * none.
 */
#ifndef DVX_INFO_DOCTOR_H
#define DVX_INFO_DOCTOR_H

#define DOCTOR_FEW_BYTES (64ll << 20)

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <dvx/dvx.h>
#include "dvx-info.h"

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_FAIL };
static const char *const level_names[] = {"OK", "WARN", "FAIL"};

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
static inline void __attribute__((format(printf, 5, 6)))
doctor_line(struct doctor *d, const char *id, enum level level, const char *remedy, const char *fmt,
	    ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_array_append_new(d->lines,
			      json_pack("{ss ss so so}", "check", id, "level", level_names[level],
					"text", json_text(text, strlen(text)), "remedy",
					json_text(remedy, strlen(remedy))));
}

void doctor_rdma(struct doctor *d);
void doctor_mem(struct doctor *d);
void doctor_host(struct doctor *d);
void doctor_peer(struct doctor *d);

#endif
