/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <pthread.h>

_Thread_local uintptr_t watch_stack_end __attribute__((tls_model("initial-exec")));

uintptr_t watch_find_stack(void)
{
	pthread_attr_t attr;
	size_t size = 0;
	void *at = NULL;

	watch_stack_end = 1; /* no frame is below it */
	if (!pthread_getattr_np(pthread_self(), &attr)) {
		pthread_attr_getstack(&attr, &at, &size);
		pthread_attr_destroy(&attr);
		watch_stack_end = (uintptr_t)at + size - 2 * sizeof(uintptr_t);
	}
	return watch_stack_end;
}
