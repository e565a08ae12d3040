/*
 * query.h - the body of a call of the query protocol, as a form
 *
 * Owns: names and values of one request, written as a form whose bytes follow from what was put alone, in whichever order:
 * sorted by name, escaped as SigV4 asks (all but A-Za-z0-9-_.~ as upper-case %XX). So the same request is the same
 * bytes, which is what an idempotency token demands of a repetition. EC2 names lists by number from 1, without
 * "member": "InstanceId.1", "Filter.2.Value.1", "TagSpecification.1.Tag.3.Key".
 * Does not: know a call's parameters.
 */
#ifndef PLM_ADAPTERS_EC2_QUERY_H
#define PLM_ADAPTERS_EC2_QUERY_H

#include "adapters/ec2/call.h"
#include "core/arena.h"

struct plm_query_pair; /* opaque */

struct plm_query {
	struct plm_arena *arena;       /* borrowed; holds all that was put */
	struct plm_query_pair *newest; /* the others behind it */
	size_t count;
	uint32_t filters; /* of plm_query_filter() so far */
};

void plm_query_init(struct plm_query *query, struct plm_arena *arena);
/* 'format' makes the name. The same name twice is a bug. An empty value is put as it is. */
void plm_query_put(struct plm_query *query, struct plm_slice value, const char *format, ...)
	PLM_PRINTF(3, 4);
void plm_query_text(struct plm_query *query, const char *name, const char *value);
void plm_query_number(struct plm_query *query, int64_t value, const char *format, ...)
	PLM_PRINTF(3, 4);
/* "true" or "false". */
void plm_query_bool(struct plm_query *query, const char *name, bool value);
/* "<prefix>.1", "<prefix>.2", ... of 'values' (struct plm_slice). */
void plm_query_list(struct plm_query *query, const char *prefix, struct plm_vec values);
/* The next "Filter.N" with 'values' (struct plm_slice). None of them: a filter that nothing passes is a bug. */
void plm_query_filter(struct plm_query *query, const char *name, struct plm_vec values);
/* With one value. */
void plm_query_filter_one(struct plm_query *query, const char *name, struct plm_slice value);
/* "<prefix>.Tag.1.Key" and ".Value", ... of 'tags' (struct plm_w_kv, core/object.h). */
void plm_query_tags(struct plm_query *query, const char *prefix, struct plm_vec tags);

/* What was put, without Action and Version: for a request that the client completes. In the arena. */
struct plm_slice plm_query_form(const struct plm_query *query);
/* With both of 'call', first: the whole form of a request that is frozen (plm_aws_request.exact). */
struct plm_slice plm_query_whole(const struct plm_query *query, enum plm_aws_call call);

#define PLM_QUERY_HEAD_SIZE 96
/* "Action=X&Version=Y" of a call of the query protocol, what every form of it begins with. Returns 'out'. */
const char *plm_query_head(enum plm_aws_call call, char out[PLM_QUERY_HEAD_SIZE]);
/* 'value' escaped, appended to nothing: in the arena. Also for paths and queries of REST. */
struct plm_slice plm_query_escape(struct plm_slice value, struct plm_arena *arena);

#endif
