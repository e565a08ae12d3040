/*
 * fuzz_split.c - answers of an API server from any bytes
 *
 * The first byte says whether it is a watch ('W') or a list, the second how the rest is cut into pieces and
 * which objects are offered twice. Whatever it is, the pieces give the same objects as the whole, no object
 * is lost or doubled, and each one goes through the reader.
 */
#include "adapters/kube/split.h"
#include "adapters/manifest/item.h"
#include "hash/hash.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

struct seen {
	struct plm_manifest *reader;
	uint64_t hash;
	uint32_t count;
	uint32_t refuse, refused;
};

static void mix(struct seen *seen, struct plm_slice bytes)
{
	const struct plm_slice parts[] = {plm_slice_of(&seen->hash, sizeof(seen->hash)), bytes};

	seen->hash = plm_xxh64_parts(parts, PLM_COUNTOF(parts));
}

static enum plm_code take(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	struct seen *seen = self;
	uint32_t bit = 1U << (seen->count % 32);

	if ((seen->refuse & bit) != 0 && (seen->refused & bit) == 0) {
		seen->refused |= bit;
		return plm_fail(err, PLM_E_AGAIN, "later");
	}
	seen->refused &= ~bit;
	seen->count++;
	PLM_ASSERT((item->problem == NULL) == (item->text.size > 0));
	mix(seen, plm_slice_of(&item->type, sizeof(item->type)));
	mix(seen, item->text);
	mix(seen, plm_slice_str(item->ns));
	mix(seen, plm_slice_str(item->name));
	mix(seen, plm_slice_str(item->uid));
	mix(seen, plm_slice_str(item->revision));
	mix(seen, plm_slice_of(&item->initial_end, sizeof(item->initial_end)));
	mix(seen, plm_slice_of(&item->code, sizeof(item->code)));
	if (item->problem == NULL) {
		const struct plm_manifest_item object = {
			.source = "pods",
			.text = item->text,
			.values = item->values,
			.version = "v1",
			.kind = "Pod",
		};
		struct plm_error why;

		(void)(plm_manifest_item(seen->reader, &object, &why) == PLM_OK);
	}
	return PLM_OK;
}

static enum plm_code take_fact(void *ctx, const struct plm_manifest_fact *fact,
			       struct plm_error *err)
{
	(void)ctx;
	(void)fact;
	(void)err;
	return PLM_OK;
}

static enum plm_code feed(struct plm_split *split, struct plm_slice bytes)
{
	struct plm_error err;
	/* Bytes of its own, so that a sanitizer notices a read beyond the end. */
	uint8_t *copy = malloc(bytes.size + 1);
	enum plm_code code = PLM_OK;

	PLM_ASSERT(copy != NULL);
	if (bytes.size > 0) {
		memcpy(copy, bytes.ptr, bytes.size);
	}
	code = plm_split_feed(split, plm_slice_of(copy, bytes.size), &err);
	free(copy);
	while (code == PLM_E_AGAIN) {
		PLM_ASSERT(plm_split_waits(split));
		code = plm_split_feed(split, (struct plm_slice){0}, &err);
	}
	return code;
}

static void run(struct plm_split *split, struct plm_slice bytes, enum plm_split_form form,
		size_t piece, struct seen *seen)
{
	enum plm_code code = PLM_OK;
	bool whole = false;

	plm_split_begin(split, form, take, seen);
	for (size_t at = 0; at < bytes.size && code == PLM_OK; at += piece) {
		size_t size = bytes.size - at < piece ? bytes.size - at : piece;

		code = feed(split, plm_slice_of(bytes.ptr + at, size));
	}
	PLM_ASSERT(code == PLM_OK || code == PLM_E_INPUT);
	whole = code == PLM_OK && plm_split_whole(split);
	mix(seen, plm_slice_of(&whole, sizeof(whole)));
	mix(seen, plm_slice_of(&code, sizeof(code)));
	if (code == PLM_OK) {
		mix(seen, plm_slice_str(plm_split_head(split)->next));
		mix(seen, plm_slice_str(plm_split_head(split)->revision));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct plm_manifest_options reading = {.updates = true};
	static const struct plm_manifest_sink sink = {.fact = take_fact};
	struct seen whole = {0};
	struct seen pieces = {0};
	struct plm_split *split = NULL;
	struct plm_error err;
	enum plm_split_form form = PLM_SPLIT_LIST;

	if (size < 2 || plm_split_new(&split, &err) != PLM_OK) {
		return 0;
	}
	PLM_ASSERT(plm_manifest_open(&whole.reader, &reading, &sink, &err) == PLM_OK);
	pieces.reader = whole.reader;
	form = data[0] == 'W' ? PLM_SPLIT_WATCH : PLM_SPLIT_LIST;
	pieces.refuse = data[1] * 0x9e3779b9U;
	run(split, plm_slice_of(data + 2, size - 2), form, size, &whole);
	run(split, plm_slice_of(data + 2, size - 2), form, 1 + data[1] % 64U, &pieces);
	PLM_ASSERT(whole.hash == pieces.hash && whole.count == pieces.count);
	plm_split_free(split);
	plm_manifest_close(whole.reader);
	return 0;
}
