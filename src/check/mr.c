/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions: where the memory of a key is, and whether it may be read. */
#include "watch.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

/* Whether the processor can read a byte: a region of a GPU's memory is none of it. */
static bool watch_can_read(uintptr_t at)
{
	char byte;
	struct iovec to = {&byte, 1}, from = {(void *)at, 1};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* Bounds of all regions so far: what lies outside needs no search. */
static _Atomic uintptr_t watch_low = UINTPTR_MAX, watch_high;

/* Returns watch_since(), or 0 of a call that another one of them makes. */
static _Thread_local unsigned int watch_mr_depth;
static uint64_t watch_mr_begin(void)
{
	return watch_mr_depth++ ? 0 : watch_since();
}

static void watch_mr_new(struct ibv_mr *mr, uint64_t start, size_t length, uintptr_t memory,
			 uint64_t since)
{
	const int err = mr ? 0 : errno;
	struct watch_mr *m = mr ? watch_add(&watch_mrs, watch_mr_key(mr->context, mr->lkey)) : NULL;

	watch_mr_depth--;
	watch_called(since, err, mr ? mr->lkey : 0, "reg_mr bytes %zu", length);
	errno = mr ? errno : err;
	if (!m)
		return;
	m->context = mr->context;
	m->start = start;
	m->memory = memory;
	m->length = length;
	watch_low = memory < watch_low ? memory : watch_low;
	watch_high = memory + length > watch_high ? memory + length : watch_high;
	m->source_from = m->sink_from = UINT64_MAX;
	m->readable = length && length < (size_t)1 << 46 && watch_can_read(memory) &&
		      watch_can_read(memory + length - 1);
}

WATCH_HOOK struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	const uint64_t since = watch_mr_begin();
	struct ibv_mr *mr = WATCH_REAL(ibv_reg_mr)(pd, addr, length, access);

	watch_mr_new(mr, (uintptr_t)addr, length, (uintptr_t)addr, since);
	return mr;
}

WATCH_HOOK struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
					  uint64_t iova, int access)
{
	const uint64_t since = watch_mr_begin();
	struct ibv_mr *mr = WATCH_REAL(ibv_reg_mr_iova)(pd, addr, length, iova, access);

	watch_mr_new(mr, iova, length, (uintptr_t)addr, since);
	return mr;
}

WATCH_HOOK struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
					   uint64_t iova, unsigned int access)
{
	const uint64_t since = watch_mr_begin();
	struct ibv_mr *mr = WATCH_REAL(ibv_reg_mr_iova2)(pd, addr, length, iova, access);

	watch_mr_new(mr, iova, length, (uintptr_t)addr, since);
	return mr;
}

/* Forgets the region that had the key before: memory of this one is not compared. */
static struct ibv_mr *watch_mr_unseen(struct ibv_mr *mr)
{
	struct watch_mr *m = mr ? watch_mr_of(mr->context, mr->lkey) : NULL;

	if (m && m->dead)
		watch_remove(m);
	return mr;
}

WATCH_HOOK struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					    uint64_t iova, int fd, int access)
{
	return watch_mr_unseen(WATCH_REAL(ibv_reg_dmabuf_mr)(pd, offset, length, iova, fd, access));
}

WATCH_HOOK struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	return watch_mr_unseen(WATCH_REAL(ibv_import_mr)(pd, handle));
}

struct ibv_mr *watch_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			       unsigned int access)
{
	return watch_mr_unseen(
		watch_context_of(pd->context)->verbs.reg_dm_mr(pd, dm, offset, length, access));
}

static void watch_mr_end(const struct ibv_mr *mr, const struct watch_place *here)
{
	const struct watch_search s = {
		.context = mr->context, .lkey = mr->lkey, .kind = CHECK_KEY_ENDED, .place = here};

	watch_search(&s);
}

/* Another region may have the key before the call returns. */
WATCH_HOOK int ibv_dereg_mr(struct ibv_mr *mr)
{
	const struct watch_place here = WATCH_HERE();
	struct watch_mr *m = watch_mr_of(mr->context, mr->lkey);
	const uint64_t since = watch_since();
	const uint32_t lkey = mr->lkey;
	const bool ends = m && !m->dead, readable = m && m->readable;
	int err;

	if (ends) {
		watch_mr_end(mr, &here);
		m->ended = here;
		m->readable = false;
		m->dead = true;
	}
	err = WATCH_REAL(ibv_dereg_mr)(mr);
	watch_called(since, err, lkey, "ibv_dereg_mr");
	if (err && ends) {
		m->readable = readable;
		m->dead = false;
	}
	return err;
}

/* A region that changes is not watched any more. */
WATCH_HOOK int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			    size_t length, int access)
{
	const struct watch_place here = WATCH_HERE();

	watch_mr_end(mr, &here);
	watch_remove(watch_mr_of(mr->context, mr->lkey));
	return WATCH_REAL(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
}

bool watch_mr_covers(uintptr_t from, uintptr_t to, bool unmap)
{
	bool covers = false;

	if (from >= watch_high || to <= watch_low)
		return false;
	for (struct watch_mr *m = NULL; (m = watch_next(&watch_mrs, m));) {
		if (m->dead || from >= m->memory + m->length || to <= m->memory)
			continue;
		covers = true;
		if (unmap)
			m->readable = false;
	}
	return covers;
}

unsigned int watch_mr_count(void)
{
	unsigned int n = 0;

	for (struct watch_mr *m = NULL; (m = watch_next(&watch_mrs, m));)
		n += !m->dead;
	return n;
}
