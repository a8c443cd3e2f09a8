/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_OBJ_H
#define SIM_OBJ_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vhca;

/*
 * Objects that firmware commands create. An object belongs to one VHCA and to the uid that created
 * it. It counts its references and can't be destroyed while it has any (RES_BUSY). There are no
 * locks: all runs on the chip's one thread.
 */
enum obj_type {
#define OBJ_TYPE(type, ...) OBJ_##type,
#include "types.def"
	OBJ_NTYPES,
};

struct obj {
	struct vhca *vhca;
	uint32_t id;
	uint32_t refs;
	uint64_t generation; /* unique for the chip's life, so that a reused id is another object */
	uint16_t uid;
	uint8_t type;
	bool alias; /* stands for an object of another function: struct alias, or an mkey */
};

/* Create and free a function's tables, for device_init() and device_fini(). Return 0 or -1. */
int obj_tables_init(struct vhca *);
void obj_tables_fini(struct vhca *);

/* Returns the name of a type, for messages. */
const char *obj_type_name(enum obj_type);

/*
 * Allocates `size` zeroed bytes that begin with struct obj, with a fresh id in its VHCA. Freed ids
 * are reused as late as possible, so that uses of stale ids fail. Returns NULL if ids or memory are
 * exhausted.
 */
void *obj_new(struct vhca *, enum obj_type, uint16_t uid, size_t size);
/*
 * Like obj_new(), n objects (a power of two) with consecutive ids, the first a multiple of n.
 * Returns the first one.
 */
void *obj_new_run(struct vhca *, enum obj_type, uint16_t uid, uint32_t n, size_t size);
/* Like obj_new(), with a given id (special QPs, tests). */
void *obj_new_at(struct vhca *, enum obj_type, uint16_t uid, uint32_t id, size_t size);
/* Finds an object of any owner: for the data path, and for callers that compare uids themselves. */
void *obj_find(const struct vhca *, enum obj_type, uint32_t id);
/* The uid of objects that all may use: the kernel's counters of queues and steering anchors. */
#define OBJ_UID_SHARED 0xffffu
/* Finds an object of this uid, or a shared one. */
void *obj_find_shared(const struct vhca *, enum obj_type, uint32_t id, uint16_t uid);
/* Finds an object that uid may use: its own, or any if uid is the kernel's (0). */
void *obj_find_uid(const struct vhca *, enum obj_type, uint32_t id, uint16_t uid);
/*
 * Take and drop a reference to any object that begins with struct obj. obj_put(NULL) does nothing.
 */
void obj_get(void *);
void obj_put(void *);
/* Reports a refusal to the program that owns the object: "TYPE 0xID: SENTENCE". */
void obj_refuse(const struct obj *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Frees the memory. The caller has stopped the object and dropped its references. */
void obj_free(struct obj *);
uint32_t obj_count(const struct vhca *, enum obj_type);
/* Returns true if no id of this type is free. */
bool obj_full(const struct vhca *, enum obj_type);
/*
 * Returns the next object of a type with id >= from: for loops over tables that may change
 * meanwhile.
 */
void *obj_next(const struct vhca *, enum obj_type, uint32_t from);

#endif
