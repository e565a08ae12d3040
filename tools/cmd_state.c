/* state: the folded state at a point, whole or by path. */
#include <inttypes.h>

#include "tools/input.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/state_tree.h"
#include "tools/verbs.h"
#include "tools/view.h"

static enum plm_code print_part(struct plm_cli *call, struct plm_json *tree, struct plm_error *err)
{
	const char *path = call->operands[0];
	const char *rest = "";
	struct plm_json *part = plm_tree_find(tree, path, &rest);

	if (part == NULL) {
		return plm_fail(err, PLM_E_NOT_FOUND,
				"nothing in the state is called '%s' (of '%s')", rest, path);
	}
	plm_print_document(call, part);
	return PLM_OK;
}

enum plm_code plm_cmd_state(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_json *doc = NULL;
	struct plm_json *tree = NULL;
	enum plm_code code = plm_view_open(call, &view, err);

	if (code != PLM_OK) {
		plm_view_close(&view);
		return code;
	}
	if (plm_cli_has(call, PLM_FLAG_HASH)) {
		(void)fprintf(call->out, "%s\n", plm_view_hash(&view));
	} else {
		tree = plm_state_tree(call->arena, &view.state);
		doc = plm_json_document(call->arena, "State");
		plm_json_put(doc, "at", plm_view_point(&view));
		plm_json_put_str(doc, "stateHash", plm_view_hash(&view));
		plm_json_put(doc, "state", tree);
		if (call->operand_count > 0) {
			code = print_part(call, tree, err);
		} else {
			plm_print_document(call, doc);
		}
	}
	plm_view_close(&view);
	return code;
}
