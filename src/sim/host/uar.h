/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_UAR_H
#define SIM_HOST_UAR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct host;
struct mm;

/*
 * UAR pages. Each open of the device has its own BAR: a memfd that *is* the program's command fd,
 * so mmap and munmap of it work unaided. The chip assigns UAR numbers; a number is backed by one
 * page of the BAR of the client that allocated it.
 */
struct bar;
#define UAR_PAGE     4096u
#define UAR_CQ_ARM   0x20u /* 8 bytes: command word, CQN */
#define UAR_BF	     0x800u /* four registers of two BlueFlame buffers of 256 bytes: 0x800 .. 0xfff */
#define UAR_BF_SIZE  0x100u
#define UAR_BF_COUNT 8u

struct bar *bar_new(struct host *, struct mm *, unsigned int pages);
/*
 * The page where libmlx5 maps the clock's parameters (MLX5_IB_MMAP_CLOCK_INFO, as a page number):
 * programs may read it. It backs no UAR.
 */
#define BAR_CLOCK_PAGE 0x700u
void *bar_clock(const struct bar *);
/*
 * The page with the clock itself (MLX5_IB_MMAP_CORE_CLOCK): 8 big-endian bytes. A program can map
 * and read it directly (clock_page.c).
 */
#define BAR_CORE_CLOCK_PAGE 0x500u
struct clock;
void host_set_clock(struct host *, struct clock *); /* without a clock there is no such page */
int bar_fd(const struct bar *);			    /* the memfd; the bar owns it */
void bar_free(struct bar *);
/* Backs UAR number `uar` by a free page of this bar. Returns the page number, or -ENOMEM. */
int bar_page_alloc(struct bar *, uint32_t uar);
void bar_page_free(struct bar *, uint32_t uar);
/*
 * Pages that are not registers: device memory that a program maps, at the offsets that libmlx5
 * uses: command 8 in the offset's bits above 8, and the page's number below.
 */
#define BAR_MEMIC_PAGE	2048u
#define BAR_MEMIC_PAGES 256u
/* Returns zeroed pages, or NULL if not all of them are there. */
uint8_t *bar_memory(struct bar *, unsigned int page, unsigned int n);

/*
 * Sets the client's userfaultfd, so that doorbells wake the loop (facts/process-model.md); the
 * client then reports its mappings. The bar owns uffd from here on. -EEXIST: it has one, which is
 * enough for a process.
 */
int bar_uffd(struct bar *, int uffd);
int bar_mapped(struct bar *, uint64_t va, size_t len, uint64_t offset);
void bar_unmapped(struct bar *, uint64_t va, size_t len);
/* Polls doorbells from here on: some mapping of the registers can't be watched. */
void bar_poll(struct bar *, const char *why);

/*
 * Handler of register writes. The loop calls it only after a register of that UAR was really
 * written (taken with an exchange), with the offset and the 8 bytes as written. Writes that were
 * overwritten are lost; the doorbell records have the rest.
 */
typedef void (*doorbell_fn)(void *ctx, uint32_t uar, uint32_t offset, uint64_t be_value);
void host_on_doorbell(struct host *, doorbell_fn, void *ctx);

/*
 * Strict doorbells (strict.c): pages are write-protected again after each store. `trapped` is
 * called while the program still waits before its store; `blueflame` after the doorbell, with the
 * whole blocks of 64 bytes that the program wrote. Set before the first page is allocated.
 */
struct strict_ops {
	void (*trapped)(void *ctx, uint32_t uar);
	void (*blueflame)(void *ctx, uint32_t uar, const uint8_t *bytes, size_t len);
};
void host_be_strict(struct host *, const struct strict_ops *); /* with the doorbells' ctx */

/*
 * Used by the loop. host_poll() takes every register of awake clients once and returns how many
 * were taken. host_arm() prepares a sleep (write-protects the pages of quiet clients, then polls
 * them once more) and returns the longest time to sleep in ns. host_epoll_fd() becomes readable
 * when a sleeping client rings; host_wake() handles that.
 */
int host_poll(struct host *);
uint64_t host_arm(struct host *, uint64_t now);
/* Limits a sleep without host_arm(): while a clock's page is present, its time must advance. */
uint64_t clock_pages_nap(const struct host *, uint64_t ns);
int host_epoll_fd(const struct host *);
void host_wake(struct host *);

#endif
