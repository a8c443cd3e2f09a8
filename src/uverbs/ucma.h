/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef UVERBS_UCMA_H
#define UVERBS_UCMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ABI of /dev/infiniband/rdma_cm as a table: the bytes of each command that is written there,
 * and of its answer. The program's side copies by it, the kernel's side checks by it.
 */
struct ucma_command {
	const char *name;
	uint16_t in;	    /* bytes of the command that the kernel copies */
	uint16_t least_in;  /* a shorter header.in is EINVAL; < `in` if the command has grown */
	uint16_t least_out; /* a shorter header.out is ENOSPC */
	int16_t response;   /* offset of the address of its answer; -1: none */
	int16_t fd;	    /* offset of another descriptor of the device; -1: none */
	int16_t value;	    /* offset of the address of a value, of length optlen; -1: none */
};

#define UCMA_HEADER    8u   /* struct rdma_ucm_cmd_hdr */
#define UCMA_IN_MAX    320u /* of one command */
#define UCMA_OUT_MAX   512u
#define UCMA_VALUE_MAX 4096u /* an option: 56 path records */

/* Finds a command's row; NULL: there is no such command. */
const struct ucma_command *ucma_command_find(uint32_t number);

/* One command, flattened. */
struct ucma_request {
	uint32_t command;
	uint16_t in_len, out_len; /* as in the program's header */
	uint32_t nvalue;
	uint64_t inode; /* of the descriptor that the command names */
	uint32_t nin;	/* bytes of in[] */
	uint32_t nout;	/* bytes of the answer */
	uint8_t in[UCMA_IN_MAX];
	uint8_t value[UCMA_VALUE_MAX];
	uint8_t out[UCMA_OUT_MAX];
};

/* Returns how many bytes of a command are copied: older programs send shorter ones. */
uint32_t ucma_in_bytes(const struct ucma_command *, uint16_t in_len);
/* Returns the length of the value that a command names; 0: none. */
uint32_t ucma_value_bytes(const struct ucma_command *, const uint8_t *in);
/* Reads a pointer or a descriptor at an offset in the command. */
uint64_t ucma_address(const uint8_t *in, int16_t at);

#endif
