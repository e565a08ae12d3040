/*
 * fuzz_scalar.c - quantities, durations, instants and UTF-8 from any bytes
 *
 * Whatever is accepted is written again and read back as the same number, and the rounded and the exact
 * form of a quantity agree.
 */
#include "core/quantity.h"
#include "core/timefmt.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

static void quantity(struct plm_slice text)
{
	static const char *const resources[] = {"cpu", "memory"};
	plm_i128 nano = 0;
	bool exact = plm_quantity_parse_exact(text, &nano, NULL) == PLM_OK;

	for (size_t i = 0; i < PLM_COUNTOF(resources); i++) {
		struct plm_slice resource = plm_slice_str(resources[i]);
		enum plm_scale scale = plm_resource_scale(resource);
		char spelled[PLM_QUANTITY_SIZE];
		int64_t amount = 0;
		int64_t again = 0;

		PLM_ASSERT((plm_quantity_parse(text, scale, &amount, NULL) == PLM_OK) == exact);
		if (!exact) {
			continue;
		}
		PLM_ASSERT(plm_quantity_round(nano, scale) == amount);
		plm_quantity_format(resource, amount, spelled);
		PLM_ASSERT(plm_quantity_parse(plm_slice_str(spelled), scale, &again, NULL) ==
			   PLM_OK);
		PLM_ASSERT(again == amount);
	}
}

static void duration(struct plm_slice text)
{
	char spelled[PLM_TIME_SIZE];
	int64_t ms = 0;
	int64_t again = 0;

	/* the last millisecond may be rounded up beyond the nanoseconds that int64 holds */
	if (plm_duration_parse_ms(text, &ms, NULL) == PLM_OK && ms < INT64_MAX / 1000000 &&
	    ms > -(INT64_MAX / 1000000)) {
		plm_duration_format(ms, spelled);
		PLM_ASSERT(plm_duration_parse_ms(plm_slice_str(spelled), &again, NULL) == PLM_OK);
		PLM_ASSERT(again == ms);
	}
}

static void instant(struct plm_slice text)
{
	char spelled[PLM_TIME_SIZE];
	int64_t ms = 0;
	int64_t again = 0;

	/* an offset may lead out of the years that can be written */
	if (plm_time_parse(text, &ms, NULL) == PLM_OK && ms >= -62135596800000LL &&
	    ms <= 253402300799999LL) {
		plm_time_format(ms, spelled);
		PLM_ASSERT(plm_time_parse(plm_slice_str(spelled), &again, NULL) == PLM_OK);
		PLM_ASSERT(again == ms);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_slice text = plm_slice_of(data, size);

	quantity(text);
	duration(text);
	instant(text);
	PLM_ASSERT(plm_utf8_prefix(text) <= size);
	return 0;
}
