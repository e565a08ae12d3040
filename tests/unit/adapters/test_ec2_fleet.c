/*
 * test_ec2_fleet.c - golden forms of launches: what ec2/NAME.form says, a parameter a line
 *
 * PLM_UPDATE=1 writes them anew. What is frozen never changes by itself: a repetition with other bytes is refused by EC2.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/fleet.h"
#include "adapters/ec2/template_form.h"
#include "adapters/ec2/text.h"
#include "ec2_bed.h"

#define WANT_SIZE 262144
#define PATH "%s/tests/unit/adapters/ec2/%s.form"

static struct bed bed;
static const char key[] = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst";

struct form_case {
	const char *why;
	void (*change)(void);
};

static void as_it_is(void)
{
}

static void by_spot(void)
{
	static const struct plm_w_kv tags[] = {
		{{(const uint8_t *)"team", 4}, {(const uint8_t *)"a&b=c d", 7}}};

	for (size_t i = 0; i < bed.request.offers.count; i++) {
		bed.offers[i].capacity_type = plm_slice_str("spot");
	}
	bed.request.strategy = plm_slice_str("price-capacity-optimized");
	bed.request.tags = (struct plm_vec){tags, 1};
	bed.recipe.class.tags = bed.request.tags;
	bed.recipe.class.setup.context = plm_slice_str("ctx-1");
}

static void by_reservation(void)
{
	static const struct plm_w_ec2_reservation reservations[] = {
		{.id = {(const uint8_t *)"cr-1", 4}}, {.id = {(const uint8_t *)"cr-2", 4}}};

	for (size_t i = 0; i < bed.request.offers.count; i++) {
		bed.offers[i].capacity_type = plm_slice_str("reserved");
		bed.offers[i].reservation = plm_slice_str(i == 0 ? "cr-1" : "cr-2");
	}
	bed.recipe.reservations = (struct plm_vec){reservations, 2};
}

static void by_block(void)
{
	static const struct plm_w_ec2_reservation reservations[] = {
		{.id = {(const uint8_t *)"cr-1", 4}, .block = 1}};

	bed.request.offers.count = 1;
	bed.offers[0].capacity_type = plm_slice_str("reserved");
	bed.offers[0].reservation = plm_slice_str("cr-1");
	bed.recipe.reservations = (struct plm_vec){reservations, 1};
}

static void interruptibly(void)
{
	static const struct plm_w_ec2_reservation reservations[] = {
		{.id = {(const uint8_t *)"cr-1", 4}, .interruptible = 1}};

	by_block();
	bed.recipe.reservations = (struct plm_vec){reservations, 1};
}

static void on_own_hardware(void)
{
	bed.request.tenancy = plm_slice_str("dedicated");
	bed.request.offers.count = 1;
}

static void by_template(void)
{
	bed.recipe.class.kind = PLM_KIND_NODE_TEMPLATE;
}

static void by_template_and_spot(void)
{
	by_spot();
	by_template();
	bed.request.tenancy = plm_slice_str("dedicated");
}

static const struct form_case form_table[] = {
	{"fleet-on-demand", as_it_is},		{"fleet-spot", by_spot},
	{"fleet-reserved", by_reservation},	{"fleet-block", by_block},
	{"fleet-interruptible", interruptibly}, {"fleet-dedicated", on_own_hardware},
	{"run-on-demand", by_template},		{"run-spot", by_template_and_spot},
};

static struct plm_ec2_launching build(struct plm_arena *arena)
{
	const struct plm_ec2_order order = {
		.request = &bed.request,
		.recipe = &bed.recipe,
		.cluster_uid = "11111111-2222-3333-4444-555555555555",
		.key = key,
		.intent = 4711,
	};
	struct plm_ec2_launching launching;
	struct plm_error err = {0};

	plm_assert_ok(plm_ec2_launching(&order, arena, &launching, &err), &err);
	return launching;
}

static void put_lines(struct plm_text *text, struct plm_slice form)
{
	for (size_t i = 0; i < form.size; i++) {
		plm_text_putf(text, "%c", form.ptr[i] == '&' ? '\n' : form.ptr[i]);
	}
	plm_text_putf(text, "\n");
}

static FILE *open_golden(const char *name, const char *mode)
{
	char path[512];

	(void)snprintf(path, sizeof(path), PATH, getenv("PLM_SOURCE_ROOT"), name);
	return fopen(path, mode);
}

static void write_golden(const char *name, struct plm_slice text)
{
	FILE *file = open_golden(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text.ptr, 1, text.size, file), text.size);
	assert_int_equal(fclose(file), 0);
}

/* Nothing where there is no such file. */
static void read_golden(const char *name, char *out)
{
	FILE *file = open_golden(name, "r");
	size_t size = 0;

	if (file != NULL) {
		size = fread(out, 1, WANT_SIZE - 1, file);
		(void)fclose(file);
	}
	out[size] = '\0';
}

static void form_row(const struct form_case *row)
{
	struct plm_text text = {.arena = &bed.arena};
	struct plm_ec2_launching launching;
	const struct plm_ec2_need *needs = NULL;
	char *want = NULL;

	bed_open(&bed);
	want = PLM_NEW_ARRAY(&bed.arena, WANT_SIZE, char);
	row->change();
	launching = build(&bed.arena);
	needs = launching.needs.ptr;
	put_lines(&text, launching.body);
	for (size_t i = 0; i < launching.needs.count; i++) {
		plm_text_putf(&text, "\n---- %.*s ----\n", (int)needs[i].name.size,
			      (const char *)needs[i].name.ptr);
		put_lines(&text, needs[i].form);
	}
	if (getenv("PLM_UPDATE") != NULL) {
		write_golden(row->why, plm_text_slice(&text));
	}
	read_golden(row->why, want);
	plm_assert_text(plm_text_slice(&text), want);
	bed_close(&bed);
}
PLM_TEST_ROWS(form_row, struct form_case)

/* After any restart, from the request as it was logged: the same bytes. */
static void the_same_again(void **state)
{
	struct plm_ec2_launching first;
	struct plm_ec2_launching second;
	const struct plm_w_ec2_recipe *again = NULL;
	struct plm_error err = {0};
	struct plm_slice bytes = {0};

	(void)state;
	bed_open(&bed);
	first = build(&bed.arena);
	bytes = plm_ec2_recipe_write(&bed.recipe, &bed.arena);
	plm_assert_ok(plm_ec2_recipe_read(bytes, &bed.arena, &again, &err), &err);
	bed.recipe = *again;
	second = build(&bed.arena);
	assert_true(plm_slice_equal(first.body, second.body));
	bed_close(&bed);
}

static void zones_without_a_subnet(void **state)
{
	struct plm_ec2_launching launching;
	const struct plm_w_offer *offers = NULL;
	const struct plm_ec2_order order = {.request = &bed.request,
					    .recipe = &bed.recipe,
					    .cluster_uid = "u",
					    .key = key,
					    .intent = 1};
	struct plm_error err = {0};

	(void)state;
	for (int simple = 0; simple < 2; simple++) {
		bed_open(&bed);
		bed.recipe.class.kind = simple ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
		bed.recipe.subnets.ptr =
			(const struct plm_w_class_subnet *)bed.recipe.subnets.ptr + 1;
		bed.recipe.subnets.count = 1;
		launching = build(&bed.arena);
		offers = launching.offers.ptr;
		assert_int_equal(launching.offers.count, 1);
		plm_assert_text(offers[0].zone, "us-west-2b");
		bed.recipe.subnets.count = 0;
		assert_int_equal(plm_ec2_launching(&order, &bed.arena, &launching, &err),
				 PLM_E_INPUT);
		bed_close(&bed);
	}
}

/* More than EC2 takes: the cheapest stay. */
static void too_many_offers(void **state)
{
	struct plm_w_offer *offers = NULL;
	struct plm_ec2_launching launching;

	(void)state;
	bed_open(&bed);
	offers = PLM_NEW_ARRAY(&bed.arena, 400, struct plm_w_offer);
	for (unsigned i = 0; i < 400; i++) {
		offers[i] = bed.offers[0];
		offers[i].instance_type = plm_arena_format(&bed.arena, "t%u.large", i);
	}
	bed.request.offers = (struct plm_vec){offers, 400};
	launching = build(&bed.arena);
	assert_int_equal(launching.offers.count, 300);
	assert_int_equal(launching.needs.count, 1);
	bed_close(&bed);
}

static void base64(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},	 {"f", "Zg=="},	       {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};

	(void)state;
	bed_open(&bed);
	for (size_t i = 0; i < PLM_COUNTOF(pairs); i++) {
		plm_assert_text(plm_ec2_base64(plm_slice_str(pairs[i][0]), &bed.arena),
				pairs[i][1]);
	}
	bed_close(&bed);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, form_row, form_table);
	PLM_TEST_ADD(&tests, the_same_again);
	PLM_TEST_ADD(&tests, zones_without_a_subnet);
	PLM_TEST_ADD(&tests, too_many_offers);
	PLM_TEST_ADD(&tests, base64);
	return plm_tests_run(&tests, "ec2 fleet");
}
