/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PRM_PLATFORM_H
#define DVX_PRM_PLATFORM_H

/*
 * Everything that the inline code of these headers takes from compiler and libc, so that it also
 * compiles without a libc (-ffreestanding) and for a GPU (doc/design/0083-other-platforms.md). A
 * program replaces definitions by macros or by a file of its own, -DDVX_PLATFORM='"mine.h"':
 *
 * - DVX_DEVICE: attributes of all inline functions;
 * - DVX_ORDER_STORES(), DVX_ORDER_LOADS(), DVX_ORDER_WC(): the barriers (barrier.h), which a
 *   processor that is neither x86-64 nor aarch64 needs. DVX_GPU is defined where the code is for one;
 * - the errno numbers.
 */
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define DVX_GPU_AND_HOST
#endif

/* CUDA and HIP compile for both, and may define the names of both processors each time. */
#ifdef DVX_GPU_AND_HOST
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define DVX_GPU
#endif
#elif defined(__NVPTX__) || defined(__AMDGCN__)
#define DVX_GPU
#endif

#ifdef DVX_PLATFORM
#include DVX_PLATFORM
#endif

#ifndef DVX_DEVICE
#ifdef DVX_GPU_AND_HOST
#define DVX_DEVICE __attribute__((host)) __attribute__((device))
#else
#define DVX_DEVICE
#endif
#endif

/* A GPU's compiler of plain C finds no libc, and still calls itself hosted. */
#if __STDC_HOSTED__ && (!defined(DVX_GPU) || defined(DVX_GPU_AND_HOST))
#include <errno.h>
#include <string.h> /* programs count on it */
#else
/* Linux's numbers. */
#ifndef ENOSPC
#define ENOSPC 28
#endif
#ifndef EBADR
#define EBADR 53
#endif
#ifndef EBADRQC
#define EBADRQC 56
#endif
#ifndef EUSERS
#define EUSERS 87
#endif
#ifndef EMSGSIZE
#define EMSGSIZE 90
#endif
#endif

#endif
