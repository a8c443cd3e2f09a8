/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MPI's ring: each rank adds its number to a block of words and passes it on, at sizes from a short
 * message to one that needs a rendezvous. The last rank's words are checked by the first.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (1 << 18)

static int check(const unsigned int *words, int n, unsigned int sum)
{
	for (int i = 0; i < n; i++)
		if (words[i] != (unsigned int)i + sum)
			return 1;
	return 0;
}

static void pass(unsigned int *words, int n, int rank, int size)
{
	if (rank)
		MPI_Recv(words, n, MPI_UNSIGNED, rank - 1, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++)
		words[i] = rank ? words[i] + (unsigned int)rank : (unsigned int)i;
	MPI_Send(words, n, MPI_UNSIGNED, (rank + 1) % size, n, MPI_COMM_WORLD);
	if (!rank)
		MPI_Recv(words, n, MPI_UNSIGNED, size - 1, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	unsigned int *words = malloc(WORDS * sizeof(*words));
	int rank, size, bad = !words;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int n = 1; n <= WORDS && !bad; n *= 8) {
		pass(words, n, rank, size);
		bad = !rank && check(words, n, (unsigned int)(size * (size - 1) / 2));
	}
	if (!rank)
		puts(bad ? "wrong data" : "the ring is right");
	MPI_Finalize();
	free(words);
	return bad;
}
