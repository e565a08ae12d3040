/*
 * fuzz_kube.c - what the Kubernetes client reads, from any bytes
 *
 * The first byte says as what the rest is read: 'c' a kubeconfig, 'e' what a credential plugin prints, 's' the
 * body of an answer, 'd' of discovery. Whatever it is: no text has a byte of what a plugin printed, a failure
 * has a text of one line, and what is a fate for one body is the same for it again.
 */
#include "adapters/kube/client_private.h"
#include "core/limits.h"
#include "core/units.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void one_line(const char *text)
{
	PLM_ASSERT(text[0] != '\0' && strpbrk(text, "\r\n") == NULL);
}

static void kubeconfig(struct plm_slice bytes)
{
	struct plm_kube_login_options options = {0};
	struct plm_kube_login *login = NULL;
	struct plm_error err = {0};
	char path[64];
	int fd = memfd_create("kubeconfig", 0);

	PLM_ASSERT(fd >= 0 && write(fd, bytes.ptr, bytes.size) == (ssize_t)bytes.size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.kubeconfig = path;
	if (plm_kube_login_load(&options, &login, &err) == PLM_OK) {
		PLM_ASSERT(login->server[0] == 'h');
		PLM_ASSERT((login->cert_pem.size > 0) == (login->key_pem.size > 0));
		PLM_ASSERT(login->plugin.command == NULL || login->plugin.version != NULL);
	} else {
		PLM_ASSERT(login == NULL && err.code == PLM_E_CONFIG);
		PLM_ASSERT(err.text[0] != '\0');
	}
	plm_kube_login_free(login);
	(void)close(fd);
}

static void plugin(struct plm_slice bytes)
{
	const struct plm_kube_plugin it = {.command = "plugin",
					   .version = "client.authentication.k8s.io/v1"};
	struct plm_kube_exec_result result = {0};
	struct plm_arena arena = {0};
	struct plm_error err = {0};

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_DOC_BYTES, NULL) == PLM_OK);
	if (plm_kube_exec_read(&it, bytes, &arena, &result, &err) == PLM_OK) {
		PLM_ASSERT(result.ok && (result.token.size > 0 || result.cert_pem.size > 0));
	} else {
		PLM_ASSERT(!result.ok);
		one_line(err.text);
	}
	plm_arena_fini(&arena);
}

static void answer(struct plm_slice bytes)
{
	static const unsigned codes[] = {200, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503};

	for (size_t i = 0; i < PLM_COUNTOF(codes) * 4; i++) {
		struct plm_kube_reply reply = {
			.status = codes[i / 4],
			.body = bytes,
			.eviction = (i & 1) != 0,
			.json_patch = (i & 2) != 0,
		};
		struct plm_kube_judged first = {0};
		struct plm_kube_judged again = {0};

		plm_kube_judge(&reply, &first);
		plm_kube_judge(&reply, &again);
		PLM_ASSERT(first.fate == again.fate);
		PLM_ASSERT((first.fate == PLM_KUBE_DONE) == (reply.status == 200));
		PLM_ASSERT(strpbrk(first.message, "\r\n") == NULL);
	}
}

static void discovery(struct plm_slice bytes)
{
	struct plm_kube_found found = {0};
	struct plm_kube_server server = {0};
	char uid[64];

	(void)plm_kube_found_read(bytes, &found);
	(void)plm_kube_found_list(bytes, "batch", "v1", &found);
	(void)plm_kube_version_read(bytes, &server);
	if (plm_kube_uid_read(bytes, uid, sizeof(uid))) {
		PLM_ASSERT(uid[0] != '\0');
	}
	for (unsigned id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++) {
		(void)plm_kube_found_version(&found, (enum plm_kube_resource_id)id);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_slice rest = {0};

	if (size == 0) {
		return 0;
	}
	rest = plm_slice_of(data + 1, size - 1);
	switch (data[0]) {
	case 'c':
		kubeconfig(rest);
		break;
	case 'e':
		plugin(rest);
		break;
	case 's':
		answer(rest);
		break;
	default:
		discovery(rest);
		break;
	}
	return 0;
}
