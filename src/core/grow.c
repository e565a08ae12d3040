#include "core/grow.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

#define FIRST_COUNT 64U

void *plm_grown(void *array, uint32_t *count, uint32_t want, size_t size)
{
	uint32_t next = *count < FIRST_COUNT ? FIRST_COUNT : *count;
	uint8_t *bytes = array;

	if (want <= *count) {
		return array;
	}
	while (next < want) {
		next *= 2;
	}
	bytes = realloc(array, (size_t)next * size);
	PLM_ASSERT(bytes != NULL);
	memset(bytes + (size_t)*count * size, 0, (size_t)(next - *count) * size);
	*count = next;
	return bytes;
}
