/* Paths, methods and content types of calls. */
#include "adapters/kube/client_private.h"

#include <stdlib.h>

/* Text that grows up to a size that was counted before. */
struct text {
	char *at;
	size_t size; /* bytes so far */
};

static void put(struct text *text, const char *piece)
{
	size_t size = strlen(piece);

	if (text->at != NULL) {
		memcpy(text->at + text->size, piece, size);
	}
	text->size += size;
}

static bool plain(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' ||
	       byte == '~';
}

/* A name, so that it is one segment of a path whatever is in it. */
static void put_name(struct text *text, struct plm_slice name)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < name.size; i++) {
		uint8_t byte = name.ptr[i];
		char piece[4] = {(char)byte, 0, 0, 0};

		/* "." and ".." would be steps. */
		if (!plain(byte) || (byte == '.' && name.size <= 2)) {
			piece[0] = '%';
			piece[1] = digits[byte >> 4];
			piece[2] = digits[byte & 15];
		}
		put(text, piece);
	}
}

static bool writes(enum plm_kube_verb verb)
{
	switch (verb) {
	case PLM_KUBE_CREATE:
	case PLM_KUBE_PATCH_JSON:
	case PLM_KUBE_PATCH_MERGE:
	case PLM_KUBE_APPLY:
	case PLM_KUBE_UPDATE:
		return true;
	case PLM_KUBE_GET:
	case PLM_KUBE_LIST:
	case PLM_KUBE_WATCH:
	case PLM_KUBE_DELETE:
		return false;
	}
	PLM_UNREACHABLE();
}

static void put_query(struct text *text, const struct plm_kube_request *request,
		      const char *field_manager)
{
	bool watch = request->verb == PLM_KUBE_WATCH &&
		     (request->query == NULL || strstr(request->query, "watch=") == NULL);
	const char *before = "?";

	if (request->query != NULL && request->query[0] != '\0') {
		put(text, before);
		put(text, request->query);
		before = "&";
	}
	if (watch) {
		put(text, before);
		put(text, "watch=1");
		before = "&";
	}
	if (writes(request->verb)) {
		put(text, before);
		put(text, "fieldManager=");
		put_name(text, plm_slice_str(field_manager));
	}
}

static void put_all(struct text *text, const struct plm_kube_request *request, const char *version,
		    const char *field_manager)
{
	const struct plm_kube_resource *resource = plm_kube_resource(request->resource);

	put(text, resource->group[0] == '\0' ? "/api" : "/apis/");
	put(text, resource->group);
	put(text, "/");
	put(text, version);
	if (resource->namespaced && request->ns.size > 0) {
		put(text, "/namespaces/");
		put_name(text, request->ns);
	}
	put(text, "/");
	put(text, resource->name);
	/* The name of what is created stands in its body, but for a subresource. */
	if (request->name.size > 0 &&
	    (request->verb != PLM_KUBE_CREATE || request->subresource[0] != '\0')) {
		put(text, "/");
		put_name(text, request->name);
	}
	if (request->subresource[0] != '\0') {
		put(text, "/");
		put(text, request->subresource);
	}
	put_query(text, request, field_manager);
}

char *plm_kube_path_make(const struct plm_kube_request *request, const char *version,
			 const char *field_manager)
{
	struct text text = {0};

	put_all(&text, request, version, field_manager);
	text = (struct text){.at = calloc(1, text.size + 1)};
	if (text.at != NULL) {
		put_all(&text, request, version, field_manager);
	}
	return text.at;
}

const char *plm_kube_method(enum plm_kube_verb verb)
{
	switch (verb) {
	case PLM_KUBE_GET:
	case PLM_KUBE_LIST:
	case PLM_KUBE_WATCH:
		return "GET";
	case PLM_KUBE_CREATE:
		return "POST";
	case PLM_KUBE_PATCH_JSON:
	case PLM_KUBE_PATCH_MERGE:
	case PLM_KUBE_APPLY:
		return "PATCH";
	case PLM_KUBE_UPDATE:
		return "PUT";
	case PLM_KUBE_DELETE:
		return "DELETE";
	}
	PLM_UNREACHABLE();
}

const char *plm_kube_content_type(enum plm_kube_verb verb)
{
	switch (verb) {
	case PLM_KUBE_GET:
	case PLM_KUBE_LIST:
	case PLM_KUBE_WATCH:
		return NULL;
	case PLM_KUBE_CREATE:
	case PLM_KUBE_UPDATE:
	case PLM_KUBE_DELETE:
		return "Content-Type: application/json";
	case PLM_KUBE_PATCH_JSON:
		return "Content-Type: application/json-patch+json";
	case PLM_KUBE_PATCH_MERGE:
		return "Content-Type: application/merge-patch+json";
	case PLM_KUBE_APPLY:
		return "Content-Type: application/apply-patch+yaml";
	}
	PLM_UNREACHABLE();
}
