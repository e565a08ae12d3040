#include "plm_test.h"

#include "codec/upcast.h"
#include "core/limits.h"

static struct plm_arena arena;

static void the_schemas_hold(void **state)
{
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_schema_check(plm_upcasters(), &err), &err);
}

static void the_deepest_payload_is_a_workload(void **state)
{
	(void)state;
	assert_int_equal(plm_wire_depth(&plm_type_epoch), 1);
	assert_int_equal(plm_wire_depth(&plm_type_kv), 1);
	assert_int_equal(plm_wire_depth(&plm_type_expr), 2);
	assert_int_equal(plm_wire_depth(&plm_type_selector), 4);
	assert_int_equal(plm_wire_depth(&plm_type_workload), 10);
	assert_true(1 + plm_wire_depth(&plm_type_workload) <= PLM_LIMIT_PAYLOAD_DEPTH);
}

/* As if an EPOCH of the schema before had held a text besides. */
struct old_epoch {
	struct plm_slice who;
	int64_t epoch;
};
static const struct plm_wire_field old_fields[] = {
	{"who", PLM_WIRE_TEXT, offsetof(struct old_epoch, who), NULL, NULL},
	{"epoch", PLM_WIRE_INT, offsetof(struct old_epoch, epoch), NULL, NULL},
};
static const struct plm_wire_type old_type = {"old_epoch", sizeof(struct old_epoch), 2, old_fields};

static const void *lift_epoch(const void *value, struct plm_arena *memory)
{
	const struct old_epoch *old = value;
	struct plm_w_epoch *epoch = PLM_NEW(memory, struct plm_w_epoch);

	epoch->epoch = old->epoch;
	return epoch;
}

static const struct plm_upcaster rows[] = {
	{PLM_EV_EPOCH, PLM_SCHEMA_FLOOR - 1, &old_type, lift_epoch}};
static const struct plm_upcasters with_old = {.rows = rows, .count = 1};

static struct plm_envelope envelope(uint16_t type, uint16_t schema, struct plm_slice payload)
{
	return (struct plm_envelope){.type = type, .schema = schema, .payload = payload};
}

static void today_is_read_as_it_is(void **state)
{
	struct plm_envelope now =
		envelope(PLM_EV_EPOCH, PLM_SCHEMA_FLOOR, plm_slice_of("\x91\x07", 2));
	struct plm_payload out;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_payload_lift(with_old, &now, &arena, &out, &err), &err);
	assert_int_equal(((const struct plm_w_epoch *)out.value)->epoch, 7);
	assert_ptr_equal(out.info, plm_event_info(PLM_EV_EPOCH));
}

static void an_old_payload_is_lifted(void **state)
{
	struct plm_envelope old =
		envelope(PLM_EV_EPOCH, PLM_SCHEMA_FLOOR - 1, plm_slice_of("\x92\xa1x\x08", 4));
	struct plm_payload out;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_payload_lift(with_old, &old, &arena, &out, &err), &err);
	assert_int_equal(((const struct plm_w_epoch *)out.value)->epoch, 8);
}

static const struct version_case {
	const char *why;
	uint16_t type, schema;
	const char *part;
} version_table[] = {
	{"a newer schema", PLM_EV_EPOCH, 5, "EPOCH of schema 5: this build reads up to 4"},
	{"a type that is not known", 4000, 1, "event type 4000"},
	{"an old schema without a way up", PLM_EV_MARK, 1,
	 "MARK of schema 1 is not known to this build: it was written before the first release"},
};

static void version_row(const struct version_case *row)
{
	struct plm_envelope other = envelope(row->type, row->schema, plm_slice_of("\x91\x07", 2));
	struct plm_payload out;
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	plm_assert_fails(plm_payload_lift(with_old, &other, &arena, &out, &err), PLM_E_VERSION, err,
			 row->part);
}
PLM_TEST_ROWS(version_row, struct version_case)

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 1U << 20, &err), &err);
	PLM_TEST_ADD(&tests, the_schemas_hold);
	PLM_TEST_ADD(&tests, the_deepest_payload_is_a_workload);
	PLM_TEST_ADD(&tests, today_is_read_as_it_is);
	PLM_TEST_ADD(&tests, an_old_payload_is_lifted);
	PLM_TEST_TABLE(&tests, version_row, version_table);
	return plm_tests_run(&tests, "upcast");
}
