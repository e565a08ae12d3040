/*
 * page.h - a read that comes in pages, as one
 *
 * Owns: asking on with the token of the page before, of EC2's query protocol ("nextToken" asks for "NextToken") and of JSON
 * ("NextToken" both ways). An empty page with a token goes on; a token that came before, or more than PLM_LIMIT_AWS_PAGES
 * pages, is an answer that cannot be used (UNKNOWN, "RepeatedToken", "TooManyPages"). Each page is a call of the client
 * and repeated by it as any read.
 * Does not: keep pages. What was handed on before a failure was handed on: begin anew.
 */
#ifndef PLM_ADAPTERS_EC2_PAGE_H
#define PLM_ADAPTERS_EC2_PAGE_H

#include "adapters/ec2/client.h"

struct plm_aws_pages; /* opaque: a read under way */

struct plm_aws_paging {
	enum plm_aws_call call; /* a read of the table */
	/* Form without Action, Version and NextToken; or a JSON object without NextToken. Copied. */
	struct plm_slice body;
	/* Each page, the tree borrowed for the call. False: hold on until plm_aws_pages_go(). */
	bool (*on_page)(void *self, const struct plm_aws_node *root);
	/* Once, last: DONE without a root, or the answer that ended it. */
	void (*on_end)(void *self, const struct plm_aws_answer *answer);
	void *self;
};

/* Valid until on_end returned, which comes from the loop. */
struct plm_aws_pages *plm_aws_pages_start(struct plm_aws_client *client,
					  const struct plm_aws_paging *paging);
/* Go on after on_page said to hold on; not from inside of it. Nothing where it is not held. */
void plm_aws_pages_go(struct plm_aws_pages *pages);
void plm_aws_pages_cancel(
	struct plm_aws_pages *pages); /* nothing comes of it any more; also from on_page */

#endif
