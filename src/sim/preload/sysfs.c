/* SPDX-License-Identifier: BSD-2-Clause */
#include "sysfs.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The kernel's own shape: the device lives under devices/, classes point to it by relative links,
 * so that `readlink .../device` ends in a PCI address. There is no network interface (no net/, no
 * gid_attrs/ndevs), as if it lived in another namespace: a name that `ip` doesn't know would be
 * worse.
 */
#define PCI	   SYSFS_BRIDGE "/" SYSFS_SLOT
#define IBDEV	   PCI "/infiniband/mlx5_0"
#define PORT	   IBDEV "/ports/1"
#define UVERBS	   PCI "/infiniband_verbs/uverbs0"
#define PCI_VENDOR 0x15b3

#define STATE_ACTIVE  "4: ACTIVE\n"
#define STATE_DOWN    "1: DOWN\n"
#define PHYS_LINK_UP  "5: LinkUp\n"
#define PHYS_DISABLED "3: Disabled\n"

struct tree {
	int root;
	const struct sysfs_function *fn;
};

typedef int (*text_fn)(const struct tree *, char *text, size_t size);

/*
 * One entry: a link if `link`, the stand-in of a character device if `node`, a file of fixed text
 * if `text`, otherwise what `make` prints.
 */
struct sysfs_entry {
	const char *path;
	const char *text;
	text_fn make;
	const char *link;
	bool node;
};

static int guid_print(uint64_t g, char *s, size_t n)
{
	return snprintf(s, n, "%04x:%04x:%04x:%04x\n", (unsigned int)(g >> 48),
			(unsigned int)(g >> 32 & 0xffff), (unsigned int)(g >> 16 & 0xffff),
			(unsigned int)(g & 0xffff));
}

static int text_guid(const struct tree *t, char *s, size_t n)
{
	return guid_print(t->fn->guid, s, n);
}

static int text_sys_image_guid(const struct tree *t, char *s, size_t n)
{
	return guid_print(t->fn->sys_image_guid, s, n);
}

static int text_fw_ver(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "%s\n", t->fn->fw_ver);
}

static int text_board_id(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "%s\n", t->fn->board_id);
}

static int text_hca_type(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "MT%u\n", (unsigned int)t->fn->pci_device);
}

static int text_node_desc(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "dvx-sim %s\n", t->fn->name);
}

static int text_pci_device(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "0x%04x\n", (unsigned int)t->fn->pci_device);
}

static int text_modalias(const struct tree *t, char *s, size_t n)
{
	return snprintf(s, n, "pci:v%08Xd%08Xsv%08Xsd00000001bc02sc00i00\n", PCI_VENDOR,
			(unsigned int)t->fn->pci_device, PCI_VENDOR);
}

static int text_pci_uevent(const struct tree *t, char *s, size_t n)
{
	int len = snprintf(s, n,
			   "DRIVER=mlx5_core\nPCI_CLASS=20000\nPCI_ID=%04X:%04X\n"
			   "PCI_SUBSYS_ID=%04X:0001\nPCI_SLOT_NAME=" SYSFS_SLOT "\nMODALIAS=",
			   PCI_VENDOR, (unsigned int)t->fn->pci_device, PCI_VENDOR);

	return len + text_modalias(t, s + len, n - (size_t)len);
}

/*
 * The configuration space, for lspci and those who read it themselves. There are no BARs (registers
 * lie in a memfd), so there is no MSI-X, whose table would be in one, and no extended capability.
 * The PCI Express capability says what the link's files say: 16 lanes of 16 GT/s.
 */
#define PCI_CONFIG 4096
static int bytes_config(const struct tree *t, char *s, size_t n)
{
	const struct {
		unsigned int at;
		uint32_t dword;
	} dwords[] = {
		{0x00, (uint32_t)t->fn->pci_device << 16 | PCI_VENDOR},
		{0x04, 0x00100004}, /* a list of capabilities; bus master */
		{0x08, 0x02000000}, /* class: network, Ethernet */
		{0x2c, 1u << 16 | PCI_VENDOR},
		{0x34, 0x60},	    /* where the list begins */
		{0x60, 0x00020010}, /* PCI Express, the last one, version 2, an endpoint */
		{0x64, 0x10008022}, /* can do: payload 512, extended tags, errors by role, FLR */
		{0x68, 0x00002930}, /* does: payload 256, reads 512, tags, relaxed, no snoop */
		{0x6c, 0x00000104}, /* the link at most: speed 4 (16 GT/s), width 16 */
		{0x70, 0x01040000}, /* the link now */
		{0x8c, 0x0000001e}, /* speeds up to 16 GT/s */
		{0x90, 0x00000004}, /* wanted: 16 GT/s */
	};

	if (n < PCI_CONFIG)
		return -1;
	memset(s, 0, PCI_CONFIG);
	for (size_t i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++) {
		const uint32_t le = htole32(dwords[i].dword);

		memcpy(s + dwords[i].at, &le, sizeof(le));
	}
	return PCI_CONFIG;
}

/* Six BARs, the ROM and the windows of bridges: all empty. */
static int text_resource(const struct tree *t, char *s, size_t n)
{
	static const char none[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
	size_t len = 0;

	(void)t;
	for (unsigned int i = 0; i < 13 && len + sizeof(none) <= n; i++, len += sizeof(none) - 1)
		memcpy(s + len, none, sizeof(none));
	return (int)len;
}

/* The device sits where the machine has a NUMA node at all; all CPUs are local. */
static int text_numa_node(const struct tree *t, char *s, size_t n)
{
	(void)t;
	return snprintf(s, n, "%d\n", access("/sys/devices/system/node/node0", F_OK) ? -1 : 0);
}

static int text_cpulist(const struct tree *t, char *s, size_t n)
{
	(void)t;
	return snprintf(s, n, "0-%ld\n", sysconf(_SC_NPROCESSORS_CONF) - 1);
}

static int text_cpus(const struct tree *t, char *s, size_t n)
{
	long left = sysconf(_SC_NPROCESSORS_CONF);
	char *at = s;

	(void)t;
	if (left % 32)
		at += snprintf(at, n, "%08x", (1u << left % 32) - 1);
	for (left /= 32; left > 0 && (size_t)(at - s) + 12 < n; left--)
		at += snprintf(at, n - (size_t)(at - s), "%sffffffff", at == s ? "" : ",");
	return (int)(at - s) + snprintf(at, n - (size_t)(at - s), "\n");
}

/* Come with the kernel's modules, also without devices. */
static const struct sysfs_entry core[] = {
	{"class/infiniband_verbs/abi_version", .text = "6\n"},
	{"class/misc/rdma_cm/abi_version", .text = "4\n"},
	{"class/misc/rdma_cm/dev", .text = "10:122\n"},
	{"dev/infiniband/rdma_cm", .node = true},
};

static const struct sysfs_entry entries[] = {
	{"dev/infiniband/uverbs0", .node = true},
	{"class/infiniband/mlx5_0", .link = "../../" IBDEV},
	{"class/infiniband_verbs/uverbs0", .link = "../../" UVERBS},
	{"bus/pci/devices/" SYSFS_SLOT, .link = "../../../" PCI},
	{UVERBS "/subsystem", .link = "../../../../../class/infiniband_verbs"},
	{IBDEV "/subsystem", .link = "../../../../../class/infiniband"},
	{PCI "/subsystem", .link = "../../../bus/pci"},
	{UVERBS "/ibdev", .text = "mlx5_0\n"},
	{UVERBS "/uevent",
	 .text = "MAJOR=231\nMINOR=192\nDEVNAME=infiniband/uverbs0\nDEVMODE=0666\n"},
	{IBDEV "/uevent", .text = "NAME=mlx5_0\n"},
	{UVERBS "/dev", .text = "231:192\n"},
	{UVERBS "/abi_version", .text = "1\n"},
	{UVERBS "/device", .link = "../../../" SYSFS_SLOT},
	{IBDEV "/device", .link = "../../../" SYSFS_SLOT},
	{IBDEV "/node_type", .text = "1: CA\n"},
	{IBDEV "/node_guid", .make = text_guid},
	{IBDEV "/sys_image_guid", .make = text_sys_image_guid},
	{IBDEV "/node_desc", .make = text_node_desc},
	{IBDEV "/fw_ver", .make = text_fw_ver},
	{IBDEV "/board_id", .make = text_board_id},
	{IBDEV "/hca_type", .make = text_hca_type},
	{IBDEV "/hw_rev", .text = "0\n"},
	{PORT "/state", .text = STATE_ACTIVE},
	{PORT "/phys_state", .text = PHYS_LINK_UP},
	{PORT "/rate", .text = "100 Gb/sec (4X EDR)\n"},
	{PORT "/link_layer", .text = "Ethernet\n"},
	{PORT "/lid", .text = "0x0\n"},
	{PORT "/lid_mask_count", .text = "0\n"},
	{PORT "/sm_lid", .text = "0x0\n"},
	{PORT "/sm_sl", .text = "0\n"},
	{PORT "/cap_mask", .text = "0x04010000\n"},
	{PORT "/pkeys/0", .text = "0xffff\n"},
	{PORT "/hw_counters/lifespan", .text = "10\n"},
	{PCI "/vendor", .text = "0x15b3\n"},
	{PCI "/device", .make = text_pci_device},
	{PCI "/subsystem_vendor", .text = "0x15b3\n"},
	{PCI "/subsystem_device", .text = "0x0001\n"},
	{PCI "/revision", .text = "0x00\n"},
	{PCI "/class", .text = "0x020000\n"},
	{PCI "/modalias", .make = text_modalias},
	{PCI "/config", .make = bytes_config},
	{PCI "/uevent", .make = text_pci_uevent},
	{PCI "/driver", .link = "../../../bus/pci/drivers/mlx5_core"},
	{"bus/pci/drivers/mlx5_core/" SYSFS_SLOT, .link = "../../../../" PCI},
	{PCI "/enable", .text = "1\n"},
	{PCI "/max_link_speed", .text = "16.0 GT/s PCIe\n"},
	{PCI "/max_link_width", .text = "16\n"},
	{PCI "/current_link_speed", .text = "16.0 GT/s PCIe\n"},
	{PCI "/current_link_width", .text = "16\n"},
	{PCI "/dma_mask_bits", .text = "64\n"},
	{PCI "/consistent_dma_mask_bits", .text = "64\n"},
	{PCI "/irq", .text = "0\n"},
	{PCI "/resource", .make = text_resource},
	{PCI "/numa_node", .make = text_numa_node},
	{PCI "/local_cpus", .make = text_cpus},
	{PCI "/local_cpulist", .make = text_cpulist},
};

static int make_parents(int root, const char *path)
{
	char part[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(root, part, 0755) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int make_file_of(int root, const char *path, const void *bytes, size_t len, mode_t mode)
{
	int err = make_parents(root, path);
	ssize_t n;
	int fd;

	if (err)
		return err;
	fd = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	n = write(fd, bytes, len);
	err = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : 0; /* a full disk, or RLIMIT_FSIZE */
	close(fd);
	return err;
}

static int make_file(int root, const char *path, const char *text)
{
	return make_file_of(root, path, text, strlen(text), 0444);
}

static int make_entry(const struct tree *t, const struct sysfs_entry *e)
{
	char text[PCI_CONFIG + 1];
	int err;

	if (e->link) {
		err = make_parents(t->root, e->path);
		if (!err && symlinkat(e->link, t->root, e->path))
			err = -errno;
		return err;
	}
	if (e->node)
		return make_file_of(t->root, e->path, "", 0, 0666);
	if (!e->make)
		return make_file(t->root, e->path, e->text);
	err = e->make(t, text, sizeof(text));
	return err < 0 ? -EIO : make_file_of(t->root, e->path, text, (size_t)err, 0444);
}

static const char *gid_type_text(uint8_t type)
{
	return type == 2 ? "RoCE v2\n" : "IB/RoCE v1\n";
}

static void gid_print(const uint8_t gid[16], char text[64])
{
	for (unsigned int b = 0; b < 16; b += 2)
		text += sprintf(text, "%02x%02x%c", gid[b], gid[b + 1], b == 14 ? '\n' : ':');
}

/* Most of the table is empty: a second name of the entry before costs less than a file. */
static int make_gid_alike(int root, const char *path, unsigned int other)
{
	char from[128];

	snprintf(from, sizeof(from), PORT "/gids/%u", other);
	return linkat(root, from, root, path, 0) ? -errno : 0;
}

/* An empty entry has its zero GID only: reading its type fails on a real port, too. */
static int make_gid(const struct tree *t, unsigned int i)
{
	const struct sysfs_gid *g = &t->fn->gids[i];
	char path[128], text[64];
	int err;

	gid_print(g->gid, text);
	snprintf(path, sizeof(path), PORT "/gids/%u", i);
	if (i && g->type == 0xff && t->fn->gids[i - 1].type == 0xff)
		return make_gid_alike(t->root, path, i - 1);
	err = make_file(t->root, path, text);
	if (err || g->type == 0xff)
		return err;
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", i);
	return make_file(t->root, path, gid_type_text(g->type));
}

/*
 * ports/1/counters is what mlx5_ib answers to a PMA query, from the counters of the function's
 * vport: RoCE only, data in units of 4 bytes. hw_counters are those of the driver's Q counter set,
 * and of congestion. The loop wire makes no errors, so those are 0, always.
 */
#define NEVER	       SIZE_MAX
#define COUNTED(field) offsetof(struct port_stats, field)
static const struct {
	const char *path;
	size_t at;
	unsigned int shift;
	size_t less; /* another counter, which is not part of it; 0: none */
} counters[] = {
	{"counters/port_xmit_data", COUNTED(xmit_bytes), 2, 0},
	{"counters/port_rcv_data", COUNTED(rcv_bytes), 2, 0},
	{"counters/port_xmit_packets", COUNTED(xmit_packets), 0, 0},
	{"counters/port_rcv_packets", COUNTED(rcv_packets), 0, 0},
	{"counters/unicast_xmit_packets", COUNTED(xmit_packets), 0,
	 COUNTED(multicast_xmit_packets)},
	{"counters/unicast_rcv_packets", COUNTED(rcv_packets), 0, COUNTED(multicast_rcv_packets)},
	{"counters/multicast_xmit_packets", COUNTED(multicast_xmit_packets), 0, 0},
	{"counters/multicast_rcv_packets", COUNTED(multicast_rcv_packets), 0, 0},
	{"counters/symbol_error", NEVER, 0, 0},
	{"counters/link_error_recovery", NEVER, 0, 0},
	{"counters/link_downed", NEVER, 0, 0},
	{"counters/port_rcv_errors", NEVER, 0, 0},
	{"counters/port_rcv_remote_physical_errors", NEVER, 0, 0},
	{"counters/port_rcv_switch_relay_errors", NEVER, 0, 0},
	{"counters/port_xmit_discards", NEVER, 0, 0},
	{"counters/port_xmit_constraint_errors", NEVER, 0, 0},
	{"counters/port_rcv_constraint_errors", NEVER, 0, 0},
	{"counters/local_link_integrity_errors", NEVER, 0, 0},
	{"counters/excessive_buffer_overrun_errors", NEVER, 0, 0},
	{"counters/VL15_dropped", NEVER, 0, 0},
	{"counters/port_xmit_wait", NEVER, 0, 0},
	{"hw_counters/rx_write_requests", COUNTED(queues.rx_write_requests), 0, 0},
	{"hw_counters/rx_read_requests", COUNTED(queues.rx_read_requests), 0, 0},
	{"hw_counters/rx_atomic_requests", COUNTED(queues.rx_atomic_requests), 0, 0},
	{"hw_counters/rx_dct_connect", COUNTED(queues.rx_dct_connect), 0, 0},
	{"hw_counters/out_of_buffer", COUNTED(queues.out_of_buffer), 0, 0},
	{"hw_counters/out_of_sequence", COUNTED(queues.out_of_sequence), 0, 0},
	{"hw_counters/duplicate_request", COUNTED(queues.duplicate_request), 0, 0},
	{"hw_counters/rnr_nak_retry_err", COUNTED(queues.rnr_nak_retry_err), 0, 0},
	{"hw_counters/packet_seq_err", COUNTED(queues.packet_seq_err), 0, 0},
	{"hw_counters/implied_nak_seq_err", COUNTED(queues.implied_nak_seq_err), 0, 0},
	{"hw_counters/local_ack_timeout_err", COUNTED(queues.local_ack_timeout_err), 0, 0},
	{"hw_counters/resp_local_length_error", COUNTED(queues.resp_local_length_error), 0, 0},
	{"hw_counters/resp_cqe_error", COUNTED(queues.resp_cqe_error), 0, 0},
	{"hw_counters/req_cqe_error", COUNTED(queues.req_cqe_error), 0, 0},
	{"hw_counters/req_remote_invalid_request", COUNTED(queues.req_remote_invalid_request), 0,
	 0},
	{"hw_counters/req_remote_access_errors", COUNTED(queues.req_remote_access_errors), 0, 0},
	{"hw_counters/resp_remote_access_errors", COUNTED(queues.resp_remote_access_errors), 0, 0},
	{"hw_counters/resp_cqe_flush_error", COUNTED(queues.resp_cqe_flush_error), 0, 0},
	{"hw_counters/req_cqe_flush_error", COUNTED(queues.req_cqe_flush_error), 0, 0},
	{"hw_counters/req_transport_retries_exceeded",
	 COUNTED(queues.req_transport_retries_exceeded), 0, 0},
	{"hw_counters/req_rnr_retries_exceeded", COUNTED(queues.req_rnr_retries_exceeded), 0, 0},
	{"hw_counters/np_ecn_marked_roce_packets", COUNTED(np_ecn_marked), 0, 0},
	{"hw_counters/np_cnp_sent", COUNTED(np_cnp_sent), 0, 0},
	{"hw_counters/rp_cnp_handled", COUNTED(rp_cnp_handled), 0, 0},
	{"hw_counters/rp_cnp_ignored", COUNTED(rp_cnp_ignored), 0, 0},
	{"hw_counters/rx_icrc_encapsulated", COUNTED(rx_icrc_errors), 0, 0},
};
#define NCOUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t counter_at(const struct port_stats *stats, size_t at)
{
	uint64_t n;

	memcpy(&n, (const char *)stats + at, sizeof(n));
	return n;
}

static uint64_t counter_value(size_t i, const struct port_stats *stats)
{
	uint64_t n = 0, less = 0;

	/* The part first: it never is more than what is read after it. */
	if (counters[i].less)
		less = counter_at(stats, counters[i].less);
	if (counters[i].at != NEVER)
		n = counter_at(stats, counters[i].at) - less;
	return n >> counters[i].shift;
}

const char *sysfs_hw_counter(unsigned int i, const struct port_stats *stats, uint64_t *value)
{
	static const char folder[] = "hw_counters/";

	for (size_t c = 0; c < NCOUNTERS; c++) {
		if (strncmp(counters[c].path, folder, strlen(folder)) || i--)
			continue;
		*value = counter_value(c, stats);
		return counters[c].path + strlen(folder);
	}
	return NULL;
}

size_t sysfs_counter(const char *path, const struct port_stats *stats, char text[SYSFS_COUNTER])
{
	static const char port[] = "/ports/1/";
	const char *tail = strstr(path, port);

	for (size_t i = 0; tail && i < NCOUNTERS; i++) {
		if (!strcmp(tail + strlen(port), counters[i].path))
			return (size_t)snprintf(text, SYSFS_COUNTER, "%llu\n",
						(unsigned long long)counter_value(i, stats));
	}
	return 0;
}

/* Writing allocates the pages: later stores must not hit a full disk. */
static int make_stats(int root)
{
	const struct port_stats none = {0};
	int fd = openat(root, SYSFS_STATS, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, &none, sizeof(none)) != (ssize_t)sizeof(none))
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static int sysfs_make_counters(const struct tree *t)
{
	int err = make_stats(t->root);
	char path[128];

	for (size_t i = 0; !err && i < NCOUNTERS; i++) {
		snprintf(path, sizeof(path), PORT "/%s", counters[i].path);
		err = make_file(t->root, path, "0\n");
	}
	return err;
}

/* A stand-in of an entry of the machine, for listings: a link with the same text, or a folder. */
static int make_machine_entry(int root, const char *folder, const char *name)
{
	char path[PATH_MAX], to[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/%s/%s", folder, name);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return mkdirat(root, path + strlen("/sys/"), 0755) && errno != EEXIST ? -errno : 0;
	to[n] = 0;
	return symlinkat(to, root, path + strlen("/sys/")) && errno != EEXIST ? -errno : 0;
}

/*
 * Makes a folder of the tree that lists the machine's present entries, too, but none of its RDMA
 * classes.
 */
static int make_shared_folder(int root, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *e;
	int err;
	DIR *d;

	snprintf(path, sizeof(path), "%s/", folder);
	err = make_parents(root, path);
	snprintf(path, sizeof(path), "/sys/%s", folder);
	d = err ? NULL : opendir(path);
	while (d && !err && (e = readdir(d)))
		if (e->d_name[0] != '.' && strncmp(e->d_name, "infiniband", 10))
			err = make_machine_entry(root, folder, e->d_name);
	if (d)
		closedir(d);
	return err;
}

static int make_device(const struct tree *t)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < sizeof(entries) / sizeof(entries[0]); i++)
		err = make_entry(t, &entries[i]);
	for (unsigned int i = 0; !err && i < SYSFS_GIDS; i++)
		err = make_gid(t, i);
	return err ? err : sysfs_make_counters(t);
}

/* The machine's entries come last: one of the device's name is hidden by it. */
static int make_all(const struct tree *t)
{
	static const char *const shared[] = {"class", "devices", "bus/pci/devices",
					     "bus/pci/drivers"};
	int err = 0;

	for (unsigned int i = 0; !err && i < sizeof(core) / sizeof(core[0]); i++)
		err = make_entry(t, &core[i]);
	if (!err && t->fn)
		err = make_device(t);
	for (unsigned int i = 0; !err && i < sizeof(shared) / sizeof(shared[0]); i++)
		err = make_shared_folder(t->root, shared[i]);
	return err;
}

int sysfs_make(const char *root, const struct sysfs_function *fn)
{
	struct tree t = {.fn = fn};
	int err;

	if (mkdir(root, 0755))
		return -errno;
	t.root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = t.root < 0 ? -errno : make_all(&t);
	if (t.root >= 0)
		close(t.root);
	if (err)
		sysfs_remove(root);
	return err;
}

/* A reader of the file finds the old text or the new one. */
static int sysfs_replace(int root, const char *path, const char *text)
{
	char fresh[PATH_MAX];
	int err;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	err = make_file(root, fresh, text);
	if (!err && renameat(root, fresh, root, path))
		err = -errno;
	return err;
}

int sysfs_link(const char *root, bool up)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return -errno;
	err = sysfs_replace(dir, PORT "/state", up ? STATE_ACTIVE : STATE_DOWN);
	if (!err)
		err = sysfs_replace(dir, PORT "/phys_state", up ? PHYS_LINK_UP : PHYS_DISABLED);
	close(dir);
	return err;
}

/*
 * A folder of its own and no link to /sys/class/net: that shows the interfaces of the network
 * namespace in which it was mounted.
 */
static int netdev_file(int dir, const char *interface, const char *name, const char *text)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), PCI "/net/%s/%s", interface, name);
	err = make_parents(dir, path);
	return err ? err : sysfs_replace(dir, path, text);
}

int sysfs_netdev(const char *root, const struct sysfs_netdev *n)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err;
	const uint8_t *a = n->mac;
	char text[32];

	if (dir < 0)
		return -errno;
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x\n", a[0], a[1], a[2], a[3],
		 a[4], a[5]);
	err = netdev_file(dir, n->interface, "address", text);
	snprintf(text, sizeof(text), "%u\n", n->mtu);
	err = err ? err : netdev_file(dir, n->interface, "mtu", text);
	err = err ? err : netdev_file(dir, n->interface, "operstate", n->up ? "up\n" : "down\n");
	err = err ? err : netdev_file(dir, n->interface, "dev_id", "0x0\n");
	err = err ? err : netdev_file(dir, n->interface, "dev_port", "0\n");
	err = err ? err : netdev_file(dir, n->interface, "type", "1\n");
	close(dir);
	return err;
}

static int gid_replace(int dir, unsigned int index, const struct sysfs_gid *g,
		       const char *interface)
{
	char path[128], text[64];
	int err;

	gid_print(g->gid, text);
	snprintf(path, sizeof(path), PORT "/gids/%u", index);
	err = sysfs_replace(dir, path, text);
	if (err || g->type == 0xff)
		return err;
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", index);
	err = sysfs_replace(dir, path, gid_type_text(g->type));
	if (err)
		return err;
	snprintf(path, sizeof(path), PORT "/gid_attrs/ndevs/%u", index);
	snprintf(text, sizeof(text), "%s\n", interface);
	return sysfs_replace(dir, path, text);
}

int sysfs_gid(const char *root, unsigned int index, const struct sysfs_gid *g,
	      const char *interface)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;
	char path[128];
	bool was;

	if (dir < 0)
		return -errno;
	snprintf(path, sizeof(path), PORT "/gid_attrs/types/%u", index);
	was = !faccessat(dir, path, F_OK, 0);
	if (was && g->type == 0xff) {
		unlinkat(dir, path, 0);
		snprintf(path, sizeof(path), PORT "/gid_attrs/ndevs/%u", index);
		unlinkat(dir, path, 0);
	}
	if (was || g->type != 0xff)
		err = gid_replace(dir, index, g, interface);
	close(dir);
	return err;
}

int sysfs_stats(const char *root)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" SYSFS_STATS, root);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Uses one descriptor at a time: a server without descriptors must be able to remove its tree. */
void sysfs_remove(const char *root)
{
	nftw(root, remove_entry, 1, FTW_DEPTH | FTW_PHYS);
}
