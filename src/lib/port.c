/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "priv.h"

/* Returns the nominal Mbit/s of one lane, by the IBTA's bit for the speed. */
static uint32_t port_lane_rate(uint8_t speed)
{
	static const struct {
		uint8_t bit;
		uint32_t mbps;
	} rates[] = {{1, 2500},	  {2, 5000},   {4, 10000},  {8, 10000},
		     {16, 14000}, {32, 25000}, {64, 50000}, {128, 100000}};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i].bit == speed)
			return rates[i].mbps;
	return 0;
}

static uint32_t port_lanes(uint8_t width)
{
	static const uint8_t by_bit[] = {1, 4, 8, 12, 2};

	for (unsigned int i = 0; i < sizeof(by_bit); i++)
		if (width == 1u << i)
			return by_bit[i];
	return 0;
}

static uint32_t port_mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

int dvx_dev_port(struct dvx_dev *dev, uint8_t port, struct dvx_port *out)
{
	struct ibv_port_attr attr;
	int err = dvx_check_not_null("dvx_dev_port", "dev", dev, "out", out, NULL);

	if (!err && dev->caps.num_ports && (!port || port > dev->caps.num_ports))
		err = dvx_fail(EINVAL, "dvx_dev_port: port is %u, not 1 to %u", port,
			       dev->caps.num_ports);
	if (err)
		return err;
	err = ibv_query_port(dev->ctx, port, &attr);
	if (err)
		return dvx_fail(err, "%s: port %u can't be queried", dvx_dev_name(dev), port);
	memset(out, 0, sizeof(*out));
	out->state = (enum dvx_port_state)attr.state;
	out->ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	out->lid = attr.lid;
	out->mtu = port_mtu_bytes(attr.active_mtu);
	out->max_mtu = port_mtu_bytes(attr.max_mtu);
	out->mbps = port_lane_rate(attr.active_speed) * port_lanes(attr.active_width);
	out->gids = attr.gid_tbl_len > 0 ? (uint32_t)attr.gid_tbl_len : 0;
	return 0;
}

static void port_read_board(const struct ibv_device *ibdev, char *out, size_t len)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/board_id", ibdev->ibdev_path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, out, len - 1);
	if (fd >= 0)
		close(fd);
	out[n < 0 ? 0 : n] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

int dvx_dev_ident(struct dvx_dev *dev, struct dvx_ident *out)
{
	struct ibv_device_attr attr;
	int err = dvx_check_not_null("dvx_dev_ident", "dev", dev, "out", out, NULL);

	if (err)
		return err;
	err = ibv_query_device(dev->ctx, &attr);
	if (err)
		return dvx_fail(err, "%s can't be queried", dvx_dev_name(dev));
	memset(out, 0, sizeof(*out));
	snprintf(out->firmware, sizeof(out->firmware), "%s", attr.fw_ver);
	port_read_board(dev->ctx->device, out->board, sizeof(out->board));
	out->part_id = attr.vendor_part_id;
	out->hw_ver = attr.hw_ver;
	return 0;
}

/* Returns the size of all ports' tables. The kernel returns only the entries in use. */
static size_t port_gid_count(struct dvx_dev *dev)
{
	struct dvx_port port;
	size_t n = 0;

	for (unsigned int p = 1; p <= dev->caps.num_ports; p++)
		if (!dvx_dev_port(dev, (uint8_t)p, &port))
			n += port.gids;
	return n ? n : 1;
}

static void port_gid_convert(const struct ibv_gid_entry *e, struct dvx_gid *out)
{
	memcpy(out->gid, e->gid.raw, sizeof(out->gid));
	out->index = e->gid_index;
	out->ifindex = e->ndev_ifindex;
	out->port = (uint8_t)e->port_num;
	out->type = (enum dvx_gid_type)e->gid_type;
}

int dvx_dev_gids(struct dvx_dev *dev, struct dvx_gid **list, size_t *count)
{
	int err =
		dvx_check_not_null("dvx_dev_gids", "dev", dev, "list", list, "count", count, NULL);
	struct ibv_gid_entry *raw;
	struct dvx_gid *gids;
	size_t max;
	ssize_t n;

	if (err)
		return err;
	max = port_gid_count(dev);
	raw = calloc(max, sizeof(*raw));
	gids = calloc(max, sizeof(*gids));
	n = raw && gids ? ibv_query_gid_table(dev->ctx, raw, max, 0) : -ENOMEM;
	for (ssize_t i = 0; i < n; i++)
		port_gid_convert(&raw[i], &gids[i]);
	free(raw);
	if (n < 0) {
		free(gids);
		return dvx_fail((int)-n, "%s: the GID table can't be read", dvx_dev_name(dev));
	}
	*list = gids;
	*count = (size_t)n;
	return 0;
}

void dvx_gids_free(struct dvx_gid *list)
{
	free(list);
}
