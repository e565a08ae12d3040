/*
 * test_schema.c - the bytes of an event never change by accident
 *
 * schema.want beside this file lists every event with its number, schema and fields, every wire type and
 * every enum with its values in order. A change of the tables shows as a difference. Is it meant, and is
 * there any log of the old form, then the event needs a new schema number and an upcaster; then
 * PLM_UPDATE=1 with this program rewrites the file, and the review reads the difference.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/upcast.h"

#define TEXT_MAX (1U << 20)
#define SEEN_MAX 256

struct dump {
	char *text;
	size_t size;
	const void *seen[SEEN_MAX]; /* types and enums that are listed already */
	size_t seen_count;
};

static const char *const class_texts[] = {"control", "fact", "decision", "intent", "result"};
static const char *const kind_texts[] = {"text", "bytes", "int", "enum", "texts", "struct", "list"};

static void add(struct dump *dump, const char *format, ...) PLM_PRINTF(2, 3);

static void add(struct dump *dump, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(dump->text + dump->size, TEXT_MAX - dump->size, format, args);
	va_end(args);
	assert_true(size >= 0 && dump->size + (size_t)size < TEXT_MAX);
	dump->size += (size_t)size;
}

static bool see(struct dump *dump, const void *thing)
{
	for (size_t i = 0; i < dump->seen_count; i++) {
		if (dump->seen[i] == thing) {
			return false;
		}
	}
	assert_true(dump->seen_count < SEEN_MAX);
	dump->seen[dump->seen_count++] = thing;
	return true;
}

static void add_names(struct dump *dump, const struct plm_wire_names *names)
{
	if (!see(dump, names)) {
		return;
	}
	add(dump, "enum %s\n", names->name);
	for (uint32_t i = 0; i < names->count; i++) {
		add(dump, "\t%u \"%s\"\n", i, names->texts[i]);
	}
}

static void add_type(struct dump *dump, const struct plm_wire_type *type)
{
	if (!see(dump, type)) {
		return;
	}
	add(dump, "type %s\n", type->name);
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];

		add(dump, "\t%u %s %s %s\n", i, field->name, kind_texts[field->kind],
		    field->type != NULL	   ? field->type->name
		    : field->names != NULL ? field->names->name
					   : "-");
	}
	for (uint32_t i = 0; i < type->field_count; i++) {
		if (type->fields[i].type != NULL) {
			add_type(dump, type->fields[i].type);
		}
		if (type->fields[i].names != NULL) {
			add_names(dump, type->fields[i].names);
		}
	}
}

static void add_all(struct dump *dump)
{
	uint32_t count = 0;
	const struct plm_event_info *infos = plm_event_infos(&count);

	add(dump, "envelope %d\n", PLM_ENVELOPE_FORMAT);
	for (uint32_t i = 0; i < count; i++) {
		add(dump, "event %u %s schema %u %s %s\n", infos[i].type, infos[i].name,
		    infos[i].schema, class_texts[infos[i].class], infos[i].payload->name);
	}
	for (int64_t call = 1; call < plm_names_call.count; call++) {
		add(dump, "call %s %s\n", plm_names_text(&plm_names_call, call),
		    plm_call_request((enum plm_call)call)->name);
	}
	for (uint32_t i = 0; i < count; i++) {
		add_type(dump, infos[i].payload);
	}
	for (int64_t call = 1; call < plm_names_call.count; call++) {
		add_type(dump, plm_call_request((enum plm_call)call));
	}
	add_names(dump, &plm_names_source);
}

static FILE *open_want(const char *mode)
{
	char path[1024];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "%s/tests/unit/codec/schema.want",
		       getenv("PLM_SOURCE_ROOT"));
	file = fopen(path, mode);
	if (file == NULL) {
		fail_msg("%s cannot be opened", path);
	}
	return file;
}

/* Number of the first line in which the two differ. */
static int first_difference(const char *a, const char *b)
{
	int line = 1;

	for (; *a == *b && *a != '\0'; a++, b++) {
		line += *a == '\n';
	}
	return line;
}

static void the_schema_is_what_it_was(void **state)
{
	struct dump dump = {.text = calloc(1, TEXT_MAX)};
	char *want = calloc(1, TEXT_MAX);
	bool update = getenv("PLM_UPDATE") != NULL;
	FILE *file = open_want(update ? "w" : "r");
	size_t size = 0;

	(void)state;
	assert_non_null(dump.text);
	assert_non_null(want);
	add_all(&dump);
	if (update) {
		assert_int_equal(fwrite(dump.text, 1, dump.size, file), dump.size);
	} else {
		size = fread(want, 1, TEXT_MAX - 1, file);
	}
	assert_int_equal(fclose(file), 0);
	if (!update && (size != dump.size || memcmp(want, dump.text, size) != 0)) {
		fail_msg("the wire schema differs from schema.want, line %d on; see test_schema.c",
			 first_difference(want, dump.text));
	}
	free(want);
	free(dump.text);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, the_schema_is_what_it_was);
	return plm_tests_run(&tests, "schema");
}
