#include "hash/hash.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
/* The state of a stream is only declared for static linking; the library itself is shared. */
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/*
 * OpenSSL 3's one-shot calls fetch the algorithm each time, which costs as much as hashing a record
 * (D4: 476 against 226 ns). So the digest is fetched once per process and each thread keeps one
 * context, which a key's destructor frees when the thread ends.
 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t context_key;
static EVP_MD *digest; /* static: written once, before any reader */
static _Thread_local EVP_MD_CTX *context;

static void context_free(void *owned)
{
	EVP_MD_CTX_free(owned);
}

static void fetch(void)
{
	digest = EVP_MD_fetch(NULL, "SHA256", NULL);
	PLM_ASSERT(digest != NULL);
	PLM_ASSERT(EVP_MD_get_size(digest) == PLM_SHA256_SIZE);
	PLM_ASSERT(pthread_key_create(&context_key, context_free) == 0);
}

static void context_new(void)
{
	PLM_ASSERT(pthread_once(&once, fetch) == 0);
	context = EVP_MD_CTX_new();
	PLM_ASSERT(context != NULL);
	PLM_ASSERT(EVP_DigestInit_ex2(context, digest, NULL) == 1);
	PLM_ASSERT(pthread_setspecific(context_key, context) == 0);
}

static void begin(void)
{
	if (context == NULL) {
		context_new();
	}
	/* No digest given: the provider's state is reset in place, nothing is fetched or freed. */
	PLM_ASSERT(EVP_DigestInit_ex2(context, NULL, NULL) == 1);
}

static void add(const void *bytes, size_t size)
{
	PLM_ASSERT(EVP_DigestUpdate(context, bytes, size) == 1);
}

static void finish(struct plm_sha256 *out)
{
	unsigned int size = 0;

	PLM_ASSERT(EVP_DigestFinal_ex(context, out->bytes, &size) == 1);
	PLM_ASSERT(size == PLM_SHA256_SIZE);
}

struct plm_sha256 plm_sha256_parts(const struct plm_slice *parts, size_t count)
{
	struct plm_sha256 out;

	PLM_ASSERT(parts != NULL || count == 0);
	begin();
	for (size_t i = 0; i < count; i++) {
		if (parts[i].size > 0) {
			add(parts[i].ptr, parts[i].size);
		}
	}
	finish(&out);
	return out;
}

struct plm_sha256 plm_sha256(struct plm_slice bytes)
{
	return plm_sha256_parts(&bytes, 1);
}

uint64_t plm_xxh64(struct plm_slice bytes)
{
	PLM_ASSERT(bytes.ptr != NULL || bytes.size == 0);
	return XXH3_64bits(bytes.ptr, bytes.size);
}

uint64_t plm_xxh64_parts(const struct plm_slice *parts, size_t count)
{
	XXH3_state_t state;

	PLM_ASSERT(parts != NULL || count == 0);
	XXH3_INITSTATE(&state);
	PLM_ASSERT(XXH3_64bits_reset(&state) == XXH_OK);
	for (size_t i = 0; i < count; i++) {
		PLM_ASSERT(XXH3_64bits_update(&state, parts[i].ptr, parts[i].size) == XXH_OK);
	}
	return XXH3_64bits_digest(&state);
}

struct plm_xxh_stream {
	XXH3_state_t state;
};

struct plm_xxh_stream *plm_xxh_stream_new(void)
{
	struct plm_xxh_stream *stream =
		aligned_alloc(_Alignof(struct plm_xxh_stream), sizeof(*stream));

	PLM_ASSERT(stream != NULL);
	XXH3_INITSTATE(&stream->state);
	PLM_ASSERT(XXH3_64bits_reset(&stream->state) == XXH_OK);
	return stream;
}

void plm_xxh_stream_add(struct plm_xxh_stream *stream, struct plm_slice bytes)
{
	PLM_ASSERT(stream != NULL);
	PLM_ASSERT(XXH3_64bits_update(&stream->state, bytes.ptr, bytes.size) == XXH_OK);
}

uint64_t plm_xxh_stream_value(const struct plm_xxh_stream *stream)
{
	PLM_ASSERT(stream != NULL);
	return XXH3_64bits_digest(&stream->state);
}

void plm_xxh_stream_free(struct plm_xxh_stream *stream)
{
	free(stream);
}

struct plm_hash128 plm_xxh128(struct plm_slice bytes)
{
	XXH128_hash_t hash;

	PLM_ASSERT(bytes.ptr != NULL || bytes.size == 0);
	hash = XXH3_128bits(bytes.ptr, bytes.size);
	return (struct plm_hash128){.low = hash.low64, .high = hash.high64};
}

struct plm_sha256 plm_merkle_leaf(struct plm_slice envelope)
{
	static const uint8_t leaf_prefix = 0x00;
	struct plm_sha256 out;

	PLM_ASSERT(envelope.ptr != NULL || envelope.size == 0);
	begin();
	add(&leaf_prefix, 1);
	if (envelope.size > 0) {
		add(envelope.ptr, envelope.size);
	}
	finish(&out);
	return out;
}

static void node(const struct plm_sha256 *children, struct plm_sha256 *out)
{
	uint8_t bytes[1 + 2 * PLM_SHA256_SIZE] = {0x01};

	memcpy(bytes + 1, children[0].bytes, PLM_SHA256_SIZE);
	memcpy(bytes + 1 + PLM_SHA256_SIZE, children[1].bytes, PLM_SHA256_SIZE);
	begin();
	add(bytes, sizeof(bytes));
	finish(out);
}

/*
 * RFC 9162 splits at the largest power of two below the count. Joining neighbours level by level
 * and passing an odd last one up unchanged builds the same tree, without recursion.
 */
struct plm_sha256 plm_merkle_root(struct plm_sha256 *leaves, size_t count)
{
	PLM_ASSERT(leaves != NULL);
	PLM_ASSERT(count >= 1);
	while (count > 1) {
		size_t pairs = count / 2;

		for (size_t i = 0; i < pairs; i++) {
			node(&leaves[2 * i], &leaves[i]);
		}
		if (count % 2 == 1) {
			leaves[pairs] = leaves[count - 1];
		}
		count = pairs + count % 2;
	}
	return leaves[0];
}

void plm_hex(struct plm_slice bytes, char *text)
{
	static const char digits[] = "0123456789abcdef";

	PLM_ASSERT(text != NULL);
	for (size_t i = 0; i < bytes.size; i++) {
		text[2 * i] = digits[bytes.ptr[i] >> 4];
		text[2 * i + 1] = digits[bytes.ptr[i] & 15];
	}
	text[2 * bytes.size] = '\0';
}

struct plm_sha1 plm_sha1(struct plm_slice bytes)
{
	struct plm_sha1 out;
	unsigned int size = 0;
	int done = EVP_Digest(bytes.ptr, bytes.size, out.bytes, &size, EVP_sha1(), NULL);

	PLM_ASSERT(done == 1);
	PLM_ASSERT(size == PLM_SHA1_SIZE);
	return out;
}
