/* Reads quantities, one a line; prints "WHOLE MILLI NANO" of each, or "refused". */
#include "core/quantity.h"

#include <inttypes.h>
#include <stdio.h>

/* The exact form must say the same as each rounded one. */
static bool agrees(struct plm_slice text, const int64_t *value)
{
	plm_i128 nano = 0;

	if (plm_quantity_parse_exact(text, &nano, NULL) != PLM_OK) {
		return false;
	}
	for (size_t i = 0; i < 3; i++) {
		if (plm_quantity_round(nano, (enum plm_scale)i) != value[i]) {
			return false;
		}
	}
	return true;
}

static bool probe(struct plm_slice text)
{
	int64_t value[3] = {0};

	for (size_t i = 0; i < PLM_COUNTOF(value); i++) {
		if (plm_quantity_parse(text, (enum plm_scale)i, &value[i], NULL) != PLM_OK) {
			return printf("refused\n") > 0;
		}
	}
	if (!agrees(text, value)) {
		return printf("the exact form differs\n") > 0;
	}
	return printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", value[0], value[1], value[2]) > 0;
}

int main(void)
{
	char line[256];
	bool good = true;

	while (good && fgets(line, sizeof(line), stdin) != NULL) {
		good = probe(plm_slice_of(line, strcspn(line, "\n")));
	}
	return good ? 0 : 1;
}
