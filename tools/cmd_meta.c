/* Verbs about the program itself: version, help, completion. */
#include "core/event.h"
#include "reducers/reducer.h"
#include "tools/json.h"
#include "tools/print.h"
#include "tools/verbs.h"

enum plm_code plm_cmd_version(struct plm_cli *call, struct plm_error *err)
{
	struct plm_json *doc = plm_json_document(call->arena, "Version");
	uint32_t events = 0;

	(void)plm_event_infos(&events);
	if (strcmp(plm_cli_format(call), "text") == 0) {
		(void)fprintf(call->out,
			      "plimsoll %s\nlog format %d, %u event types, decision bundle %d\n",
			      PLM_VERSION, PLM_ENVELOPE_FORMAT, events, PLM_BUNDLE);
		return PLM_OK;
	}
	plm_json_put_str(doc, "version", PLM_VERSION);
	plm_json_put_int(doc, "logFormat", PLM_ENVELOPE_FORMAT);
	plm_json_put_int(doc, "eventTypes", events);
	plm_json_put_int(doc, "bundle", PLM_BUNDLE);
	plm_print_document(call, doc);
	(void)err;
	return PLM_OK;
}

enum plm_code plm_cmd_help(struct plm_cli *call, struct plm_error *err)
{
	char topic[64] = "";
	const struct plm_command *command = NULL;

	if (call->operand_count > 0) {
		(void)snprintf(topic, sizeof(topic), "%s%s%s", call->operands[0],
			       call->operand_count > 1 ? " " : "",
			       call->operand_count > 1 ? call->operands[1] : "");
		command = plm_command_find(topic);
	}
	if (plm_cli_has(call, PLM_FLAG_MARKDOWN)) {
		plm_help_markdown(call->out);
	} else if (topic[0] != '\0' && command == NULL && strcmp(topic, "log") != 0) {
		return plm_fail(err, PLM_E_USAGE, "no verb '%s'", topic);
	} else if (plm_cli_has(call, PLM_FLAG_MAN)) {
		plm_help_man(call->out, command);
	} else {
		plm_help_print(call->out, call->program, topic);
	}
	return PLM_OK;
}

enum plm_code plm_cmd_completion(struct plm_cli *call, struct plm_error *err)
{
	return plm_complete_script(call->out, call->operands[0], err);
}
