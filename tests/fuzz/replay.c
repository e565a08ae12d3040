/*
 * replay.c - hand every file of a corpus folder to a harness
 *
 * Each file goes in whole, at eight shorter lengths, and with one bit of eight places flipped.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define VARIANTS 8

/* The file as heap bytes of exactly its size, so that a sanitizer sees one byte too many. */
static uint8_t *slurp(const char *path, size_t *out_size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long size = 0;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(1);
	}
	size = ftell(file);
	rewind(file);
	bytes = malloc(size > 0 ? (size_t)size : 1);
	if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		exit(1);
	}
	(void)fclose(file);
	*out_size = (size_t)size;
	return bytes;
}

static void one(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	if (copy == NULL) {
		exit(1);
	}
	memcpy(copy, bytes, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void variants(uint8_t *bytes, size_t size)
{
	one(bytes, size);
	for (size_t i = 0; i < VARIANTS && size > 0; i++) {
		size_t at = size * i / VARIANTS;

		one(bytes, at);
		bytes[at] ^= (uint8_t)(1U << i);
		one(bytes, size);
		bytes[at] ^= (uint8_t)(1U << i);
	}
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int count = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;
	int replayed = 0;

	for (int i = 0; i < count; i++) {
		char path[4096];
		size_t size = 0;
		uint8_t *bytes = NULL;

		(void)snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			bytes = slurp(path, &size);
			variants(bytes, size);
			free(bytes);
			replayed++;
		}
		free(names[i]);
	}
	free(names);
	printf("%d files of %s\n", replayed, argc == 2 ? argv[1] : "no folder");
	return replayed > 0 ? 0 : 1;
}
