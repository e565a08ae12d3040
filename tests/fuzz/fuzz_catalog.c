#include "tests/fuzz/fuzz.h"

#include "adapters/catalog/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_w_catalog catalog = {0};
	struct plm_arena arena = {0};
	struct plm_error err = {0};

	if (plm_arena_init(&arena, plm_catalog_room(size), &err) != PLM_OK) {
		return 0;
	}
	if (plm_catalog_read(plm_slice_of(data, size), "fuzz", &arena, &catalog, &err) == PLM_OK) {
		PLM_ASSERT(catalog.types.count <= size);
	} else {
		PLM_ASSERT(err.text[0] != '\0' && catalog.types.count == 0);
	}
	plm_arena_fini(&arena);
	return 0;
}
