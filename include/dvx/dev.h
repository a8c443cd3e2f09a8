/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_DEV_H
#define DVX_DEV_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

struct ibv_context;

struct dvx_dev_info {
	char name[64]; /* mlx5_0 */
	char pci[16];  /* 0000:3b:00.0; empty if there is none */
	uint64_t guid; /* node GUID, as a number */
};

/* Lists the mlx5 devices that the process sees; *count may be 0. Free with dvx_dev_list_free(). */
int dvx_dev_list(struct dvx_dev_info **list, size_t *count);
void dvx_dev_list_free(struct dvx_dev_info *list);

/*
 * Opens a device with DevX rights. `which` is a name (mlx5_0), a PCI address (3b:00.0 or
 * 0000:3b:00.0) or a node GUID (0x506b4b0300ca1234 or 506b:4b03:00ca:1234); NULL takes the first.
 * -ENODEV: no such device; -EOPNOTSUPP: the device offers no DevX context.
 */
int dvx_dev_open(const char *which, struct dvx_dev **out);
/* Finds the device as dvx_dev_open() does, without opening it, which needs no rights on it. */
int dvx_dev_find(const char *which, struct dvx_dev_info *out);
/* Uses a context that the caller opened (mlx5dv_open_device with DEVX) and closes afterwards. */
int dvx_dev_adopt(struct ibv_context *ctx, struct dvx_dev **out);
/* Closes the device. -EBUSY while objects of the device exist. */
int dvx_dev_close(struct dvx_dev *dev);

/* Both results belong to dev. */
const char *dvx_dev_name(const struct dvx_dev *dev);
struct ibv_context *dvx_dev_ibv(struct dvx_dev *dev);
/* Returns the device's NUMA node, -1 if it has none. */
int dvx_dev_node(const struct dvx_dev *dev);

/* Capabilities that rings and copies depend on; read once, when the device is opened. */
struct dvx_caps {
	uint16_t vhca_id;
	bool roce; /* ports are Ethernet */
	bool bf;   /* BlueFlame registers */
	uint8_t log_bf_reg_size;
	uint8_t log_max_qp_blocks; /* of an SQ or RQ, in 64-byte blocks */
	uint8_t log_max_cq_entries;
	uint16_t max_wqe_bytes; /* of one SQ WQE */
	uint8_t num_ports;
	/* the MMO DMA engine: dvx_post_dma() (post.h) */
	bool dma_mmo;
	uint64_t dma_mmo_max; /* bytes of one copy; at most 2 GiB, a WQE's limit */
	/* aliases (mkey.h): other functions can use mkeys of this one; this one can use theirs */
	bool mkey_export;
	bool mkey_import;
	uint8_t min_mkey_log_entity;
	/* the accesses that DVX_RELAXED_ORDERING relaxes on this device */
	bool relaxed_write;
	bool relaxed_read;
	/* the e-switch has representors, so the kernel uses reg_c_0 and reg_c_1; true if unknown */
	bool switchdev;
};

const struct dvx_caps *dvx_dev_caps(const struct dvx_dev *dev);

/*
 * Reads a capability page (4096 bytes, for the accessors prm_cmd_hca_cap_get_*) by its PRM type:
 * 0x0 general, 0x20 general 2. It has the current values, not the maxima, and is valid until the
 * device is closed. PRM: QUERY_HCA_CAP.
 */
int dvx_dev_cap_page(struct dvx_dev *dev, uint16_t type, const void **page);

/* Reads a port's GID. -ENOENT: no such entry. */
int dvx_dev_gid(struct dvx_dev *dev, uint8_t port, uint32_t index, uint8_t gid[16]);

/* Firmware and board of a device. */
struct dvx_ident {
	char firmware[64]; /* 24.35.1012 */
	char board[64];	   /* the PSID: MT_0000000012 */
	uint32_t part_id;  /* PCI device */
	uint32_t hw_ver;
	uint32_t reserved[6];
};

int dvx_dev_ident(struct dvx_dev *dev, struct dvx_ident *out);

enum dvx_port_state {
	DVX_PORT_NOP = 0,
	DVX_PORT_DOWN = 1,
	DVX_PORT_INIT = 2,
	DVX_PORT_ARMED = 3,
	DVX_PORT_ACTIVE = 4,
	DVX_PORT_ACTIVE_DEFER = 5,
};

struct dvx_port {
	enum dvx_port_state state;
	bool ethernet; /* or InfiniBand */
	uint16_t lid;
	uint32_t mtu, max_mtu; /* of RDMA packets, bytes; 0: unknown */
	uint32_t mbps;	       /* nominal; 0: unknown */
	uint32_t gids;	       /* the size of its GID table */
	uint32_t reserved[4];
};

/* Reads the state of a port; ports are numbered from 1. */
int dvx_dev_port(struct dvx_dev *dev, uint8_t port, struct dvx_port *out);

enum dvx_gid_type {
	DVX_GID_IB_ROCE_V1 = 0, /* InfiniBand's, or RoCE v1 on an Ethernet port */
	DVX_GID_ROCE_V1 = 1,
	DVX_GID_ROCE_V2 = 2,
};

struct dvx_gid {
	uint8_t gid[16];
	uint32_t index;	  /* in the port's table: dvx_qp_local.gid_index */
	uint32_t ifindex; /* of the network interface, 0 if it has none */
	uint8_t port;
	enum dvx_gid_type type;
};

/* Lists all GIDs of all ports, without empty entries. Free with dvx_gids_free(). */
int dvx_dev_gids(struct dvx_dev *dev, struct dvx_gid **list, size_t *count);
void dvx_gids_free(struct dvx_gid *list);

DVX_END_DECLS

#endif
