/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel: its rooms, and the open files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eq.h>
#include <dvx/prm/eqe.h>
#include "base/bar_file.h"
#include "fw/fw.h"
#include "host/uar.h"
#include "core/channel.h"
#include "core/cmd.h"
#include "core/events.h"
#include "core/pins.h"
#include "core/room.h"
#include "kernel.h"
#include "obj/device.h"
#include "obj/rep.h"
#include "uverbs/resource.h"
#include "verbs/verbs.h"

static const struct kernel_room *const kernel_rooms[] = {&verbs_room, &devx_room, &flow_room, NULL};

#define EQ_LOG_SIZE 8

static const uint16_t cap_types[CAP_PAGES] = {
	[CAP_GENERAL] = PRM_HCA_CAP_TYPE_GENERAL,
	[CAP_ETHERNET] = PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS,
	[CAP_ODP] = PRM_HCA_CAP_TYPE_ODP,
	[CAP_QOS] = PRM_HCA_CAP_TYPE_QOS,
	[CAP_DEV_MEM] = PRM_HCA_CAP_TYPE_DEV_MEM,
};

static int function_cap_page(struct vhca *v, struct kernel_function *fn, enum cap_page page)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_HCA_CAP_OUT_BYTES];
	int err;

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(in, (uint32_t)cap_types[page] << 1 | PRM_HCA_CAP_MODE_CUR);
	err = mbox_exec(v, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(fn->caps[page], prm_query_hca_cap_out_cat_capability(out),
		       sizeof(fn->caps[page]));
	return err;
}

static int function_caps(struct vhca *v, struct kernel_function *fn)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < CAP_PAGES; i++)
		err = function_cap_page(v, fn, i);
	return err;
}

/* Makes an EQ for its number. It has no ring: kernel_event() gets events at once. */
static int function_eq(struct vhca *v, struct kernel_function *fn)
{
	uint8_t in[PRM_CREATE_EQ_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_CREATE_EQ, 0);
	prm_eqc_set_log_eq_size(prm_create_eq_in_at_eq_context_entry(in), EQ_LOG_SIZE);
	return mbox_create(v, in, sizeof(in), &fn->eqn);
}

/* Makes the Q counter set of queues made by verbs, which hw_counters shows. */
static int function_q_counter(struct vhca *v, struct kernel_function *fn)
{
	uint32_t set;
	int err = mbox_alloc(v, PRM_OPCODE_ALLOC_Q_COUNTER, FW_UID_SHARED, &set);

	if (err)
		return err;
	fn->q_counter = (uint8_t)set;
	fw_q_counter_show(v, set);
	return 0;
}

/* Adds a UDP port of VXLAN, as Linux's driver does for an interface with this port. */
static int kernel_add_vxlan_port(const struct kernel *k)
{
	uint8_t in[PRM_ADD_VXLAN_UDP_DPORT_IN_BYTES] = {0};

	if (!k->dev->profile->vxlan_port)
		return 0;
	mbox_begin(in, PRM_OPCODE_ADD_VXLAN_UDP_DPORT, 0);
	prm_add_vxlan_udp_dport_in_set_vxlan_udp_port(in, k->dev->profile->vxlan_port);
	return mbox_run(k->dev->manager, in, sizeof(in));
}

static int kernel_start(struct kernel *k)
{
	int err = 0;

	k->fn = calloc(k->dev->nfunctions, sizeof(*k->fn));
	if (!k->fn)
		return -ENOMEM;
	for (const struct kernel_room *const *r = k->rooms; !err && *r; r++)
		err = (*r)->start ? (*r)->start(k) : 0;
	if (err)
		return err;
	for (unsigned int i = 0; i < k->dev->nfunctions; i++) {
		if (function_caps(&k->dev->vhca[i], &k->fn[i]) ||
		    function_eq(&k->dev->vhca[i], &k->fn[i]) ||
		    function_q_counter(&k->dev->vhca[i], &k->fn[i])) {
			sim_bug("function %u: its firmware refuses to boot", i);
			return -EIO;
		}
	}
	return kernel_add_vxlan_port(k);
}

struct kernel *kernel_new(struct device *dev)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->dev = dev;
	k->rooms = kernel_rooms;
	k->whitelist_uid = 1;
	k->next_uid = 2;
	if (!kernel_start(k))
		return k;
	kernel_free(k);
	return NULL;
}

static void function_free(struct vhca *v)
{
	fw_uid_reap(v, 0);
	fw_uid_reap(v, FW_UID_SHARED);
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	while (k->files)
		kernel_close(k->files->guest_of ? k->files->guest_of : k->files);
	for (const struct kernel_room *const *r = k->rooms; *r; r++)
		if (k->fn && (*r)->stop)
			(*r)->stop(k);
	for (unsigned int i = 0; i < k->dev->nfunctions; i++)
		function_free(&k->dev->vhca[i]);
	free(k->fn);
	free(k);
}

void kernel_gid_changed(struct kernel *k, const struct vhca *v)
{
	for (struct uverbs_file *f = k->files; f; f = f->next)
		if (f->vhca == v)
			channel_post_gid(f);
}

void kernel_port_changed(struct kernel *k, const struct vhca *v, unsigned int port)
{
	for (struct uverbs_file *f = k->files; f; f = f->next)
		if (f->vhca == v)
			channel_post_port(f, port, vhca_port_is_up(v, port));
}

void kernel_unplug(struct kernel *k)
{
	if (k->unplugged)
		return;
	k->unplugged = true;
	for (struct uverbs_file *f = k->files; f; f = f->next)
		channel_post_fatal(f);
}

void kernel_on_async_fd(struct kernel *k, void (*fn)(void *arg, int fd), void *arg)
{
	k->on_async_fd = fn;
	k->on_async_arg = arg;
}

bool kernel_write_fatal(int async_fd)
{
	return channel_write_fatal(async_fd);
}

static struct uverbs_file *uverbs_file_new(struct kernel *k, struct mm *mm, struct vhca *v)
{
	struct uverbs_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->k = k;
	f->vhca = v;
	f->mm = mm;
	f->next = k->files;
	k->files = f;
	return f;
}

static void uverbs_file_free(struct uverbs_file *f)
{
	struct uverbs_file **at = &f->k->files;

	pins_free(f);
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	free(f);
}

struct uverbs_file *kernel_open(struct kernel *k, struct mm *mm, unsigned int function)
{
	struct uverbs_file *f;

	if (function >= k->dev->nfunctions) {
		errno = ENODEV;
		return NULL;
	}
	f = uverbs_file_new(k, mm, &k->dev->vhca[function]);
	if (!f)
		return NULL;
	f->bar = bar_new(k->dev->host, mm, BAR_PAGES);
	if (f->bar)
		return f;
	uverbs_file_free(f);
	return NULL;
}

struct uverbs_file *kernel_attach(struct uverbs_file *f, struct mm *mm)
{
	struct uverbs_file *g = uverbs_file_new(f->k, mm, f->vhca);

	if (!g)
		return NULL;
	g->guest_of = f;
	g->next_guest = f->guests;
	f->guests = g;
	return g;
}

static void guest_free(struct uverbs_file *g)
{
	struct uverbs_file **at = &g->guest_of->guests;

	while (*at != g)
		at = &(*at)->next_guest;
	*at = g->next_guest;
	mm_close(g->mm);
	uverbs_file_free(g);
}

/* Frees a detached guest, unless objects hold its memory or may reach it on demand. */
static void guest_free_unused(struct uverbs_file *g)
{
	if (g->detached && !g->on_demand && !pins_any(g))
		guest_free(g);
}

void kernel_detach(struct uverbs_file *g)
{
	g->detached = true;
	guest_free_unused(g);
}

void kernel_free_guests(struct uverbs_file *f)
{
	for (struct uverbs_file *g = f->guests, *next; g; g = next) {
		next = g->next_guest;
		guest_free_unused(g);
	}
}

struct bar *file_bar(struct uverbs_file *f)
{
	return f->bar;
}

void kernel_close(struct uverbs_file *f)
{
	uobj_destroy_all(f);
	for (const struct kernel_room *const *r = f->k->rooms; *r; r++)
		if ((*r)->file_closed)
			(*r)->file_closed(f);
	while (f->guests)
		guest_free(f->guests);
	channel_free_all(f);
	bar_free(f->bar);
	uverbs_file_free(f);
}

int kernel_share(struct uverbs_file *f, uint64_t va, uint64_t len, int memfd)
{
	return pins_share(f, va, len, memfd);
}

bool kernel_shared_pages_in_use(const struct uverbs_file *f)
{
	return pins_shared_in_use(f);
}

unsigned int file_uid(const struct uverbs_file *f)
{
	return f->uid;
}

static void resource_add(const struct uverbs_file *f, struct uobj *u, struct uverbs_resource *row)
{
	memset(row, 0, sizeof(*row));
	row->kind = RESOURCE_CTX;
	row->id = f->ctxn;
	row->ctx = f->ctxn;
	row->pid = (uint32_t)mm_pid(f->mm);
	if (!u)
		return;
	row->users = u->users;
	u->class->describe(u, row);
}

size_t kernel_resources(struct kernel *k, unsigned int function, size_t first,
			struct uverbs_resource *rows, size_t max)
{
	size_t n = 0;

	for (const struct uverbs_file *f = k->files; f; f = f->next) {
		if (!f->context || f->vhca->index != function)
			continue;
		if (n++ - first < max)
			resource_add(f, NULL, &rows[n - 1 - first]);
		for (struct uobj *u = f->newest; u; u = u->older)
			if (u->class->describe && n++ - first < max)
				resource_add(f, u, &rows[n - 1 - first]);
	}
	return n;
}

int kernel_cq_unread(struct kernel *k, const struct vhca *v, uint32_t cqn)
{
	struct uobj *u = hw_ref_owner(k, v, HW_CQ, cqn);

	return u ? uverbs_cq_unread((struct uverbs_cq *)u) : -1;
}

const char *kernel_destroyed(const struct uverbs_file *f, uint32_t *number, uint32_t *events)
{
	*number = f->destroyed.number;
	*events = f->destroyed.events;
	return f->destroyed.name;
}

void kernel_each_object(const struct uverbs_file *f,
			void (*fn)(void *ctx, const char *name, uint32_t number), void *ctx)
{
	for (const struct uobj *u = f->newest; u; u = u->older)
		fn(ctx, u->class->name, u->number);
}

void kernel_event(void *kernel, struct vhca *v, uint32_t eqn, const void *eqe)
{
	struct kernel *k = kernel;
	uint8_t type = (uint8_t)prm_eqe_get_type(eqe);

	(void)eqn; /* each function has one EQ */
	hw_ref_event(k, v, type, eqe);
	for (const struct kernel_room *const *r = k->rooms; *r; r++)
		if ((*r)->event)
			(*r)->event(k, v, type, eqe);
}
