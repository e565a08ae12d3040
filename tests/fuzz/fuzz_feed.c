/*
 * fuzz_feed.c - what EC2 tells by itself, from any bytes
 *
 * The first byte says as what the rest is read: 'm' a message of the interruption queue, else an answer about types, places
 * or prices: a digit is the sheet (seen.h), XML but for prices on demand. Whatever it is: ids of an interruption are
 * not empty, rows of a closed sheet are in order and single, and a catalogue can be made of them.
 */
#include "adapters/catalog/catalog.h"
#include "adapters/ec2/message.h"
#include "adapters/ec2/observed.h"
#include "core/limits.h"
#include "core/units.h"
#include "tests/fuzz/fuzz.h"

static void read_message(struct plm_slice bytes, struct plm_arena *arena)
{
	struct plm_ec2_message message;
	const struct plm_slice *ids = NULL;

	plm_ec2_message_read(bytes, arena, &message);
	if (message.kind != PLM_EC2_MESSAGE_INTERRUPTION) {
		return;
	}
	ids = message.ids.ptr;
	for (size_t i = 0; i < message.ids.count; i++) {
		PLM_ASSERT(ids[i].size > 0);
	}
	PLM_ASSERT(plm_names_text(&plm_names_interrupt, (int64_t)message.interrupt)[0] != '\0');
	PLM_ASSERT((message.state.size > 0) == (message.interrupt == PLM_INTERRUPT_STATE));
}

static void read_sheet(enum plm_ec2_sheet_kind kind, struct plm_slice bytes,
		       struct plm_arena *arena)
{
	struct plm_ec2_observed observed = {.region = plm_slice_str("us-west-2")};
	const struct plm_aws_node *root = NULL;
	struct plm_w_catalog catalog;
	struct plm_ec2_sheet sheet;
	struct plm_error err;
	enum plm_code code = kind == PLM_EC2_SEEN_DEMAND ? plm_aws_json(bytes, arena, &root, &err)
							 : plm_aws_xml(bytes, arena, &root, &err);

	if (code != PLM_OK) {
		return;
	}
	plm_ec2_sheet_init(&sheet, kind);
	plm_ec2_sheet_read(&sheet, root, "USD");
	plm_ec2_sheet_close(&sheet);
	observed.sheets[kind] = &sheet;
	plm_ec2_observed_catalog(&observed, arena, &catalog);
	PLM_ASSERT(catalog.types.count == 0); /* one sheet alone offers nothing */
	plm_ec2_sheet_fini(&sheet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_arena arena = {0};
	struct plm_error err;

	if (size == 0) {
		return 0;
	}
	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err) == PLM_OK);
	if (data[0] == 'm') {
		read_message(plm_slice_of(data + 1, size - 1), &arena);
	} else if (data[0] >= '0' && data[0] < '0' + PLM_EC2_SEEN_COUNT) {
		read_sheet((enum plm_ec2_sheet_kind)(data[0] - '0'),
			   plm_slice_of(data + 1, size - 1), &arena);
	}
	plm_arena_fini(&arena);
	return 0;
}
