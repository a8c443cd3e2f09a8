/* SPDX-License-Identifier: BSD-2-Clause */
#include "sysfs_priv.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCI_VENDOR 0x15b3

struct tree {
	int root;
	const struct sysfs_function *fn;
};

typedef int (*text_fn)(const struct tree *, char *text, size_t size);

/*
 * One entry: a link if `link`, the stand-in of a character device if `node`, a file of fixed text
 * if `text`, otherwise a file with the output of `make`.
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
 * The configuration space, for lspci and other readers. There are no BARs (registers are in a
 * memfd), so no MSI-X, whose table would be in one, and no extended capability. The PCI Express
 * capability agrees with the link's files: 16 lanes of 16 GT/s.
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
		{0x34, 0x60},	    /* start of the list */
		{0x60, 0x00020010}, /* PCI Express, the last one, version 2, an endpoint */
		{0x64, 0x10008022}, /* supported: payload 512, extended tags, errors by role, FLR */
		{0x68, 0x00002930}, /* enabled: payload 256, reads 512, tags, relaxed, no snoop */
		{0x6c, 0x00000104}, /* the link's maximum: speed 4 (16 GT/s), width 16 */
		{0x70, 0x01040000}, /* the link now */
		{0x8c, 0x0000001e}, /* speeds up to 16 GT/s */
		{0x90, 0x00000004}, /* target: 16 GT/s */
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

/* Lists six BARs, the ROM and the windows of bridges, all empty. */
static int text_resource(const struct tree *t, char *s, size_t n)
{
	static const char none[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
	size_t len = 0;

	(void)t;
	for (unsigned int i = 0; i < 13 && len + sizeof(none) <= n; i++, len += sizeof(none) - 1)
		memcpy(s + len, none, sizeof(none));
	return (int)len;
}

/* The device is at the machine's first NUMA node, or at none; all CPUs are local. */
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

/* Entries of the kernel's modules, present without devices, too. */
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

/* Files of each port. */
static const struct {
	const char *name, *text;
} port_files[] = {
	{"state", STATE_ACTIVE},
	{"phys_state", PHYS_LINK_UP},
	{"rate", "100 Gb/sec (4X EDR)\n"},
	{"link_layer", "Ethernet\n"},
	{"lid", "0x0\n"},
	{"lid_mask_count", "0\n"},
	{"sm_lid", "0x0\n"},
	{"sm_sl", "0\n"},
	{"cap_mask", "0x04010000\n"},
	{"pkeys/0", "0xffff\n"},
};

static int make_entry(const struct tree *t, const struct sysfs_entry *e)
{
	char text[PCI_CONFIG + 1];
	int err;

	if (e->link) {
		err = sysfs_make_parents(t->root, e->path);
		if (!err && symlinkat(e->link, t->root, e->path))
			err = -errno;
		return err;
	}
	if (e->node)
		return sysfs_make_bytes(t->root, e->path, "", 0, 0666);
	if (!e->make)
		return sysfs_make_file(t->root, e->path, e->text);
	err = e->make(t, text, sizeof(text));
	return err < 0 ? -EIO : sysfs_make_bytes(t->root, e->path, text, (size_t)err, 0444);
}

/* Links an empty entry to the one before: most entries are empty, and a link is cheaper. */
static int make_gid_alike(int root, const char *folder, unsigned int i)
{
	char from[128], to[128];

	snprintf(from, sizeof(from), PORT "/%s/%u", folder, i - 1);
	snprintf(to, sizeof(to), PORT "/%s/%u", folder, i);
	return linkat(root, from, root, to, 0) ? -errno : 0;
}

/* Makes a GID's files; an empty entry's are empty, and hooks_open.c refuses to read them. */
static int make_gid(const struct tree *t, unsigned int i)
{
	const struct sysfs_gid *g = &t->fn->gids[i];
	const bool alike = i && g->type == 0xff && t->fn->gids[i - 1].type == 0xff;
	char text[64], path[128];
	const struct {
		const char *folder, *text;
	} files[] = {
		{"gids", text},
		{"gid_attrs/types", g->type == 0xff ? "" : sysfs_gid_type(g->type)},
		{"gid_attrs/ndevs", ""},
	};
	int err = 0;

	sysfs_print_gid(g->gid, text);
	for (unsigned int k = 0; !err && k < sizeof(files) / sizeof(files[0]); k++) {
		snprintf(path, sizeof(path), PORT "/%s/%u", files[k].folder, i);
		err = alike ? make_gid_alike(t->root, files[k].folder, i)
			    : sysfs_make_file(t->root, path, files[k].text);
	}
	return err;
}

/* Makes a stand-in of the machine's entry, for listings: a link with the same text, or a folder. */
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
 * Makes a folder of the tree that also lists the machine's present entries, but none of its RDMA
 * classes.
 */
static int make_shared_folder(int root, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *e;
	int err;
	DIR *d;

	snprintf(path, sizeof(path), "%s/", folder);
	err = sysfs_make_parents(root, path);
	snprintf(path, sizeof(path), "/sys/%s", folder);
	d = err ? NULL : opendir(path);
	while (d && !err && (e = readdir(d)))
		if (e->d_name[0] != '.' && strncmp(e->d_name, "infiniband", 10))
			err = make_machine_entry(root, folder, e->d_name);
	if (d)
		closedir(d);
	return err;
}

static int make_port(const struct tree *t, unsigned int port)
{
	char path[128];
	int err = 0;

	for (unsigned int i = 0; !err && i < sizeof(port_files) / sizeof(port_files[0]); i++) {
		snprintf(path, sizeof(path), PORTS "/%u/%s", port, port_files[i].name);
		err = sysfs_make_file(t->root, path, port_files[i].text);
	}
	return err;
}

static int make_eswitch(const struct tree *t)
{
	char text[16];

	if (!t->fn->eswitch)
		return 0;
	snprintf(text, sizeof(text), "%u %u\n", t->fn->switchdev, t->fn->inline_l2);
	return sysfs_make_file(t->root, SYSFS_ESWITCH, text);
}

static int make_device(const struct tree *t)
{
	int err = make_eswitch(t);

	for (unsigned int port = 1; !err && port <= t->fn->ports; port++)
		err = make_port(t, port);
	for (unsigned int i = 0; !err && i < sizeof(entries) / sizeof(entries[0]); i++)
		err = make_entry(t, &entries[i]);
	for (unsigned int i = 0; !err && i < SYSFS_GIDS; i++)
		err = make_gid(t, i);
	return err ? err : sysfs_make_counters(t->root);
}

/* The machine's entries come last: the device hides an entry of the same name. */
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

/* Uses one descriptor at a time: a server without descriptors must be able to remove its tree. */
void sysfs_remove(const char *root)
{
	char *const roots[] = {(char *)(uintptr_t)root, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *e;

	while (tree && (e = fts_read(tree)))
		if (e->fts_info != FTS_D)
			(e->fts_info == FTS_DP ? rmdir : unlink)(e->fts_accpath);
	if (tree)
		fts_close(tree);
}
