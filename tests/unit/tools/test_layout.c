#include "plm_test.h"

#include "tools/layout.h"
#include "tools/subject.h"

static bool covers(const struct plm_layout *layout, uint32_t byte)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct plm_member *member = &layout->members[i];

		if (byte >= member->offset && byte < member->offset + member->size) {
			return true;
		}
	}
	return false;
}

/* A member added to a table or part without a row in layout.c fails here, by name. */
static void every_byte_is_described(void **state)
{
	uint32_t count = 0;

	(void)state;
	for (const struct plm_layout *layout = plm_layout_next(NULL); layout != NULL;
	     layout = plm_layout_next(layout)) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < layout->count; i++) {
			sum += layout->members[i].size;
		}
		for (uint32_t byte = 0; byte < layout->size; byte++) {
			if (!covers(layout, byte)) {
				print_error("struct plm_%s: byte %u is in no row\n", layout->name,
					    byte);
				fail();
			}
		}
		if (sum != layout->size) {
			print_error("struct plm_%s: rows overlap\n", layout->name);
			fail();
		}
		count++;
	}
	assert_true(count > PLM_TABLE_COUNT);
}

static void every_table_has_its_own(void **state)
{
	(void)state;
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		enum plm_table table = (enum plm_table)t;

		assert_int_equal(plm_table_layout(table)->size, plm_table_info(table)->slot_size);
	}
}

static void every_kind_of_a_table_has_a_name(void **state)
{
	(void)state;
	for (uint32_t k = PLM_KIND_NONE + 1; k < plm_names_kind.count; k++) {
		const struct plm_kind_info *info = plm_kind_info((enum plm_kind)k);
		const char *plural = info->plural;

		assert_int_equal(info->kind, k);
		assert_ptr_equal(plm_kind_by_name(plural, strlen(plural)), info);
	}
	assert_null(plm_kind_by_name("thing", 5));
	assert_int_equal(plm_kind_by_name("CQ", 2)->kind, PLM_KIND_CLUSTER_QUEUE);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, every_byte_is_described);
	PLM_TEST_ADD(&tests, every_table_has_its_own);
	PLM_TEST_ADD(&tests, every_kind_of_a_table_has_a_name);
	return plm_tests_run(&tests, "layout");
}
