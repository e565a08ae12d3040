/*
 * catalog_ask.h - the questions of which a catalogue is the answer
 */
#ifndef PLM_ADAPTERS_EC2_CATALOG_ASK_H
#define PLM_ADAPTERS_EC2_CATALOG_ASK_H

#include "adapters/ec2/page.h"
#include "adapters/ec2/seen.h"

/* How many reads a sheet takes: two of the price list, for shared machines and for bare metal. */
unsigned plm_ec2_asks(enum plm_ec2_sheet_kind kind);
/* Call and body of read 'number' of a sheet; texts in 'arena'. 'now_ms' for prices from then on. */
void plm_ec2_catalog_question(enum plm_ec2_sheet_kind kind, unsigned number, const char *region,
			      int64_t now_ms, struct plm_arena *arena, struct plm_aws_paging *out);

#endif
