/*
 * api.h - the read API as a table: which address is which verb
 *
 * Owns: the addresses below /api/v1 (and Kueue's visibility address), each a verb of the command table
 * with operands from the address; the way from a request to a call and from a call to a request, so that
 * `--server` and the daemon cannot drift; the OpenAPI page from the same rows. What a request may say
 * beside its address are the verb's own flags, by name, but those that choose a source.
 * Does not: listen, know HTTP, or carry a verb out. ux.md 3.3.
 */
#ifndef PLM_TOOLS_API_H
#define PLM_TOOLS_API_H

#include "tools/command.h"
#include "tools/json.h"

#define PLM_API_OPERANDS 3

struct plm_api_route {
	const char *path;   /* "/api/v1/why/{kind}/{name}" */
	const char *verb;   /* of the command table */
	const char *prefix; /* put before the operand that the address makes; "" = none */
	/* Parameters that are operands, in order; the address makes none then. "from..to": one of both. */
	const char *operands[PLM_API_OPERANDS + 1];
	const char *format; /* of -o when the request names none */
	bool stream;	    /* it has no end: --follow */
	const char *summary;
};

/* The rows; ends with one whose path is NULL. */
const struct plm_api_route *plm_api_routes(void);

struct plm_api_pair {
	const char *name, *value;
};
struct plm_api_request {
	const char *path; /* without the query, escapes resolved */
	const struct plm_api_pair *pairs;
	size_t count;
};

/*
 * Fill 'call' (arena and streams are the caller's) as the command line would. '*out' is the row.
 * PLM_E_NOT_FOUND: no such address. PLM_E_USAGE: as on the command line, and parameters that it has not.
 */
enum plm_code plm_api_call(const struct plm_api_request *request, struct plm_cli *call,
			   const struct plm_api_route **out, struct plm_error *err) PLM_MUST_CHECK;
/* Is 'path' below an address of the table, whatever follows? */
bool plm_api_owns(const char *path);

/* The address, with its query, that asks a daemon what 'call' asks; arena, ends with a zero. */
enum plm_code plm_api_address(const struct plm_cli *call, struct plm_slice *out,
			      struct plm_error *err) PLM_MUST_CHECK;

/* The OpenAPI document. */
struct plm_json *plm_api_document(struct plm_arena *arena);

#endif
