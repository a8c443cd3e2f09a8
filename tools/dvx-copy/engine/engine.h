/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ENGINE_H
#define DVX_COPY_ENGINE_H

#include <stdbool.h>

#include "base/pool.h"

/*
 * Everything that uses the device. Two ways lead from the source's pool to the receiver's (way.h):
 * the DMA engine inside one chip, and RDMA READ over a connection. The receiver makes an offer, and
 * the source answers with a ticket; only the engine knows what is in them.
 */
struct copy_device;
int device_open(struct copy_device **d, const char *name, struct copy_fault *f);
void device_close(struct copy_device *d);
const char *device_name(const struct copy_device *d);

/* Watches for the device's loss: the descriptor gets readable, then device_check() fails. */
int device_watch(struct copy_device *d, struct copy_fault *f);
int device_check(const struct copy_device *d, struct copy_fault *f);

/* Applies --via: dma, rc, or auto (NULL). */
int device_via(struct copy_device *d, const char *via, struct copy_fault *f);

#define TICKET_MAX 1024
struct ticket {
	uint8_t bytes[TICKET_MAX];
	size_t n;
};

/* Opens the source's pool to the holder of the ticket, until export_free(). */
struct export;
int export_make(struct export **e, struct copy_device *d, const struct pool *p,
		const struct ticket *offer, struct ticket *t, struct copy_fault *f);
void export_free(struct export *e);

/* The receiver's end: makes the offer, and takes the ticket that answers it. */
struct copy_engine;
int engine_offer(struct copy_engine **e, struct copy_device *d, struct ticket *offer,
		 struct copy_fault *f);
int engine_make(struct copy_engine *e, const struct pool *local, const struct ticket *t,
		struct copy_fault *f);
void engine_free(struct copy_engine *e);

/* Returns why bytes travel over a connection, or NULL if the DMA engine moves them. */
const char *export_rc_reason(const struct export *e);
const char *engine_rc_reason(const struct copy_engine *e);

/* Returns the longest piece that one work request moves. */
uint32_t engine_max(const struct copy_engine *e);

/* Queues a copy of len bytes between equal offsets of the pools. 1, or 0 if the ring is full. */
int engine_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len,
		struct copy_fault *f);

/* Rings the doorbell for all copies posted since the last call. */
void engine_ring(struct copy_engine *e);

/* Polls for a finished piece: 1 and its cookie, or 0. They may finish in any order. */
int engine_poll(struct copy_engine *e, uint32_t *cookie, struct copy_fault *f);

/*
 * For sleeping: after engine_arm() the descriptor becomes readable with the next completion. Poll
 * once more between arming and sleeping: a completion may have come before.
 */
int engine_fd(const struct copy_engine *e);
int engine_arm(struct copy_engine *e, struct copy_fault *f);

#endif
