/*
 * What curl frees is wiped: it copies user names, passwords and header lines, and lays them down as they are. Pages of
 * a core file, or of a later reader of unset memory, have none of them.
 */
#include <malloc.h>
#include <stdlib.h>

#include "adapters/http/inner.h"

void plm_http_wipe(char *text)
{
	if (text != NULL) {
		explicit_bzero(text, strlen(text));
	}
	free(text);
}

static void wipe_and_free(void *memory)
{
	if (memory != NULL) {
		explicit_bzero(memory, malloc_usable_size(memory));
	}
	free(memory);
}

static void *move(void *memory, size_t size)
{
	size_t old = memory == NULL ? 0 : malloc_usable_size(memory);
	void *moved = malloc(size);

	if (moved != NULL && old > 0) {
		memcpy(moved, memory, old < size ? old : size);
		wipe_and_free(memory);
	}
	return moved;
}

CURLcode plm_http_curl_init(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wipe_and_free, move, strdup,
				    calloc);
}
