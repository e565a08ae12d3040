#include "adapters/ec2/catalog.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/catalog/catalog.h"
#include "adapters/ec2/catalog_ask.h"
#include "adapters/ec2/endpoint.h"
#include "adapters/ec2/observed.h"
#include "adapters/http/backoff.h"
#include "adapters/http/jitter.h"
#include "core/limits.h"

#define NOBODY PLM_EC2_SEEN_COUNT

/* One question and what is known by it. */
struct question {
	struct plm_ec2_sheet sheet; /* the newest whole answer */
	bool known, tried;
	struct plm_backoff backoff;
	int64_t due_ms; /* on the boot clock */
	char why[96];	/* what went wrong last; "" = nothing */
};

struct plm_ec2_catalog {
	struct plm_ec2_context *context;
	uv_timer_t *timer; /* owned until its close */
	struct plm_aws_pages *pages;
	struct question questions[PLM_EC2_SEEN_COUNT];
	enum plm_ec2_sheet_kind asking; /* NOBODY */
	unsigned number;		/* of its reads */
	struct plm_ec2_sheet next;	/* being filled */
	struct plm_ec2_said said;
	/* Launches into reservations: that the answer which was told last has seen, that the newest has. */
	uint64_t told_reserved, asked_reserved;
	int64_t reservations_ms; /* when they were asked for last, on the boot clock */
	uint64_t random;
	bool changed; /* since it was told last */
	bool started, summed_up;
	int64_t unreadable;
};

static void step(struct plm_ec2_catalog *catalog);

static int64_t boot_ms(const struct plm_ec2_catalog *catalog)
{
	return catalog->context->clock.boot_ms(catalog->context->clock.self);
}

static void say(const struct plm_ec2_catalog *catalog, const char *text)
{
	if (catalog->context->options.note != NULL) {
		catalog->context->options.note(catalog->context->options.self, text);
	}
}

static const char *region_of(const struct plm_ec2_catalog *catalog)
{
	return plm_aws_region(catalog->context->client);
}

/* ---- telling ----------------------------------------------------------------------------------- */

static bool all_tried(const struct plm_ec2_catalog *catalog)
{
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		if (!catalog->questions[i].tried) {
			return false;
		}
	}
	return true;
}

static void sum_up(struct plm_ec2_catalog *catalog, const struct plm_w_catalog *whole)
{
	const struct question *q = catalog->questions;
	char text[256];

	if (catalog->summed_up) {
		return;
	}
	catalog->summed_up = true;
	(void)snprintf(text, sizeof(text),
		       "catalogue of %s: %zu instance types; EC2 named %u types, %u offerings, %u "
		       "spot prices, %u prices on demand, %u reservations",
		       region_of(catalog), whole->types.count, q[PLM_EC2_SEEN_TYPES].sheet.count,
		       q[PLM_EC2_SEEN_OFFERS].sheet.count, q[PLM_EC2_SEEN_SPOT].sheet.count,
		       q[PLM_EC2_SEEN_DEMAND].sheet.count,
		       q[PLM_EC2_SEEN_RESERVATIONS].sheet.count);
	say(catalog, text);
}

/* An empty catalogue is no news: what the engine has is better than nothing. */
static void tell(struct plm_ec2_catalog *catalog)
{
	const struct plm_ec2_options *options = &catalog->context->options;
	struct plm_ec2_observed observed = {
		.fallback = options->builtin,
		.region = plm_slice_str(region_of(catalog)),
		.now_ms = plm_ec2_now_ms(catalog->context),
		.strict = options->config != NULL && options->config->compat == PLM_COMPAT_STRICT,
	};
	bool again = catalog->asked_reserved != catalog->told_reserved;
	struct plm_w_catalog whole;
	struct plm_w_catalog out;
	struct plm_arena arena;
	struct plm_error err;

	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		const struct question *question = &catalog->questions[i];

		observed.sheets[i] = question->known ? &question->sheet : NULL;
	}
	catalog->changed = false;
	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_EC2_CATALOG_ARENA, &err) == PLM_OK);
	plm_ec2_observed_catalog(&observed, &arena, &whole);
	if (whole.types.count > 0 && region_of(catalog)[0] != '\0' &&
	    plm_ec2_said_next(&catalog->said, &whole, again, &arena, &out)) {
		plm_ec2_tell(catalog->context, PLM_EV_CATALOG, &out, 0, "");
	}
	catalog->told_reserved = catalog->asked_reserved;
	sum_up(catalog, &whole);
	plm_arena_fini(&arena);
}

/* When the blocks end in which instances run; said once for each instance and end. */
static void tell_blocks(struct plm_ec2_catalog *catalog)
{
	const struct plm_ec2_sheet *sheet = &catalog->questions[PLM_EC2_SEEN_RESERVATIONS].sheet;
	const struct plm_ec2_reservation_row *rows = sheet->rows;

	for (uint32_t i = 0; i < sheet->count; i++) {
		uint32_t at = 0;
		struct plm_ec2_known_row *row = NULL;

		if (!plm_slice_is(rows[i].kind, "capacity-block") || rows[i].end_ms == PLM_UNSET) {
			continue;
		}
		while ((row = plm_ec2_known_in(&catalog->context->known, rows[i].id, &at)) !=
		       NULL) {
			struct plm_w_interruption fact = {
				.provider_id = plm_slice_str(row->provider_id),
				.kind = PLM_INTERRUPT_BLOCK,
				.at_ms = rows[i].end_ms,
				.reservation = rows[i].id,
			};

			if (row->block_end_ms != rows[i].end_ms) {
				row->block_end_ms = rows[i].end_ms;
				plm_ec2_tell(catalog->context, PLM_EV_INTERRUPTION, &fact, 0, "");
			}
		}
	}
}

/* ---- asking ------------------------------------------------------------------------------------ */

static int64_t interval_ms(enum plm_ec2_sheet_kind kind)
{
	return kind == PLM_EC2_SEEN_RESERVATIONS ? PLM_LIMIT_EC2_RESERVATIONS_MS
						 : PLM_LIMIT_EC2_CATALOG_MS;
}

static void answered(struct plm_ec2_catalog *catalog)
{
	struct question *question = &catalog->questions[catalog->asking];
	int64_t wait_ms = interval_ms(catalog->asking);
	bool same = false;

	plm_ec2_sheet_close(&catalog->next);
	same = catalog->asking == PLM_EC2_SEEN_RESERVATIONS && question->known &&
	       catalog->asked_reserved == catalog->told_reserved &&
	       plm_ec2_reservations_equal(&question->sheet, &catalog->next);
	catalog->changed = catalog->changed || !same;
	catalog->unreadable += catalog->next.unreadable;
	if (catalog->next.left_out > 0) {
		char text[160];

		(void)snprintf(text, sizeof(text),
			       "catalogue: %u rows of an answer are left out, there are too many",
			       catalog->next.left_out);
		say(catalog, text);
	}
	if (question->known) {
		plm_ec2_sheet_fini(&question->sheet);
	}
	question->sheet = catalog->next;
	question->known = true;
	question->why[0] = '\0';
	plm_backoff_good(&question->backoff);
	question->due_ms =
		boot_ms(catalog) + wait_ms + plm_jitter(&catalog->random, 0, wait_ms / 20);
}

static void failed(struct plm_ec2_catalog *catalog, const struct plm_aws_answer *answer)
{
	struct question *question = &catalog->questions[catalog->asking];
	char text[320];

	plm_ec2_sheet_fini(&catalog->next);
	if (question->why[0] == '\0') {
		(void)snprintf(text, sizeof(text), "catalogue: %s: %s %s; %s",
			       plm_ec2_sheet_name(catalog->asking), answer->code, answer->message,
			       question->known ? "what was known stands"
					       : "the built-in catalogue stands");
		say(catalog, text);
	}
	(void)snprintf(question->why, sizeof(question->why), "%s: %s",
		       plm_ec2_sheet_name(catalog->asking), answer->code);
	question->due_ms =
		boot_ms(catalog) +
		plm_backoff_failed(&question->backoff, boot_ms(catalog), answer->retry_after_ms);
}

static void begin_read(struct plm_ec2_catalog *catalog);

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct plm_ec2_catalog *catalog = self;
	bool china = strncmp(region_of(catalog), "cn-", 3) == 0;

	plm_ec2_sheet_read(&catalog->next, root, china ? "CNY" : "USD");
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_catalog *catalog = self;

	catalog->pages = NULL;
	if (answer->class == PLM_AWS_DONE && ++catalog->number < plm_ec2_asks(catalog->asking)) {
		begin_read(catalog);
		return;
	}
	catalog->questions[catalog->asking].tried = true;
	if (answer->class == PLM_AWS_DONE) {
		answered(catalog);
	} else {
		failed(catalog, answer);
	}
	if (catalog->asking == PLM_EC2_SEEN_RESERVATIONS && answer->class == PLM_AWS_DONE) {
		tell_blocks(catalog);
	}
	catalog->asking = NOBODY;
	step(catalog);
}

static void begin_read(struct plm_ec2_catalog *catalog)
{
	struct plm_aws_paging paging = {.on_page = on_page, .on_end = on_end, .self = catalog};
	struct plm_arena arena;
	struct plm_error err;

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_EC2_FORM_ARENA, &err) == PLM_OK);
	plm_ec2_catalog_question(catalog->asking, catalog->number, region_of(catalog),
				 plm_ec2_now_ms(catalog->context), &arena, &paging);
	catalog->pages = plm_aws_pages_start(catalog->context->client, &paging);
	plm_arena_fini(&arena);
}

/* There is nobody to be asked for prices on demand. */
static bool is_skipped(const struct plm_ec2_catalog *catalog, enum plm_ec2_sheet_kind kind)
{
	struct plm_aws_endpoint endpoint;
	struct plm_error err;

	return kind == PLM_EC2_SEEN_DEMAND && region_of(catalog)[0] != '\0' &&
	       (catalog->context->options.isolated_vpc ||
		plm_aws_endpoint_of(PLM_AWS_PRICING, region_of(catalog), NULL, &endpoint, &err) !=
			PLM_OK);
}

/* The first question that is due; NOBODY. */
static enum plm_ec2_sheet_kind next_due(struct plm_ec2_catalog *catalog)
{
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		struct question *question = &catalog->questions[i];

		if (question->due_ms > boot_ms(catalog)) {
			continue;
		}
		if (!is_skipped(catalog, (enum plm_ec2_sheet_kind)i)) {
			return (enum plm_ec2_sheet_kind)i;
		}
		question->tried = true;
		question->due_ms = INT64_MAX;
	}
	return NOBODY;
}

static void on_timer(uv_timer_t *timer)
{
	step(timer->data);
}

static void rest(struct plm_ec2_catalog *catalog)
{
	int64_t due_ms = INT64_MAX;

	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		due_ms = plm_min(due_ms, catalog->questions[i].due_ms);
	}
	(void)uv_timer_start(catalog->timer, on_timer,
			     (uint64_t)plm_max(0, due_ms - boot_ms(catalog)), 0);
}

/*
 * Whoever reads a CATALOG counts the launches after it against what reservations have left. So that is asked
 * anew before anything else of it is told.
 */
static void freshen(struct plm_ec2_catalog *catalog)
{
	struct question *question = &catalog->questions[PLM_EC2_SEEN_RESERVATIONS];

	if (catalog->changed && question->known && question->sheet.count > 0 &&
	    boot_ms(catalog) - catalog->reservations_ms > PLM_LIMIT_EC2_LEFT_MS) {
		question->due_ms = plm_min(question->due_ms, boot_ms(catalog));
	}
}

static void step(struct plm_ec2_catalog *catalog)
{
	if (!catalog->started || catalog->asking != NOBODY) {
		return;
	}
	freshen(catalog);
	catalog->asking = next_due(catalog);
	if (catalog->asking != NOBODY) {
		catalog->number = 0;
		if (catalog->asking == PLM_EC2_SEEN_RESERVATIONS) {
			catalog->reservations_ms = boot_ms(catalog);
			catalog->asked_reserved = catalog->context->known.reserved;
		}
		plm_ec2_sheet_init(&catalog->next, catalog->asking);
		begin_read(catalog);
		return;
	}
	if (catalog->changed && all_tried(catalog) && plm_ec2_told(catalog->context)) {
		tell(catalog);
	}
	rest(catalog);
}

/* ---- life -------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

enum plm_code plm_ec2_catalog_new(struct plm_ec2_context *context, struct plm_ec2_catalog **out,
				  struct plm_error *err)
{
	static const struct plm_backoff_rule rule = {.first_ms = PLM_LIMIT_EC2_CATALOG_FIRST_MS,
						     .last_ms = PLM_LIMIT_EC2_CATALOG_LAST_MS};
	struct plm_ec2_catalog *catalog = calloc(1, sizeof(*catalog));

	(void)err;
	PLM_ASSERT(catalog != NULL);
	catalog->context = context;
	catalog->asking = NOBODY;
	catalog->random = context->options.seed;
	catalog->timer = calloc(1, sizeof(*catalog->timer));
	PLM_ASSERT(catalog->timer != NULL);
	PLM_ASSERT(uv_timer_init(context->options.loop, catalog->timer) == 0);
	catalog->timer->data = catalog;
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		plm_backoff_init(&catalog->questions[i].backoff, &rule,
				 context->options.seed + 1 + i);
	}
	*out = catalog;
	return PLM_OK;
}

void plm_ec2_catalog_start(struct plm_ec2_catalog *catalog)
{
	catalog->started = true;
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		catalog->questions[i].due_ms = boot_ms(catalog);
	}
	step(catalog);
}

void plm_ec2_catalog_resume(struct plm_ec2_catalog *catalog)
{
	step(catalog);
}

void plm_ec2_catalog_free(struct plm_ec2_catalog *catalog)
{
	if (catalog == NULL) {
		return;
	}
	if (catalog->pages != NULL) {
		plm_aws_pages_cancel(catalog->pages);
		plm_ec2_sheet_fini(&catalog->next);
	}
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		plm_ec2_sheet_fini(&catalog->questions[i].sheet);
	}
	plm_ec2_said_fini(&catalog->said);
	uv_close((uv_handle_t *)catalog->timer, on_closed);
	free(catalog);
}

size_t plm_ec2_catalog_ready(const struct plm_ec2_catalog *catalog, struct plm_ready_check *out,
			     size_t max)
{
	if (!catalog->started || max == 0) {
		return 0;
	}
	*out = (struct plm_ready_check){.name = "catalogue", .ok = true};
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT && out->ok; i++) {
		if (catalog->questions[i].why[0] != '\0') {
			out->ok = false;
			(void)snprintf(out->why, sizeof(out->why), "%s", catalog->questions[i].why);
		}
	}
	return 1;
}

void plm_ec2_catalog_tell(const struct plm_ec2_catalog *catalog,
			  void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				      int64_t value),
			  void *ctx)
{
	one(ctx, PLM_CLOUD_UNREADABLE, "catalogue", catalog->unreadable);
}
