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

/* What each rule leaves of a pool's types, after HTCondor. */
static void print_funnel(struct plm_cli *call, struct plm_json *doc)
{
	struct plm_json *pools = part_at(doc, "funnel");

	for (size_t i = 0; i < pools->count; i++) {
		struct plm_slice pool = text_at(pools->items[i], "nodePool");
		struct plm_json *steps = part_at(pools->items[i], "steps");

		(void)fprintf(call->out, "\n  %s %.*s\n",
			      pool.size > 0 ? "instance types left in pool"
					    : "existing nodes and open claims",
			      S(pool));
		for (size_t s = 0; s < steps->count; s++) {
			struct plm_slice rule = text_at(steps->items[s], "rule");
			struct plm_slice detail = text_at(steps->items[s], "detail");

			(void)fprintf(call->out, "    %-20.*s %6" PRId64 "%s%.*s\n", S(rule),
				      number_at(steps->items[s], "left"),
				      detail.size > 0 ? "   " : "", S(detail));
		}
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
		{"emptySince", "empty"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		struct plm_slice value = text_at(doc, rows[i].key);

		if (value.size > 0) {
			lead(out, rows[i].word);
			(void)fprintf(out, "%.*s\n", S(value));
		}
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
