/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ENGINE_H
#define DVX_COPY_ENGINE_H

#include <stdbool.h>

#include "base/pool.h"

/*
 * Everything that uses the device. Two ways lead from the source's pool to the receiver's (way.h):
 * the DMA engine inside one chip, and RDMA READ over a connection. The receiver makes an offer, the
 * source answers with a ticket; what is in them is the engine's affair alone.
 */
struct copy_device;
int device_open(struct copy_device **d, const char *name, struct copy_fault *f);
void device_close(struct copy_device *d);
const char *device_name(const struct copy_device *d);

/* For a server: the descriptor becomes readable when the device goes away; then the check fails. */
int device_watch(struct copy_device *d, struct copy_fault *f);
int device_check(const struct copy_device *d, struct copy_fault *f);

/* --via: auto (NULL), dma or rc. */
int device_via(struct copy_device *d, const char *via, struct copy_fault *f);

#define TICKET_MAX 1024
struct ticket {
	uint8_t bytes[TICKET_MAX];
	size_t n;
};

/* The source's pool. Until it is freed, whoever holds the ticket can read it. */
struct export;
int export_make(struct export **e, struct copy_device *d, const struct pool *p,
		const struct ticket *offer, struct ticket *t, struct copy_fault *f);
void export_free(struct export *e);

/* The receiver's end: first the offer; with the ticket that answers it, it reads the pool. */
struct copy_engine;
int engine_offer(struct copy_engine **e, struct copy_device *d, struct ticket *offer,
		 struct copy_fault *f);
int engine_make(struct copy_engine *e, const struct pool *local, const struct ticket *t,
		struct copy_fault *f);
void engine_free(struct copy_engine *e);

/* Why bytes travel over a connection, or NULL if they go through the DMA engine. */
const char *export_says(const struct export *e);
const char *engine_says(const struct copy_engine *e);

/* The longest piece that one work request moves. */
uint32_t engine_max(const struct copy_engine *e);

/* Queues a copy of len bytes between equal offsets of the pools. 1, or 0 if the ring is full. */
int engine_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len,
		struct copy_fault *f);

/* Rings the doorbell for all copies posted since the last call. */
void engine_ring(struct copy_engine *e);

/* 1 and the cookie of a finished piece, 0 if none finished. Pieces may finish in any order. */
int engine_poll(struct copy_engine *e, uint32_t *cookie, struct copy_fault *f);

/*
 * For sleeping: after arming, the descriptor becomes readable with the next completion. Poll once
 * more between arming and sleeping: a completion may have come before.
 */
int engine_fd(const struct copy_engine *e);
int engine_arm(struct copy_engine *e, struct copy_fault *f);

#endif
