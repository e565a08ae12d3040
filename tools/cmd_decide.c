/* decide: one decision over manifests, without a cluster. */
#include <inttypes.h>

#include "tools/decision.h"
#include "tools/print.h"
#include "tools/round.h"
#include "tools/spell.h"
#include "tools/verbs.h"

static const char *const lists[] = {"admitted",	  "preempted",	   "pending",	 "nodeClaims",
				    "placements", "unschedulable", "disruptions"};

static struct plm_slice text_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL && value->kind == PLM_JSON_TEXT ? value->text : (struct plm_slice){0};
}

static int64_t number_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL && value->kind == PLM_JSON_INT ? value->number : PLM_UNSET;
}

static struct plm_json *list_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL ? value : plm_json_list(row->arena);
}

/* ---- --fail-on --------------------------------------------------------------------------------- */

static bool known_word(const char *word, size_t size)
{
	for (size_t i = 0; i < PLM_COUNTOF(lists); i++) {
		if (strlen(lists[i]) == size && strncmp(lists[i], word, size) == 0) {
			return true;
		}
	}
	return false;
}

static enum plm_code check_fail_on(const struct plm_cli *call, struct plm_error *err)
{
	const struct plm_flag_value *value = &call->flags[PLM_FLAG_FAIL_ON];

	for (size_t i = 0; i < value->count; i++) {
		for (const char *at = value->texts[i]; *at != '\0';) {
			size_t size = strcspn(at, ",");

			if (!known_word(at, size)) {
				return plm_fail(err, PLM_E_USAGE,
						"--fail-on: '%.*s' is none of pending, "
						"unschedulable, preempted, admitted, nodeClaims, "
						"placements, disruptions",
						(int)size, at);
			}
			at += size + (at[size] == ',' ? 1 : 0);
		}
	}
	return PLM_OK;
}

static bool fails(const struct plm_cli *call, struct plm_json *doc)
{
	for (size_t i = 0; i < PLM_COUNTOF(lists); i++) {
		if (plm_cli_lists(call, PLM_FLAG_FAIL_ON, lists[i]) &&
		    list_at(doc, lists[i])->count > 0) {
			return true;
		}
	}
	return false;
}

/* ---- for people -------------------------------------------------------------------------------- */

static const struct plm_column columns[] = {
	{"ACTION", false, false},
	{"SUBJECT", false, false},
	{"DETAIL", false, false},
	{"BECAUSE", false, false},
};

#define S(slice) (int)(slice).size, (const char *)(slice).ptr

/* "flavor default, 10 pods": the flavors of a workload, each once. */
static struct plm_slice admitted_detail(struct plm_json *row)
{
	struct plm_arena *arena = row->arena;
	struct plm_json *sets = list_at(row, "podSets");
	struct plm_slice queue = text_at(row, "clusterQueue");
	struct plm_slice flavors = {0};
	int64_t pods = 0;

	for (size_t i = 0; i < sets->count; i++) {
		struct plm_json *map = list_at(sets->items[i], "flavors");

		pods += number_at(sets->items[i], "count");
		for (size_t f = 0; f < map->count; f++) {
			struct plm_slice flavor = map->items[f]->text;

			if (flavors.size == 0) {
				flavors = flavor;
			} else if (memmem(flavors.ptr, flavors.size, flavor.ptr, flavor.size) ==
				   NULL) {
				flavors =
					plm_arena_format(arena, "%.*s+%.*s", S(flavors), S(flavor));
			}
		}
	}
	return plm_arena_format(arena, "flavor %.*s in cq %.*s, %" PRId64 " pod%s", S(flavors),
				S(queue), pods, pods == 1 ? "" : "s");
}

static void row4(struct plm_grid *grid, const char *action, struct plm_slice subject,
		 struct plm_slice detail, struct plm_slice because)
{
	enum plm_colour colour = PLM_COLOUR_GOOD;

	if (strcmp(action, "wait") == 0 || strcmp(action, "no place") == 0) {
		colour = PLM_COLOUR_WAIT;
	} else if (strcmp(action, "preempt") == 0 || strcmp(action, "delete") == 0) {
		colour = PLM_COLOUR_BAD;
	}
	plm_grid_colour_cell(grid, plm_slice_str(action), colour);
	plm_grid_cell(grid, subject);
	plm_grid_cell(grid, detail);
	plm_grid_cell(grid, because);
}

/* A line below a row: only its last cell is filled. */
static void below(struct plm_grid *grid, struct plm_slice text)
{
	struct plm_slice blank = plm_slice_str(" ");

	plm_grid_cell(grid, blank);
	plm_grid_cell(grid, blank);
	plm_grid_cell(grid, blank);
	plm_grid_cell(grid, text);
}

static struct plm_slice because(struct plm_json *row)
{
	struct plm_slice reason = text_at(row, "reason");
	struct plm_slice message = text_at(row, "message");

	return message.size == 0
		       ? reason
		       : plm_arena_format(row->arena, "%.*s: %.*s", S(reason), S(message));
}

/*
 * Where no quota that comes free will help: all that stands in the way beside the first, and what would
 * change it.
 */
static void unblock_rows(struct plm_cli *call, struct plm_grid *grid, struct plm_json *row)
{
	struct plm_json *considered = list_at(row, "considered");
	struct plm_json *unblock = list_at(row, "unblock");
	struct plm_slice message = text_at(row, "message");
	struct plm_slice reason = text_at(row, "reason");
	bool stuck = plm_slice_is(reason, "NoCapacity") ||
		     plm_slice_is(reason, "WaitingForCapacity") ||
		     plm_slice_is(reason, "Unschedulable");

	if (!stuck && !plm_cli_has(call, PLM_FLAG_EXPLAIN)) {
		return;
	}
	for (size_t i = 0; i < considered->count; i++) {
		struct plm_slice detail = text_at(considered->items[i], "detail");

		if (!plm_slice_equal(detail, message)) {
			below(grid, plm_arena_format(row->arena, "and: %.*s", S(detail)));
		}
	}
	for (size_t i = 0; i < unblock->count; i++) {
		below(grid,
		      plm_arena_format(row->arena, "%s %.*s", i == 0 ? "would do:" : "     and:",
				       S(unblock->items[i]->text)));
	}
}

static void workload_rows(struct plm_cli *call, struct plm_grid *grid, struct plm_json *doc)
{
	struct plm_json *rows = list_at(doc, "admitted");

	for (size_t i = 0; i < rows->count; i++) {
		struct plm_json *admitted = plm_json_get(rows->items[i], plm_slice_str("admitted"));

		row4(grid, admitted->number != 0 ? "admit" : "reserve",
		     text_at(rows->items[i], "workload"), admitted_detail(rows->items[i]),
		     (struct plm_slice){0});
	}
	rows = list_at(doc, "preempted");
	for (size_t i = 0; i < rows->count; i++) {
		struct plm_slice by = text_at(rows->items[i], "preemptor");

		row4(grid, "preempt", text_at(rows->items[i], "workload"),
		     plm_arena_format(grid->arena, "for %.*s", S(by)),
		     text_at(rows->items[i], "reason"));
	}
	rows = list_at(doc, "pending");
	for (size_t i = 0; i < rows->count; i++) {
		struct plm_slice queue = text_at(rows->items[i], "clusterQueue");
		struct plm_slice detail = {0};

		if (queue.size > 0) {
			detail = plm_arena_format(grid->arena, "position %" PRId64 " in cq %.*s",
						  number_at(rows->items[i], "position"), S(queue));
		}
		row4(grid, "wait", text_at(rows->items[i], "workload"), detail,
		     because(rows->items[i]));
		unblock_rows(call, grid, rows->items[i]);
	}
}

/* Rows from 'first' on that say the same as it: how many. They become one line. */
static size_t alike(struct plm_json *rows, size_t first, const char *key, const char *other)
{
	size_t count = 1;

	while (first + count < rows->count &&
	       plm_slice_equal(text_at(rows->items[first], key),
			       text_at(rows->items[first + count], key)) &&
	       plm_slice_equal(text_at(rows->items[first], other),
			       text_at(rows->items[first + count], other))) {
		count++;
	}
	return count;
}

static struct plm_slice first_and_more(struct plm_json *row, const char *key, size_t count)
{
	struct plm_slice name = text_at(row, key);

	return count == 1 ? name
			  : plm_arena_format(row->arena, "%.*s and %zu more", S(name), count - 1);
}

static struct plm_slice claim_detail(struct plm_json *row)
{
	struct plm_json *types = list_at(row, "instanceTypes");
	struct plm_slice type = types->count > 0 ? types->items[0]->text : (struct plm_slice){0};
	struct plm_slice capacity = text_at(row, "capacityType");
	struct plm_slice zone = text_at(row, "zone");
	struct plm_slice price =
		plm_spell_price(row->arena, number_at(row, "priceMicroUSDPerHour"));

	return plm_arena_format(row->arena, "%.*s%s%.*s%s%.*s%s%.*s", S(type),
				capacity.size > 0 ? " " : "", S(capacity), zone.size > 0 ? " " : "",
				S(zone), price.size > 0 ? " " : "", S(price));
}

static struct plm_slice pods_words(struct plm_json *row)
{
	struct plm_json *pods = list_at(row, "pods");

	if (pods->count == 0) {
		return (struct plm_slice){0};
	}
	if (pods->count == 1) {
		return plm_arena_format(row->arena, "for %.*s", S(pods->items[0]->text));
	}
	return plm_arena_format(row->arena, "for %.*s and %zu more", S(pods->items[0]->text),
				pods->count - 1);
}

static struct plm_slice nodes_words(struct plm_json *row)
{
	struct plm_json *nodes = list_at(row, "nodes");
	struct plm_slice words = {0};

	for (size_t i = 0; i < nodes->count; i++) {
		words = plm_arena_format(row->arena, "%.*s%s%.*s", S(words), i > 0 ? ", " : "",
					 S(nodes->items[i]->text));
	}
	return words;
}

static void node_rows(struct plm_cli *call, struct plm_grid *grid, struct plm_json *doc)
{
	struct plm_json *rows = list_at(doc, "nodeClaims");

	for (size_t i = 0; i < rows->count; i++) {
		struct plm_slice pool = text_at(rows->items[i], "nodePool");
		struct plm_slice name = text_at(rows->items[i], "name");

		row4(grid, "launch",
		     plm_arena_format(grid->arena, "%.*s (pool %.*s)", S(name), S(pool)),
		     claim_detail(rows->items[i]), pods_words(rows->items[i]));
	}
	rows = list_at(doc, "placements");
	for (size_t i = 0, same = 0; i < rows->count; i += same) {
		struct plm_slice node = text_at(rows->items[i], "node");

		same = alike(rows, i, "node", "node");
		row4(grid, "place", first_and_more(rows->items[i], "pod", same),
		     plm_arena_format(grid->arena, "on %.*s", S(node)), (struct plm_slice){0});
	}
	rows = list_at(doc, "unschedulable");
	for (size_t i = 0, same = 0; i < rows->count; i += same) {
		same = alike(rows, i, "message", "reason");
		row4(grid, "no place", first_and_more(rows->items[i], "pod", same),
		     (struct plm_slice){0}, because(rows->items[i]));
		unblock_rows(call, grid, rows->items[i]);
	}
	rows = list_at(doc, "disruptions");
	for (size_t i = 0; i < rows->count; i++) {
		struct plm_slice action = text_at(rows->items[i], "action");
		struct plm_json *new = list_at(rows->items[i], "replacements");

		row4(grid, plm_slice_is(action, "delete") ? "delete" : "replace",
		     nodes_words(rows->items[i]),
		     new->count > 0 ? claim_detail(new->items[0]) : (struct plm_slice){0},
		     text_at(rows->items[i], "reason"));
	}
}

static void print_plan(struct plm_cli *call, struct plm_json *doc)
{
	struct plm_grid grid;
	struct plm_slice now = text_at(doc, "now");

	(void)fprintf(call->out, "PLAN at %.*s   %" PRId64 " objects\n", S(now),
		      number_at(doc, "inputs"));
	(void)fprintf(call->out, "WORKLOADS   admit %zu   preempt %zu   wait %zu\n",
		      list_at(doc, "admitted")->count, list_at(doc, "preempted")->count,
		      list_at(doc, "pending")->count);
	(void)fprintf(call->out,
		      "NODES       launch %zu   remove %zu   pods placed %zu   pods "
		      "without a place %zu\n",
		      list_at(doc, "nodeClaims")->count, list_at(doc, "disruptions")->count,
		      list_at(doc, "placements")->count, list_at(doc, "unschedulable")->count);
	plm_grid_init(&grid, call->arena, columns, PLM_COUNTOF(columns));
	workload_rows(call, &grid, doc);
	node_rows(call, &grid, doc);
	if (grid.cell_count > 0) {
		(void)fputc('\n', call->out);
		plm_print_grid(call, &grid);
	}
}

enum plm_code plm_cmd_decide(struct plm_cli *call, struct plm_error *err)
{
	struct plm_round *round = NULL;
	struct plm_json *doc = NULL;
	enum plm_code code = check_fail_on(call, err);

	if (code == PLM_OK && !plm_cli_has(call, PLM_FLAG_FILENAME)) {
		return plm_fail(err, PLM_E_USAGE, "no input: add -f FILE (manifests)");
	}
	if (code == PLM_OK) {
		code = plm_round_open(call, &round, err);
	}
	if (code == PLM_OK) {
		code = plm_decision_list(call, round, &doc, err);
	}
	if (code == PLM_OK) {
		call->finding = fails(call, doc);
		if (plm_print_is_document(call)) {
			plm_print_document(call, doc);
		} else {
			print_plan(call, doc);
		}
	}
	plm_round_close(round);
	return code;
}
