/*
 * print.h - an answer to standard output, as the call asks for it
 */
#ifndef PLM_TOOLS_PRINT_H
#define PLM_TOOLS_PRINT_H

#include "tools/command.h"
#include "tools/grid.h"
#include "tools/json.h"

/* Is the chosen format a document (json, jsonl, yaml), not one for people? */
bool plm_print_is_document(const struct plm_cli *call);
/* 'doc' in the chosen format: yaml, jsonl (one line) or json. */
void plm_print_document(struct plm_cli *call, struct plm_json *doc);
/* 'table' with -o wide and --no-headers as the call has them. */
void plm_print_grid(struct plm_cli *call, const struct plm_grid *table);
/* A warning on stderr: "warning: ...". */
void plm_print_warning(struct plm_cli *call, const char *format, ...) PLM_PRINTF(2, 3);

#endif
