/*
 * replay.c - run a harness over its corpus without a fuzzer
 *
 * Each file of the folder is one test: whole, cut at a few hundred lengths, and with single bytes changed
 * from a seed.
 */
#include "plm_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

#define INPUT_BYTES ((size_t)1 << 20)
#define CUTS 200
#define CHANGES 300
#define FILES_MAX 512

static char paths[FILES_MAX][PLM_ERROR_TEXT_SIZE];

/* The harness sees exact heap copies, so that a sanitizer notices a read beyond the end. */
static void feed(const uint8_t *bytes, size_t size)
{
	uint8_t *exact = NULL;

	PLM_ASSERT(size <= INPUT_BYTES);
	exact = malloc(size == 0 ? 1 : size);
	PLM_ASSERT(exact != NULL);
	memcpy(exact, bytes, size);
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static void replay(void **state)
{
	static uint8_t bytes[INPUT_BYTES];
	const char *path = *state;
	FILE *file = fopen(path, "rb");
	uint64_t random = plm_test_seed();
	size_t size = 0;

	PLM_ASSERT(file != NULL);
	size = fread(bytes, 1, sizeof(bytes), file);
	assert_int_equal(fclose(file), 0);
	assert_true(size < sizeof(bytes));
	feed(bytes, size);
	for (size_t i = 0; i < CUTS; i++) {
		feed(bytes, size * i / CUTS);
	}
	for (size_t i = 0; i < CHANGES && size > 0; i++) {
		size_t at = plm_test_below(&random, size);
		uint8_t old = bytes[at];

		bytes[at] = (uint8_t)plm_test_random(&random);
		feed(bytes, size);
		bytes[at] = old;
	}
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int main(int argc, char **argv)
{
	static struct plm_tests tests;
	struct dirent **entries = NULL;
	int found = argc == 2 ? scandir(argv[1], &entries, NULL, by_name) : -1;
	size_t count = 0;

	PLM_ASSERT(found >= 0);
	for (int i = 0; i < found; i++) {
		if (entries[i]->d_name[0] != '.') {
			PLM_ASSERT(count < FILES_MAX);
			(void)snprintf(paths[count], sizeof(paths[count]), "%s/%s", argv[1],
				       entries[i]->d_name);
			plm_tests_add(&tests, strrchr(paths[count], '/') + 1, replay, paths[count]);
			count++;
		}
		free(entries[i]);
	}
	free((void *)entries);
	return plm_tests_run(&tests, "corpus");
}
