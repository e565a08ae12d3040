#include "adapters/ec2/page.h"

#include "adapters/ec2/query.h"
#include "adapters/ec2/text.h"
#include "core/event.h"
#include "core/hashing.h"
#include "core/limits.h"

#include <stdlib.h>

struct plm_aws_pages {
	struct plm_aws_client *client;
	struct plm_aws_paging paging;
	uint8_t *body;			    /* owned; the paging's */
	struct plm_aws_sent *sent;	    /* NULL: held, or inside of on_page */
	struct plm_slice token;		    /* of the page to come; empty = the first */
	uint8_t *token_bytes;		    /* owned */
	uint64_t seen[PLM_LIMIT_AWS_PAGES]; /* hashes of the tokens so far */
	size_t count;
	bool paging_now; /* inside of on_page */
	bool dropped;	 /* there: freed when it returns */
};

static void ask(struct plm_aws_pages *pages);

static uint8_t *own(struct plm_slice bytes)
{
	uint8_t *copy = malloc(bytes.size + 1);

	PLM_ASSERT(copy != NULL);
	if (bytes.size > 0) {
		memcpy(copy, bytes.ptr, bytes.size);
	}
	return copy;
}

static void free_pages(struct plm_aws_pages *pages)
{
	free(pages->body);
	free(pages->token_bytes);
	free(pages);
}

static void end(struct plm_aws_pages *pages, const struct plm_aws_answer *answer)
{
	pages->paging.on_end(pages->paging.self, answer);
	free_pages(pages);
}

static void end_with(struct plm_aws_pages *pages, const struct plm_aws_answer *last,
		     enum plm_aws_class class, const char *code)
{
	struct plm_aws_answer answer = *last;

	answer.class = class;
	answer.code = code;
	answer.message = class == PLM_AWS_DONE ? "" : "the pages do not end";
	answer.root = NULL;
	end(pages, &answer);
}

static bool is_query(const struct plm_aws_pages *pages)
{
	return plm_aws_protocol(plm_aws_call(pages->paging.call)->service) == PLM_AWS_QUERY;
}

/* False: it came before. */
static bool is_new(struct plm_aws_pages *pages, struct plm_slice token)
{
	uint64_t hash = plm_hash_bytes(token);

	for (size_t i = 0; i < pages->count; i++) {
		if (pages->seen[i] == hash) {
			return false;
		}
	}
	pages->seen[pages->count++] = hash;
	return true;
}

static void on_answer(void *self, const struct plm_aws_answer *answer)
{
	struct plm_aws_pages *pages = self;
	struct plm_slice token = {0};
	bool more = false;

	pages->sent = NULL;
	if (answer->class != PLM_AWS_DONE) {
		end(pages, answer);
		return;
	}
	token = plm_aws_text(answer->root, is_query(pages) ? "nextToken" : "NextToken");
	free(pages->token_bytes);
	pages->token_bytes = own(token);
	pages->token = plm_slice_of(pages->token_bytes, token.size);
	pages->paging_now = true;
	more = pages->paging.on_page(pages->paging.self, answer->root);
	pages->paging_now = false;
	if (pages->dropped) {
		free_pages(pages);
	} else if (token.size == 0) {
		end_with(pages, answer, PLM_AWS_DONE, "");
	} else if (pages->count == PLM_LIMIT_AWS_PAGES) {
		end_with(pages, answer, PLM_AWS_UNKNOWN, "TooManyPages");
	} else if (!is_new(pages, token)) {
		end_with(pages, answer, PLM_AWS_UNKNOWN, "RepeatedToken");
	} else if (more) {
		ask(pages);
	}
}

/* The request with the token in it, in 'arena'. */
static struct plm_slice body_of(const struct plm_aws_pages *pages, struct plm_arena *arena)
{
	struct plm_slice body = pages->paging.body;
	struct plm_text text = {.arena = arena};

	if (pages->token.size == 0) {
		return body;
	}
	if (is_query(pages)) {
		plm_text_put(&text, body);
		plm_text_putf(&text, "%sNextToken=", body.size == 0 ? "" : "&");
		plm_text_put(&text, plm_query_escape(pages->token, arena));
		return plm_text_slice(&text);
	}
	PLM_ASSERT(body.size >= 2 && body.ptr[0] == '{' && body.ptr[body.size - 1] == '}');
	plm_text_putf(&text, "{\"NextToken\":");
	plm_text_quote(&text, pages->token);
	plm_text_putf(&text, "%s", body.size == 2 ? "" : ",");
	plm_text_put(&text, plm_slice_of(body.ptr + 1, body.size - 1));
	return plm_text_slice(&text);
}

static void ask(struct plm_aws_pages *pages)
{
	struct plm_arena arena;
	struct plm_error err;
	struct plm_aws_request request = {
		.call = pages->paging.call,
		.on_done = on_answer,
		.self = pages,
	};

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err) == PLM_OK);
	request.body = body_of(pages, &arena);
	pages->sent = plm_aws_send(pages->client, &request);
	plm_arena_fini(&arena);
}

struct plm_aws_pages *plm_aws_pages_start(struct plm_aws_client *client,
					  const struct plm_aws_paging *paging)
{
	struct plm_aws_pages *pages = calloc(1, sizeof(*pages));

	PLM_ASSERT(pages != NULL && plm_aws_is_read(paging->call));
	pages->client = client;
	pages->paging = *paging;
	pages->body = own(paging->body);
	pages->paging.body = plm_slice_of(pages->body, paging->body.size);
	ask(pages);
	return pages;
}

void plm_aws_pages_go(struct plm_aws_pages *pages)
{
	if (pages->sent == NULL && !pages->paging_now) {
		ask(pages);
	}
}

void plm_aws_pages_cancel(struct plm_aws_pages *pages)
{
	if (pages->sent != NULL) {
		plm_aws_cancel(pages->sent);
	}
	if (pages->paging_now) {
		pages->dropped = true;
	} else {
		free_pages(pages);
	}
}
