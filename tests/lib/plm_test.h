/*
 * plm_test.h - CMocka as the tests of this project use it
 *
 * Owns: the prerequisites of cmocka.h in their order; tables of rows that become one named test each;
 * the seed of a property test.
 * Does not: know a layer above core.
 *
 *	static const struct fit_case { const char *why; int64_t ask; } fit_table[] = { ... };
 *	static void fit_row(const struct fit_case *row) { ... }
 *	PLM_TEST_ROWS(fit_row, struct fit_case)
 *
 *	int main(void)
 *	{
 *		struct plm_tests tests = {0};
 *
 *		PLM_TEST_ADD(&tests, some_function);	a function(void **state)
 *		PLM_TEST_TABLE(&tests, fit_row, fit_table);
 *		return plm_tests_run(&tests, "fit");
 *	}
 */
#ifndef PLM_TEST_H
#define PLM_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/error.h"
#include "core/slice.h"

#define PLM_TESTS_MAX 4096

/* Tests of one program, in the order in which they were added. Zeroed = empty. */
struct plm_tests {
	struct CMUnitTest list[PLM_TESTS_MAX];
	size_t count;
};

void plm_tests_add(struct plm_tests *tests, const char *name, CMUnitTestFunction run,
		   const void *row);
/* 'count' rows of 'size' bytes, each beginning with its name (const char *). */
void plm_tests_add_rows(struct plm_tests *tests, CMUnitTestFunction run, const void *rows,
			size_t count, size_t size);
/* Run all under 'group' ("sort"); what main() returns: 0 or the number of failures, 255 at most. */
int plm_tests_run(const struct plm_tests *tests, const char *group);

#define PLM_TEST_ADD(tests, function) plm_tests_add((tests), #function, (function), NULL)
/* Defines 'function'_test(), which hands 'function' the row as 'const type *'. */
#define PLM_TEST_ROWS(function, type)                                                              \
	static void function##_test(void **state)                                                  \
	{                                                                                          \
		function((const type *)*state);                                                    \
	}
#define PLM_TEST_TABLE(tests, function, table)                                                     \
	plm_tests_add_rows((tests), function##_test, (table), PLM_COUNTOF(table),                  \
			   sizeof((table)[0]))

/*
 * The seed of this run: PLM_SEED when set (a number, or "random"), else 1. Printed on the first call,
 * so that a failure can be repeated.
 */
uint64_t plm_test_seed(void);
/* The next number of the generator in '*state' (splitmix64); start with plm_test_seed(). */
uint64_t plm_test_random(uint64_t *state);
/* As plm_test_random(), below 'bound' (> 0). */
uint64_t plm_test_below(uint64_t *state, uint64_t bound);

/* Fails with the text of 'err' (may be NULL) unless 'code' is PLM_OK. */
void plm_test_ok(enum plm_code code, const struct plm_error *err, const char *file, int line);
struct plm_test_place {
	const char *file;
	int line;
};
void plm_test_fails(enum plm_code have, enum plm_code want, const struct plm_error *err,
		    const char *part, struct plm_test_place place);
void plm_test_slice(struct plm_slice have, const char *want, const char *file, int line);

#define plm_assert_ok(code, err) plm_test_ok((code), (err), __FILE__, __LINE__)
#define plm_assert_text(slice, want) plm_test_slice((slice), (want), __FILE__, __LINE__)
/* Fails unless 'have' and the code in 'err' are 'want' and the text of 'err' contains 'part'. */
#define plm_assert_fails(have, want, err, part)                                                    \
	plm_test_fails((have), (want), &(err), (part), (struct plm_test_place){__FILE__, __LINE__})
/* Fails unless 'statement' ends the process by PLM_ASSERT (it runs in a child). */
#define plm_assert_panics(statement)                                                               \
	do {                                                                                       \
		if (plm_test_child()) {                                                            \
			statement;                                                                 \
			plm_test_survived();                                                       \
		}                                                                                  \
		plm_test_died(__FILE__, __LINE__);                                                 \
	} while (0)
bool plm_test_child(void);
PLM_NORETURN void plm_test_survived(void);
void plm_test_died(const char *file, int line);

#endif
