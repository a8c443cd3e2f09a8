/* SPDX-License-Identifier: BSD-2-Clause */
/* Domains and their tables. */
#include <dvx/prm/cap.h>
#include "flow_priv.h"

/* libmlx5 gives only an errno: checks what a domain needs, in libmlx5's order. */
static int flow_domain_refused(struct dvx_dev *dev, int err)
{
	const void *cap;

	if (!dev->caps.roce)
		return dvx_fail(EOPNOTSUPP, "dvx_flow_domain_create: port 1 of %s is not Ethernet",
				dvx_dev_name(dev));
	if (!dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) &&
	    !prm_cmd_hca_cap_get_nic_flow_table(cap))
		return dvx_fail(EOPNOTSUPP, "dvx_flow_domain_create: %s has no nic_flow_table",
				dvx_dev_name(dev));
	if (!dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_DEV_MEM, &cap) &&
	    !prm_device_mem_cap_get_log_steering_sw_icm_size(cap))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_domain_create: log_steering_sw_icm_size of %s is 0: no "
				"memory for steering entries",
				dvx_dev_name(dev));
	return dvx_fail(err ? err : EIO, "dvx_flow_domain_create: libmlx5 refuses a domain on %s",
			dvx_dev_name(dev));
}

static int flow_domain_check(const struct dvx_flow_domain_attr *attr)
{
	if (attr->flags & ~(uint32_t)DVX_FLOW_NO_DUPLICATES)
		return dvx_fail(EINVAL, "dvx_flow_domain_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	if (attr->side != DVX_FLOW_RX && attr->side != DVX_FLOW_TX)
		return dvx_fail(EINVAL, "dvx_flow_domain_create: attr.side %u is neither RX nor TX",
				(unsigned int)attr->side);
	return 0;
}

int dvx_flow_domain_create(struct dvx_dev *dev, const struct dvx_flow_domain_attr *user,
			   struct dvx_flow_domain **out)
{
	struct dvx_flow_domain_attr attr;
	struct dvx_flow_domain *domain;
	int err = dvx_attr_copy(&attr, user, "dvx_flow_domain_create");

	if (!err)
		err = dvx_given("dvx_flow_domain_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = flow_domain_check(&attr);
	if (err)
		return err;
	domain = calloc(1, sizeof(*domain));
	if (!domain)
		return dvx_fail(ENOMEM, "no memory for a steering domain");
	domain->dev = dev;
	domain->side = attr.side;
	errno = 0;
	domain->dr = mlx5dv_dr_domain_create(dev->ctx, attr.side == DVX_FLOW_TX
							       ? MLX5DV_DR_DOMAIN_TYPE_NIC_TX
							       : MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	if (!domain->dr) {
		free(domain);
		return flow_domain_refused(dev, errno);
	}
	domain->levels = dvx_flow_software_owned(domain);
	mlx5dv_dr_domain_set_reclaim_device_memory(domain->dr, true);
	if (domain->levels && attr.flags & DVX_FLOW_NO_DUPLICATES)
		mlx5dv_dr_domain_allow_duplicate_rules(domain->dr, false);
	dvx_ref(&dev->refs);
	*out = domain;
	return 0;
}

int dvx_flow_domain_destroy(struct dvx_flow_domain *domain)
{
	int ret;

	if (!domain)
		return 0;
	if (dvx_in_use(&domain->refs))
		return dvx_fail(EBUSY, "steering domain: %d tables or actions are still in it",
				domain->refs);
	ret = mlx5dv_dr_domain_destroy(domain->dr);
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the steering domain");
	dvx_unref(&domain->dev->refs);
	free(domain);
	return 0;
}

bool dvx_flow_domain_has_levels(const struct dvx_flow_domain *domain)
{
	return domain->levels;
}

/* The root needs no sync: its calls return when the device has the change. */
int dvx_flow_domain_sync(struct dvx_flow_domain *domain)
{
	int ret = dvx_given("dvx_flow_domain_sync", "domain", domain, NULL);

	if (ret)
		return ret;
	if (!domain->levels)
		return 0;
	ret = mlx5dv_dr_domain_sync(domain->dr, MLX5DV_DR_DOMAIN_SYNC_FLAGS_SW |
							MLX5DV_DR_DOMAIN_SYNC_FLAGS_HW);
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "dvx_flow_domain_sync: libmlx5 refuses");
	return 0;
}

/* libmlx5 takes steering memory in pieces of an eighth, at most 64 MiB (dr_domain.c,
 * dr_icm_pool.c). */
#define PIECES	      3u
#define LOG_PIECE_MAX 26u

static bool another_piece(struct dvx_dev *dev)
{
	struct mlx5dv_alloc_dm_attr kind = {.type = MLX5DV_DM_TYPE_STEERING_SW_ICM};
	struct ibv_alloc_dm_attr attr = {0};
	struct ibv_dm *dm;
	const void *cap;
	uint32_t log;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_DEV_MEM, &cap))
		return true;
	log = prm_device_mem_cap_get_log_steering_sw_icm_size(cap);
	log = log < PIECES ? 0 : log - PIECES;
	attr.length = 1ul << (log > LOG_PIECE_MAX ? LOG_PIECE_MAX : log);
	dm = mlx5dv_alloc_dm(dev->ctx, &attr, &kind);
	if (dm)
		ibv_free_dm(dm);
	return dm != NULL;
}

bool dvx_flow_domain_has_room(struct dvx_flow_domain *domain)
{
	if (!domain->levels || another_piece(domain->dev))
		return true;
	/* Returns empty pieces to the device. */
	mlx5dv_dr_domain_sync(domain->dr, MLX5DV_DR_DOMAIN_SYNC_FLAGS_MEM);
	return another_piece(domain->dev);
}

/* libmlx5 returns mostly what fprintf() returned. */
static int flow_dumped(const char *call, int ret)
{
	if (ret == -1)
		return dvx_fail(errno ? errno : EIO, "%s: the dump can't be written", call);
	return ret ? dvx_fail(ret < 0 ? -ret : ret, "%s: libmlx5 refuses", call) : 0;
}

int dvx_flow_domain_dump(struct dvx_flow_domain *domain, FILE *to)
{
	int ret = dvx_given("dvx_flow_domain_dump", "domain", domain, "to", to, NULL);

	if (ret)
		return ret;
	errno = 0;
	return flow_dumped("dvx_flow_domain_dump", mlx5dv_dump_dr_domain(to, domain->dr));
}

int dvx_flow_table_dump(struct dvx_flow_table *table, FILE *to)
{
	int ret = dvx_given("dvx_flow_table_dump", "table", table, "to", to, NULL);

	if (ret)
		return ret;
	errno = 0;
	return flow_dumped("dvx_flow_table_dump", mlx5dv_dump_dr_table(to, table->dr));
}

/* ---- Tables ---- */

static int flow_domain_lacks(const struct dvx_flow_domain *domain, uint32_t level)
{
	return dvx_fail(EOPNOTSUPP,
			"dvx_flow_table_create: level %u: %s lacks %s, it has only the root (0)",
			level, dvx_dev_name(domain->dev), dvx_flow_lacks_levels(domain));
}

static int check_level(const struct dvx_flow_domain *domain, uint32_t level)
{
	const void *props;
	uint32_t max;

	if (!level)
		return 0;
	if (!domain->levels)
		return flow_domain_lacks(domain, level);
	props = dvx_flow_props(domain);
	max = props ? prm_flow_table_prop_layout_get_max_ft_level(props) : 0;
	if (max && level >= max)
		return dvx_fail(ERANGE, "dvx_flow_table_create: level %u is not below %u", level,
				max);
	return 0;
}

int dvx_flow_table_create(struct dvx_flow_domain *domain, uint32_t level,
			  struct dvx_flow_table **out)
{
	struct dvx_flow_table *table;
	int err = dvx_given("dvx_flow_table_create", "domain", domain, "out", out, NULL);

	if (!err)
		err = check_level(domain, level);
	if (err)
		return err;
	table = calloc(1, sizeof(*table));
	if (!table)
		return dvx_fail(ENOMEM, "no memory for a flow table");
	errno = 0;
	table->dr = mlx5dv_dr_table_create(domain->dr, level);
	if (!table->dr) {
		free(table);
		if (level && *dvx_flow_lacks_levels(domain))
			return flow_domain_lacks(domain, level);
		return dvx_fail(errno ? errno : EIO,
				"dvx_flow_table_create: libmlx5 refuses a table of level %u",
				level);
	}
	table->domain = domain;
	table->level = level;
	dvx_ref(&domain->refs);
	*out = table;
	return 0;
}

int dvx_flow_table_destroy(struct dvx_flow_table *table)
{
	int ret;

	if (!table)
		return 0;
	if (dvx_in_use(&table->refs))
		return dvx_fail(EBUSY,
				"flow table of level %u: %d matchers or actions still need it",
				table->level, table->refs);
	ret = mlx5dv_dr_table_destroy(table->dr);
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the flow table");
	dvx_unref(&table->domain->refs);
	free(table);
	return 0;
}

uint32_t dvx_flow_table_level(const struct dvx_flow_table *table)
{
	return table->level;
}

uint64_t dvx_flow_table_id(const struct dvx_flow_table *table)
{
	return (uintptr_t)table->dr;
}
