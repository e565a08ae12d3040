/*
 * fuzz_manifest.c - any bytes as a YAML or a JSON file
 *
 * They are refused with a text, or give facts that can be encoded and decoded again.
 */
#include "adapters/manifest/manifest.h"
#include "codec/codec.h"
#include "tests/fuzz/fuzz.h"

#define MEMORY (256U << 20)

static struct plm_arena arena;

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)fact->type);
	struct plm_slice bytes;
	const void *again = NULL;

	(void)ctx;
	plm_arena_reset(&arena);
	bytes = plm_wire_encode(info->payload, fact->payload, &arena);
	PLM_ASSERT(plm_wire_decode(info->payload, bytes, &arena, &again, err) == PLM_OK);
	PLM_ASSERT(plm_slice_equal(plm_wire_encode(info->payload, again, &arena), bytes));
	PLM_ASSERT(fact->meta->name.size > 0 && fact->meta->uid.size > 0 && fact->line > 0);
	return PLM_OK;
}

static enum plm_code on_setting(void *ctx, enum plm_manifest_setting setting,
				struct plm_doc_tree *tree, struct plm_error *err)
{
	struct plm_w_config config = {0};
	struct plm_manifest *reader = *(struct plm_manifest **)ctx;

	if (setting == PLM_SETTING_SCENARIO) {
		return PLM_OK;
	}
	return plm_manifest_apply_setting(reader, setting, tree, &config, err);
}

static void on_warn(void *ctx, const char *text)
{
	(void)ctx;
	PLM_ASSERT(text[0] != '\0');
}

static void read_as(const char *name, struct plm_slice bytes)
{
	struct plm_manifest *reader = NULL;
	const struct plm_manifest_options options = {.now_ms = 0};
	const struct plm_manifest_sink sink = {&reader, on_fact, on_setting, on_warn};
	struct plm_error err = {0};

	PLM_ASSERT(plm_manifest_open(&reader, &options, &sink, &err) == PLM_OK);
	if (plm_manifest_read_text(reader, name, bytes, &err) != PLM_OK) {
		PLM_ASSERT(err.code != PLM_OK && err.text[0] != '\0');
	}
	plm_manifest_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (arena.base == NULL) {
		PLM_ASSERT(plm_arena_init(&arena, MEMORY, NULL) == PLM_OK);
	}
	read_as("fuzz.yaml", plm_slice_of(data, size));
	read_as("fuzz.json", plm_slice_of(data, size));
	return 0;
}
