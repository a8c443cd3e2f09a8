/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include "priv.h"

/* Writes the PCI address (0000:3b:00.0) from the device's sysfs path; "" if it has none. */
static void pci_of(const struct ibv_device *ibdev, char *out, size_t len)
{
	char path[PATH_MAX], real[PATH_MAX];
	const char *base;
	unsigned int d[4];
	int used = 0;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/device", ibdev->ibdev_path);
	if (!realpath(path, real))
		return;
	base = strrchr(real, '/') + 1;
	if (sscanf(base, "%x:%x:%x.%x%n", &d[0], &d[1], &d[2], &d[3], &used) == 4 && !base[used])
		snprintf(out, len, "%s", base);
}

static int read_node(const struct ibv_device *ibdev)
{
	char path[PATH_MAX];
	int node = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/device/numa_node", ibdev->ibdev_path);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &node) != 1)
		node = -1;
	fclose(f);
	return node;
}

/* Lists the devices; none if the kernel has no RDMA (ENOSYS). */
static int dev_enumerate(struct ibv_device ***all, int *total)
{
	*total = 0;
	*all = ibv_get_device_list(total);
	if (!*all && errno != ENOSYS)
		return dvx_fail(errno, "libibverbs returns no device list");
	return 0;
}

static void dev_describe(struct ibv_device *ibdev, struct dvx_dev_info *info)
{
	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "%s", ibv_get_device_name(ibdev));
	pci_of(ibdev, info->pci, sizeof(info->pci));
	info->guid = be64toh(ibv_get_device_guid(ibdev));
}

int dvx_dev_list(struct dvx_dev_info **list, size_t *count)
{
	struct dvx_dev_info *infos;
	struct ibv_device **all;
	size_t n = 0;
	int total, i, err = dvx_check_not_null("dvx_dev_list", "list", list, "count", count, NULL);

	if (!err)
		err = dev_enumerate(&all, &total);
	if (err)
		return err;
	infos = calloc((size_t)total + 1, sizeof(*infos));
	for (i = 0; infos && i < total; i++)
		if (mlx5dv_is_supported(all[i]))
			dev_describe(all[i], &infos[n++]);
	if (all)
		ibv_free_device_list(all);
	if (!infos)
		return dvx_fail(ENOMEM, "no memory for %d devices", total);
	*list = infos;
	*count = n;
	return 0;
}

void dvx_dev_list_free(struct dvx_dev_info *list)
{
	free(list);
}

/* Parses 16 hex digits, with or without colons or 0x. */
static bool dev_parse_guid(const char *s, uint64_t *guid)
{
	uint64_t v = 0;
	int digits = 0;

	if (!strncmp(s, "0x", 2))
		s += 2;
	for (; *s; s++) {
		if (*s == ':')
			continue;
		if (!isxdigit((unsigned char)*s) || ++digits > 16)
			return false;
		v = v << 4 |
		    (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : (*s | 0x20) - 'a' + 10);
	}
	*guid = v;
	return digits == 16;
}

static bool dev_matches(const struct dvx_dev_info *info, const char *which)
{
	uint64_t guid;

	if (!which || !strcmp(info->name, which))
		return true;
	if (info->pci[0] && (!strcasecmp(info->pci, which) || (!strncmp(info->pci, "0000:", 5) &&
							       !strcasecmp(info->pci + 5, which))))
		return true;
	return dev_parse_guid(which, &guid) && guid == info->guid;
}

static int dev_start(struct ibv_context *ctx, bool owned, struct dvx_dev **out)
{
	struct dvx_dev *dev = calloc(1, sizeof(*dev));
	int err;

	if (!dev)
		return dvx_fail(ENOMEM, "no memory for a device");
	dev->ctx = ctx;
	dev->node = read_node(ctx->device);
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->watch_lock, NULL);
	err = dvx_caps_read(dev);
	if (err) {
		dvx_caps_free(dev);
		pthread_mutex_destroy(&dev->watch_lock);
		pthread_mutex_destroy(&dev->lock);
		free(dev);
		return err;
	}
	dev->owned = owned;
	*out = dev;
	return 0;
}

static int open_one(struct ibv_device *ibdev, struct dvx_dev **out)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_context *ctx = mlx5dv_open_device(ibdev, &attr);
	int err;

	if (!ctx)
		return dvx_fail(EOPNOTSUPP, "%s gives no DevX context (%s)",
				ibv_get_device_name(ibdev), strerrordesc_np(errno));
	err = dev_start(ctx, true, out);
	if (err)
		ibv_close_device(ctx);
	return err;
}

/* Finds a device. The caller frees the list `*all`, which *ibdev is a member of. */
static int dev_find(const char *which, struct ibv_device ***all, struct ibv_device **ibdev,
		    struct dvx_dev_info *info)
{
	int total, i, err = dev_enumerate(all, &total);

	if (err)
		return err;
	for (i = 0; i < total; i++) {
		*ibdev = (*all)[i];
		if (!mlx5dv_is_supported(*ibdev))
			continue;
		dev_describe(*ibdev, info);
		if (dev_matches(info, which))
			return 0;
	}
	if (*all)
		ibv_free_device_list(*all);
	return dvx_fail(ENODEV, "no mlx5 device %s%samong %d RDMA devices (%s)", which ? which : "",
			which ? " " : "", total,
			total ? "dvx-info list names those that are"
			      : "dvx-info doctor finds out why");
}

int dvx_dev_find(const char *which, struct dvx_dev_info *out)
{
	struct ibv_device **all, *ibdev;
	struct dvx_dev_info info;
	int err = dvx_check_not_null("dvx_dev_find", "out", out, NULL);

	if (!err)
		err = dev_find(which, &all, &ibdev, &info);
	if (err)
		return err;
	ibv_free_device_list(all);
	*out = info;
	return 0;
}

int dvx_dev_open(const char *which, struct dvx_dev **out)
{
	struct ibv_device **all, *ibdev;
	struct dvx_dev_info info;
	int err = dvx_check_not_null("dvx_dev_open", "out", out, NULL);

	if (!err)
		err = dev_find(which, &all, &ibdev, &info);
	if (err)
		return err;
	err = open_one(ibdev, out);
	ibv_free_device_list(all);
	return err;
}

int dvx_dev_adopt(struct ibv_context *ctx, struct dvx_dev **out)
{
	int err = dvx_check_not_null("dvx_dev_adopt", "ctx", ctx, "out", out, NULL);

	if (err)
		return err;
	if (!mlx5dv_is_supported(ctx->device))
		return dvx_fail(EINVAL, "dvx_dev_adopt: not the context of an mlx5 device");
	return dev_start(ctx, false, out);
}

int dvx_dev_close(struct dvx_dev *dev)
{
	if (!dev)
		return 0;
	if (dvx_in_use(&dev->refs))
		return dvx_fail(EBUSY, "%s: %d objects are still there", dvx_dev_name(dev),
				dev->refs);
	if (dev->owned && ibv_close_device(dev->ctx))
		return dvx_fail(errno ? errno : EBUSY, "the device can't be closed");
	dvx_caps_free(dev);
	pthread_mutex_destroy(&dev->watch_lock);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
	return 0;
}

const char *dvx_dev_name(const struct dvx_dev *dev)
{
	return ibv_get_device_name(dev->ctx->device);
}

struct ibv_context *dvx_dev_ibv(struct dvx_dev *dev)
{
	return dev->ctx;
}

int dvx_dev_node(const struct dvx_dev *dev)
{
	return dev->node;
}

const struct dvx_caps *dvx_dev_caps(const struct dvx_dev *dev)
{
	return &dev->caps;
}

int dvx_dev_gid(struct dvx_dev *dev, uint8_t port, uint32_t index, uint8_t gid[16])
{
	union ibv_gid g;
	static const uint8_t none[16];
	int err = dvx_check_not_null("dvx_dev_gid", "dev", dev, "gid", gid, NULL);

	if (err)
		return err;
	if (ibv_query_gid(dev->ctx, port, (int)index, &g) || !memcmp(g.raw, none, sizeof(none)))
		return dvx_fail(ENOENT, "port %u has no GID with index %u", port, index);
	memcpy(gid, g.raw, sizeof(g.raw));
	return 0;
}

void dvx_adopted_add(struct dvx_dev *dev, struct dvx_adopted *a, const void *verbs, void *object)
{
	a->verbs = verbs;
	a->object = object;
	pthread_mutex_lock(&dev->lock);
	a->next = dev->adopted;
	dev->adopted = a;
	pthread_mutex_unlock(&dev->lock);
	dvx_ref(&dev->refs);
}

void dvx_adopted_remove(struct dvx_dev *dev, struct dvx_adopted *a)
{
	struct dvx_adopted **p;

	pthread_mutex_lock(&dev->lock);
	for (p = &dev->adopted; *p != a; p = &(*p)->next)
		;
	*p = a->next;
	pthread_mutex_unlock(&dev->lock);
	dvx_unref(&dev->refs);
}

void *dvx_adopted(struct dvx_dev *dev, const void *verbs)
{
	struct dvx_adopted *a;

	pthread_mutex_lock(&dev->lock);
	for (a = dev->adopted; a && a->verbs != verbs; a = a->next)
		;
	pthread_mutex_unlock(&dev->lock);
	return a ? a->object : NULL;
}
