#include "feed.h"

#include "plm_test.h"

#include "codec/codec.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

void feed_read(struct plm_ec2_sheet *sheet, const char *xml)
{
	size_t size = strlen(xml) + 64;
	char *text = malloc(size);
	const struct plm_aws_node *root = NULL;
	struct plm_arena arena;
	struct plm_error err;

	assert_non_null(text);
	(void)snprintf(text, size, "<Answer>%s</Answer>", xml);
	plm_assert_ok(plm_arena_init(&arena, 64L * 1024 * 1024, &err), &err);
	plm_assert_ok(plm_aws_xml(plm_slice_str(text), &arena, &root, &err), &err);
	plm_ec2_sheet_read(sheet, root, "USD");
	plm_arena_fini(&arena);
	free(text);
}

void feed_read_json(struct plm_ec2_sheet *sheet, const char *json, const char *currency)
{
	const struct plm_aws_node *root = NULL;
	struct plm_arena arena;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 64L * 1024 * 1024, &err), &err);
	plm_assert_ok(plm_aws_json(plm_slice_str(json), &arena, &root, &err), &err);
	plm_ec2_sheet_read(sheet, root, currency);
	plm_arena_fini(&arena);
}

char *feed_file(const char *name)
{
	const char *root = getenv("PLM_SOURCE_ROOT");
	char path[512];
	char *text = NULL;
	FILE *file = NULL;
	long size = 0;

	(void)snprintf(path, sizeof(path), "%s/tests/unit/feed/%s", root == NULL ? "." : root,
		       name);
	file = fopen(path, "rb");
	PLM_ASSERT(file != NULL);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	PLM_ASSERT(size >= 0);
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
	(void)fclose(file);
	return text;
}

/* ---- the inbox --------------------------------------------------------------------------------- */

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct feed_inbox *inbox = self;
	struct feed_fact *fact = &inbox->facts[inbox->count];
	const struct plm_event_info *info = plm_event_info((uint16_t)observation->type);
	struct plm_payload payload;
	struct plm_error err;

	if (inbox->full) {
		return PLM_E_AGAIN;
	}
	assert_true(inbox->count < FEED_FACTS);
	inbox->count++;
	plm_assert_ok(plm_payload_decode(info, plm_arena_copy(&inbox->arena, observation->payload),
					 &inbox->arena, &payload, &err),
		      &err);
	*fact = (struct feed_fact){.type = observation->type,
				   .observed = observation->observed,
				   .value = payload.value,
				   .size = observation->payload.size};
	(void)snprintf(fact->pos, sizeof(fact->pos), "%.*s", (int)observation->pos.size,
		       observation->pos.size == 0 ? "" : (const char *)observation->pos.ptr);
	return PLM_OK;
}

static uint64_t accepted(void *self)
{
	return (uint64_t)((struct feed_inbox *)self)->count;
}

static uint64_t settled(void *self)
{
	return ((struct feed_inbox *)self)->settled;
}

void feed_inbox_open(struct feed_inbox *inbox)
{
	struct plm_error err;

	*inbox = (struct feed_inbox){
		.inbox = {.self = inbox, .put = put, .accepted = accepted, .settled = settled}};
	plm_assert_ok(plm_arena_init(&inbox->arena, 512L * 1024 * 1024, &err), &err);
}

void feed_inbox_close(struct feed_inbox *inbox)
{
	plm_arena_fini(&inbox->arena);
}

const void *feed_fact(const struct feed_inbox *inbox, int back, enum plm_event_type type)
{
	assert_true(inbox->count > back);
	assert_int_equal(inbox->facts[inbox->count - 1 - back].type, type);
	return inbox->facts[inbox->count - 1 - back].value;
}

void feed_instance(struct plm_ec2_context *context, const char *provider_id, const char *state,
		   const char *reservation)
{
	struct plm_w_instance fact = {
		.provider_id = plm_slice_str(provider_id),
		.state = plm_slice_str(state),
		.launched_ms = PLM_UNSET,
		.reservation = plm_slice_str(reservation),
	};

	plm_ec2_tell(context, PLM_EV_INSTANCE, &fact, 0, "");
}

void feed_listed(struct plm_ec2_context *context)
{
	struct plm_w_listed fact = {.kind = PLM_KIND_NONE};

	plm_ec2_tell(context, PLM_EV_LISTED, &fact, 0, "");
}
