/*
 * page.h - a part of a long list: --limit and --continue
 *
 * Owns: the token "SEQ:ROWS" that stands in an answer with more behind it: the next call looks at the
 * same point again and leaves out the rows that were given, so that the parts together are one list.
 */
#ifndef PLM_TOOLS_PAGE_H
#define PLM_TOOLS_PAGE_H

#include "tools/command.h"
#include "tools/json.h"

struct plm_page {
	uint64_t skip;	/* rows that earlier parts gave */
	uint64_t limit; /* 0 = none */
};

/*
 * Read both flags; a token stands for --at of the call, before the source is opened. PLM_E_USAGE: no
 * such token, or another point beside it.
 */
enum plm_code plm_page_begin(struct plm_cli *call, struct plm_page *page,
			     struct plm_error *err) PLM_MUST_CHECK;
/* Is row 'index' (from 0) in this part? */
bool plm_page_has(const struct plm_page *page, uint64_t index);
/* Put "continue" into 'document' when the list has 'count' rows at 'seq' and some lie behind. */
void plm_page_end(const struct plm_page *page, uint64_t seq, uint64_t count,
		  struct plm_json *document);

#endif
