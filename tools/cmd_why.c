/* why: the verdict about one object, with its numbers. */
#include <inttypes.h>

#include "tools/print.h"
#include "tools/verbs.h"
#include "tools/why.h"

#define S(slice) (int)(slice).size, (const char *)(slice).ptr
/* Width of the words in front: "  unblocks when". */
#define LEAD 12

static struct plm_slice text_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL && value->kind == PLM_JSON_TEXT ? value->text : (struct plm_slice){0};
}

static int64_t number_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL && value->kind == PLM_JSON_INT ? value->number : 0;
}

static struct plm_json *part_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL ? value : plm_json_list(row->arena);
}

static void lead(FILE *out, const char *word)
{
	(void)fprintf(out, "  %-*s", LEAD, word);
}

/* "8 nvidia.com/gpu, 64 cpu, 512Gi memory" */
static void print_amounts(FILE *out, struct plm_json *map)
{
	plm_json_sort(map);
	for (size_t i = 0; i < map->count; i++) {
		(void)fprintf(out, "%s%.*s %.*s", i > 0 ? ", " : "", S(map->items[i]->text),
			      S(map->keys[i]));
	}
}

static void print_needs(FILE *out, struct plm_json *doc)
{
	struct plm_json *needs = part_at(doc, "needs");

	for (size_t i = 0; i < needs->count; i++) {
		struct plm_json *row = needs->items[i];
		struct plm_slice set = text_at(row, "podSet");

		lead(out, i == 0 ? "needs" : "");
		print_amounts(out, part_at(row, "total"));
		(void)fprintf(out, "   pod set %.*s x%" PRId64 "\n", S(set),
			      number_at(row, "count"));
	}
}

static void print_queue(FILE *out, struct plm_json *doc)
{
	struct plm_json *queue = part_at(doc, "queue");
	struct plm_json *ahead = part_at(doc, "ahead");
	struct plm_slice name = text_at(queue, "clusterQueue");
	struct plm_slice cohort = text_at(queue, "cohort");
	struct plm_slice strategy = text_at(queue, "strategy");

	if (queue->kind != PLM_JSON_OBJECT) {
		return;
	}
	lead(out, "queue");
	(void)fprintf(out, "cq %.*s", S(name));
	if (cohort.size > 0) {
		(void)fprintf(out, " (cohort %.*s)", S(cohort));
	}
	if (number_at(queue, "position") > 0) {
		(void)fprintf(out, "   position %" PRId64 " of %" PRId64 ", %.*s",
			      number_at(queue, "position"), number_at(queue, "waiting"),
			      S(strategy));
	}
	(void)fputc('\n', out);
	if (ahead->count > 0) {
		lead(out, "ahead");
		for (size_t i = 0; i < ahead->count; i++) {
			struct plm_slice workload = text_at(ahead->items[i], "workload");

			(void)fprintf(out, "%s%.*s (priority %" PRId64 ")", i > 0 ? ", " : "",
				      S(workload), number_at(ahead->items[i], "priority"));
		}
		(void)fputc('\n', out);
	}
}

static const struct plm_column considered_columns[] = {
	{"CANDIDATE", false, false}, {"OUTCOME", false, false}, {"RULE", false, false},
	{"NEED", true, false},	     {"HAVE", true, false},	{"SHORT", true, false},
	{"DETAIL", false, false},
};

static void print_considered(struct plm_cli *call, struct plm_json *doc)
{
	static const char *const keys[] = {"candidate", "outcome", "rule",  "need",
					   "have",	"short",   "detail"};
	struct plm_json *rows = part_at(doc, "considered");
	struct plm_grid_style style = {.indent = 2};
	struct plm_grid grid;

	if (rows->count == 0) {
		return;
	}
	plm_grid_init(&grid, call->arena, considered_columns, PLM_COUNTOF(considered_columns));
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t k = 0; k < PLM_COUNTOF(keys); k++) {
			struct plm_json *cell =
				plm_json_get(rows->items[i], plm_slice_str(keys[k]));

			if (cell != NULL && cell->kind == PLM_JSON_INT) {
				plm_grid_format(&grid, "%" PRId64, cell->number);
			} else {
				plm_grid_cell(&grid,
					      cell != NULL ? cell->text : (struct plm_slice){0});
			}
		}
	}
	(void)fputc('\n', call->out);
	plm_grid_print(call->out, &grid, &style);
}

/* Existing nodes: what each rule leaves of them. */
static void print_nodes(FILE *out, struct plm_json *steps)
{
	(void)fprintf(out, "\n  existing nodes and open claims\n");
	for (size_t s = 0; s < steps->count; s++) {
		struct plm_slice rule = text_at(steps->items[s], "rule");

		(void)fprintf(out, "    %-20.*s %6" PRId64 "\n", S(rule),
			      number_at(steps->items[s], "left"));
	}
}

/* "instance-category", "nvidia.com/gpu", "out of stock": what a step is called in front of its row. */
static struct plm_slice step_label(struct plm_json *step)
{
	struct plm_slice rule = text_at(step, "rule");
	struct plm_slice subject = text_at(step, "subject");
	size_t from = 0;

	if (subject.size == 0 || plm_slice_is(rule, "pool limit")) {
		return rule;
	}
	for (size_t i = 0; i < subject.size && !plm_slice_is(rule, "resources"); i++) {
		from = ((const char *)subject.ptr)[i] == '/' ? i + 1 : from;
	}
	return plm_slice_of((const char *)subject.ptr + from, subject.size - from);
}

static bool same_step(struct plm_json *a, struct plm_json *b)
{
	return plm_slice_equal(text_at(a, "rule"), text_at(b, "rule")) &&
	       plm_slice_equal(text_at(a, "subject"), text_at(b, "subject"));
}

/* Rows of all pools in one order: a step is put behind those that came before it where it was found. */
static struct plm_json *step_rows(struct plm_json *pools, size_t first, size_t count)
{
	struct plm_json *rows = plm_json_list(pools->arena);

	for (size_t p = first; p < first + count; p++) {
		struct plm_json *steps = part_at(pools->items[p], "steps");

		for (size_t s = 0; s < steps->count; s++) {
			size_t at = 0;

			while (at < rows->count && !same_step(rows->items[at], steps->items[s])) {
				at++;
			}
			if (at == rows->count) {
				plm_json_add(rows, steps->items[s]);
			}
		}
	}
	return rows;
}

/* What a step took of 'before' types, and what it asked and found. */
static void print_step(struct plm_grid *grid, struct plm_json *step, int64_t before)
{
	int64_t left = number_at(step, "left");
	struct plm_slice detail = text_at(step, "detail");
	struct plm_slice need = text_at(step, "need");
	struct plm_slice have = text_at(step, "have");
	const char *between = need.size > 0 ? ", there " : "  left: ";

	plm_grid_format(grid, "-%" PRId64 "%s%.*s%s%.*s%s%.*s%s", before - left,
			need.size > 0 ? "  asked " : "", S(need), have.size > 0 ? between : "",
			S(have), detail.size > 0 ? "  " : "", S(detail),
			left == 0 && before > 0 ? "   <- the last went here" : "");
}

/* "1335", "-790  In g, p", "-4  8 asked, 4 there (g5.12xlarge)   <- the last 4" */
static void step_cell(struct plm_grid *grid, struct plm_json *steps, struct plm_json *row)
{
	for (size_t s = 0; s < steps->count; s++) {
		struct plm_json *step = steps->items[s];

		if (!same_step(step, row)) {
			continue;
		}
		if (s == 0) {
			plm_grid_format(grid, "%" PRId64, number_at(step, "left"));
		} else {
			print_step(grid, step, number_at(steps->items[s - 1], "left"));
		}
		return;
	}
	plm_grid_cell(grid, (struct plm_slice){0});
}

/* Columns of pools beside each other; more of them come below. */
#define POOLS_ABREAST 2

static void print_pools(struct plm_cli *call, struct plm_json *pools, size_t first, size_t count)
{
	struct plm_column columns[POOLS_ABREAST + 1] = {{"INSTANCE TYPES", false, false}};
	struct plm_grid_style style = {.indent = 2};
	struct plm_json *rows = step_rows(pools, first, count);
	struct plm_grid grid;

	for (size_t p = 0; p < count; p++) {
		struct plm_slice name = text_at(pools->items[first + p], "nodePool");
		struct plm_slice head = plm_arena_format(call->arena, "pool %.*s", S(name));

		columns[p + 1] = (struct plm_column){(const char *)head.ptr, false, false};
	}
	plm_grid_init(&grid, call->arena, columns, count + 1);
	for (size_t r = 0; r < rows->count; r++) {
		plm_grid_cell(&grid, step_label(rows->items[r]));
		for (size_t p = 0; p < count; p++) {
			step_cell(&grid, part_at(pools->items[first + p], "steps"), rows->items[r]);
		}
	}
	plm_grid_cell(&grid, plm_slice_str("left"));
	for (size_t p = 0; p < count; p++) {
		struct plm_json *steps = part_at(pools->items[first + p], "steps");

		plm_grid_format(&grid, "%" PRId64,
				steps->count > 0 ? number_at(steps->items[steps->count - 1], "left")
						 : 0);
	}
	(void)fputc('\n', call->out);
	plm_grid_print(call->out, &grid, &style);
}

/* What each rule takes from the types of each pool, after HTCondor. */
static void print_funnel(struct plm_cli *call, struct plm_json *doc)
{
	struct plm_json *pools = part_at(doc, "funnel");
	size_t first = 0;

	if (pools->count > 0 && text_at(pools->items[0], "nodePool").size == 0) {
		print_nodes(call->out, part_at(pools->items[0], "steps"));
		first = 1;
	}
	for (size_t p = first; p < pools->count; p += POOLS_ABREAST) {
		size_t rest = pools->count - p;

		print_pools(call, pools, p, rest < POOLS_ABREAST ? rest : POOLS_ABREAST);
	}
}

static void print_unblock(FILE *out, struct plm_json *doc)
{
	struct plm_json *unblock = part_at(doc, "unblock");

	if (unblock->count == 0) {
		return;
	}
	/* What stands in the way of one pool stands there together. */
	(void)fprintf(out, "\n  unblocks with\n");
	for (size_t i = 0; i < unblock->count; i++) {
		(void)fprintf(out, "    %.*s\n", S(unblock->items[i]->text));
	}
}

static void print_facts(FILE *out, struct plm_json *doc)
{
	static const struct {
		const char *key, *word;
	} rows[] = {
		{"workload", "workload"},     {"nodeClaim", "claim"},
		{"nodePool", "pool"},	      {"node", "node"},
		{"instanceType", "type"},     {"zone", "zone"},
		{"capacityType", "capacity"}, {"for", "for"},
		{"emptySince", "empty"},      {"nodeRegistrationHealthy", "healthy"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		struct plm_slice value = text_at(doc, rows[i].key);

		if (value.size > 0) {
			lead(out, rows[i].word);
			(void)fprintf(out, "%.*s\n", S(value));
		}
	}
}

/* "bought for  shop/web-1, shop/web-2 and 5 more pods" and what the cloud would not give. */
static void print_purchase(FILE *out, struct plm_json *doc)
{
	struct plm_json *pods = part_at(doc, "boughtFor");
	struct plm_json *refused = part_at(doc, "refused");
	int64_t all = number_at(doc, "boughtForPods");

	for (size_t i = 0; i < pods->count; i++) {
		if (i == 0) {
			lead(out, "bought for");
		}
		(void)fprintf(out, "%s%.*s", i > 0 ? ", " : "", S(pods->items[i]->text));
	}
	if (pods->count > 0 && all > (int64_t)pods->count) {
		(void)fprintf(out, " and %" PRId64 " more pods", all - (int64_t)pods->count);
	}
	(void)fputs(pods->count > 0 ? "\n" : "", out);
	for (size_t i = 0; i < refused->count; i++) {
		lead(out, i == 0 ? "refused" : "");
		(void)fprintf(out, "%.*s %.*s %.*s: %.*s\n",
			      S(text_at(refused->items[i], "instanceType")),
			      S(text_at(refused->items[i], "capacityType")),
			      S(text_at(refused->items[i], "zone")),
			      S(text_at(refused->items[i], "code")));
	}
}

/* "not yet     MultiKueue (mk): ...; ends with ..." */
static void print_absent(FILE *out, struct plm_json *doc)
{
	struct plm_json *rows = part_at(doc, "notThereYet");

	for (size_t i = 0; i < rows->count; i++) {
		struct plm_slice feature = text_at(rows->items[i], "feature");
		struct plm_slice object = text_at(rows->items[i], "askedForBy");
		struct plm_slice instead = text_at(rows->items[i], "instead");
		struct plm_slice unblock = text_at(rows->items[i], "unblock");

		lead(out, "not yet");
		(void)fprintf(out, "%.*s%s%.*s%s: %.*s; ends with %.*s\n", S(feature),
			      object.size > 0 ? " (" : "", S(object), object.size > 0 ? ")" : "",
			      S(instead), S(unblock));
	}
}

/* "removal     pod a/b on node n1 must not be disrupted, until ..." */
static void print_removal(FILE *out, struct plm_json *doc)
{
	struct plm_json *removal = part_at(doc, "removal");
	struct plm_slice message = text_at(removal, "message");
	struct plm_slice until = text_at(removal, "until");
	struct plm_slice expires = text_at(removal, "expiresAt");
	struct plm_slice cost = text_at(removal, "rescheduleCost");

	if (removal->kind != PLM_JSON_OBJECT) {
		return;
	}
	lead(out, "removal");
	(void)fprintf(out, "%.*s%s%.*s\n", S(message), until.size > 0 ? ", until " : "", S(until));
	lead(out, "cost");
	(void)fprintf(out, "%.*s to reschedule %" PRId64 " pods\n", S(cost),
		      number_at(removal, "podsToMove"));
	if (expires.size > 0) {
		lead(out, "expires");
		(void)fprintf(out, "%.*s\n", S(expires));
	}
}

/* "drain       evicting pod a/b violates PodDisruptionBudget a/c, since ..." */
static void print_drain(FILE *out, struct plm_json *doc)
{
	struct plm_json *drain = part_at(doc, "drain");
	struct plm_slice message = text_at(drain, "message");
	struct plm_slice since = text_at(drain, "since");
	struct plm_slice deadline = text_at(drain, "deadline");
	struct plm_slice unblock = text_at(drain, "unblock");

	if (drain->kind != PLM_JSON_OBJECT || message.size == 0) {
		return;
	}
	lead(out, "drain");
	(void)fprintf(out, "%.*s%s%.*s\n", S(message), since.size > 0 ? ", draining since " : "",
		      S(since));
	if (deadline.size > 0) {
		lead(out, "deadline");
		(void)fprintf(out, "%.*s\n", S(deadline));
	}
	if (unblock.size > 0) {
		lead(out, "goes on with");
		(void)fprintf(out, "%.*s\n", S(unblock));
	}
}

static void print_causes(struct plm_cli *call, struct plm_json *doc)
{
	struct plm_json *causes = part_at(doc, "causes");

	if (causes->count == 0) {
		return;
	}
	(void)fputc('\n', call->out);
	lead(call->out, "because of");
	for (size_t i = 0; i < causes->count; i++) {
		struct plm_slice type = text_at(causes->items[i], "type");
		struct plm_slice object = text_at(causes->items[i], "object");

		/* What came after the decision did not cause it. */
		bool later =
			number_at(causes->items[i], "seq") > number_at(causes->items[0], "seq");
		const char *link = later ? "; since then " : " <- ";

		(void)fprintf(call->out, "%s%.*s %" PRId64 "%s%.*s%s", i > 0 ? link : "", S(type),
			      number_at(causes->items[i], "seq"), object.size > 0 ? " (" : "",
			      S(object), object.size > 0 ? ")" : "");
	}
	(void)fputc('\n', call->out);
}

static void print_explanation(struct plm_cli *call, struct plm_json *doc)
{
	struct plm_slice subject = text_at(doc, "subject");
	struct plm_slice state = text_at(doc, "state");
	struct plm_slice reason = text_at(doc, "reason");
	struct plm_slice message = text_at(doc, "message");
	struct plm_json *at = part_at(doc, "at");
	struct plm_slice time = text_at(at, "time");

	(void)fprintf(call->out, "%s%.*s%s  %.*s", plm_colour_begin(call->out, PLM_COLOUR_BOLD),
		      S(subject), plm_colour_end(call->out, PLM_COLOUR_BOLD), S(state));
	if (reason.size > 0 && !plm_slice_equal(reason, state)) {
		(void)fprintf(call->out, "   %.*s", S(reason));
	}
	(void)fprintf(call->out, "   (at event %" PRId64 ", %.*s", number_at(at, "seq"), S(time));
	if (part_at(doc, "decision")->kind == PLM_JSON_OBJECT) {
		(void)fprintf(call->out, "; decided in event %" PRId64,
			      number_at(part_at(doc, "decision"), "seq"));
	}
	(void)fputs(")\n", call->out);
	if (message.size > 0) {
		(void)fprintf(call->out, "  %.*s\n", S(message));
	}
	(void)fputc('\n', call->out);
	print_needs(call->out, doc);
	print_queue(call->out, doc);
	print_facts(call->out, doc);
	print_purchase(call->out, doc);
	print_removal(call->out, doc);
	print_drain(call->out, doc);
	print_absent(call->out, doc);
	print_considered(call, doc);
	print_funnel(call, doc);
	print_unblock(call->out, doc);
	print_causes(call, doc);
}

enum plm_code plm_cmd_why(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_subject subject = {0};
	struct plm_json *doc = NULL;
	enum plm_code code = plm_subject_parse(call, 0, &subject, err);

	if (code == PLM_OK) {
		code = plm_view_open(call, &view, err);
	}
	if (code == PLM_OK) {
		code = plm_why_tree(&view, &subject, &doc, err);
	}
	if (code == PLM_OK && plm_print_is_document(call)) {
		plm_print_document(call, doc);
	} else if (code == PLM_OK) {
		print_explanation(call, doc);
	}
	plm_view_close(&view);
	return code;
}
