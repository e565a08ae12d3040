#include "tools/print.h"

#include <stdarg.h>

bool plm_print_is_document(const struct plm_cli *call)
{
	return plm_choice_has("json|jsonl|yaml", plm_cli_format(call));
}

void plm_print_document(struct plm_cli *call, struct plm_json *doc)
{
	const char *format = plm_cli_format(call);

	if (strcmp(format, "yaml") == 0) {
		plm_json_write(call->out, doc, PLM_JSON_YAML);
	} else {
		plm_json_write(call->out, doc,
			       strcmp(format, "jsonl") == 0 ? PLM_JSON_LINE : PLM_JSON_PRETTY);
	}
}

void plm_print_grid(struct plm_cli *call, const struct plm_grid *table)
{
	struct plm_grid_style style = {
		.wide = strcmp(plm_cli_format(call), "wide") == 0,
		.no_headers = plm_cli_has(call, PLM_FLAG_NO_HEADERS),
	};

	plm_grid_print(call->out, table, &style);
}

void plm_print_warning(struct plm_cli *call, const char *format, ...)
{
	va_list args;

	(void)fputs("warning: ", call->notes);
	va_start(args, format);
	(void)vfprintf(call->notes, format, args);
	va_end(args);
	(void)fputc('\n', call->notes);
}
