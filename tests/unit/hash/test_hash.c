/* SHA-256 (FIPS 180-4), the tree of RFC 9162 against certificate transparency's vectors, XXH3. */
#include "hash/hash.h"

#include <pthread.h>
#include <stdlib.h>

#include "plm_test.h"

static void is_hex(struct plm_sha256 have, const char *want)
{
	char text[2 * PLM_SHA256_SIZE + 1];

	plm_hex(plm_slice_of(have.bytes, sizeof(have.bytes)), text);
	assert_string_equal(text, want);
}

static const struct sha_case {
	const char *why;
	const char *input;
	const char *want;
} sha_table[] = {
	{"nothing", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void sha_row(const struct sha_case *row)
{
	struct plm_slice whole = plm_slice_str(row->input);

	is_hex(plm_sha256(whole), row->want);
	for (size_t cut = 0; cut <= whole.size; cut++) {
		struct plm_slice parts[] = {{whole.ptr, cut}, {whole.ptr + cut, whole.size - cut}};

		is_hex(plm_sha256_parts(parts, 2), row->want);
	}
}
PLM_TEST_ROWS(sha_row, struct sha_case)

/* The inputs and roots that certificate transparency's implementations share. */
static const struct {
	uint8_t bytes[16];
	size_t size;
} ct_inputs[] = {
	{{0}, 0},
	{{0x00}, 1},
	{{0x10}, 1},
	{{0x20, 0x21}, 2},
	{{0x30, 0x31}, 2},
	{{0x40, 0x41, 0x42, 0x43}, 4},
	{{0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57}, 8},
	{{0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e,
	  0x6f},
	 16},
};

static const struct ct_case {
	const char *why;
	size_t count;
	const char *want;
} ct_table[] = {
	{"1 leaf", 1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
	{"2 leaves", 2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"},
	{"3 leaves", 3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"},
	{"4 leaves", 4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"},
	{"5 leaves", 5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"},
	{"6 leaves", 6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"},
	{"7 leaves", 7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"},
	{"8 leaves", 8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"},
};

static void ct_row(const struct ct_case *row)
{
	struct plm_sha256 leaves[PLM_COUNTOF(ct_inputs)];

	for (size_t i = 0; i < row->count; i++) {
		leaves[i] = plm_merkle_leaf(plm_slice_of(ct_inputs[i].bytes, ct_inputs[i].size));
	}
	is_hex(plm_merkle_root(leaves, row->count), row->want);
}
PLM_TEST_ROWS(ct_row, struct ct_case)

/* The definition of RFC 9162 section 2.1.1, word by word: the slow twin. */
static struct plm_sha256 slow_root(const struct plm_sha256 *leaves, size_t count)
{
	static const uint8_t prefix = 0x01;
	struct plm_sha256 left;
	struct plm_sha256 right;
	size_t split = 1;

	if (count == 1) {
		return leaves[0];
	}
	while (split * 2 < count) {
		split *= 2;
	}
	left = slow_root(leaves, split);
	right = slow_root(leaves + split, count - split);
	return plm_sha256_parts((struct plm_slice[]){{&prefix, 1},
						     {left.bytes, PLM_SHA256_SIZE},
						     {right.bytes, PLM_SHA256_SIZE}},
				3);
}

static void root_is_the_recursive_definition(void **state)
{
	struct plm_sha256 leaves[131];
	struct plm_sha256 copy[131];

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(leaves); i++) {
		leaves[i] = plm_merkle_leaf(plm_slice_of(&i, sizeof(i)));
	}
	for (size_t count = 1; count <= PLM_COUNTOF(leaves); count++) {
		struct plm_sha256 want = slow_root(leaves, count);
		struct plm_sha256 have;

		memcpy(copy, leaves, sizeof(copy));
		have = plm_merkle_root(copy, count);
		assert_memory_equal(have.bytes, want.bytes, PLM_SHA256_SIZE);
	}
}

static void leaf_is_not_the_plain_hash(void **state)
{
	struct plm_sha256 leaf = plm_merkle_leaf(plm_slice_str("abc"));
	struct plm_sha256 plain = plm_sha256(plm_slice_str("abc"));
	struct plm_sha256 prefixed = plm_sha256(plm_slice_of("\0abc", 4));

	(void)state;
	assert_memory_not_equal(leaf.bytes, plain.bytes, PLM_SHA256_SIZE);
	assert_memory_equal(leaf.bytes, prefixed.bytes, PLM_SHA256_SIZE);
}

static void xxh_vectors_and_pieces(void **state)
{
	uint8_t bytes[1000];
	struct plm_slice whole = plm_slice_of(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(plm_xxh64(plm_slice_of(NULL, 0)), 0x2d06800538d394c2U);
	assert_int_equal(plm_xxh128(plm_slice_of(NULL, 0)).high, 0x99aa06d3014798d8U);
	assert_int_equal(plm_xxh128(plm_slice_of(NULL, 0)).low, 0x6001c324468d497fU);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)(i * 7);
	}
	for (size_t cut = 0; cut <= sizeof(bytes); cut += 125) {
		struct plm_slice parts[] = {{bytes, cut}, {bytes + cut, sizeof(bytes) - cut}};
		struct plm_xxh_stream *stream = plm_xxh_stream_new();

		assert_int_equal(plm_xxh64_parts(parts, 2), plm_xxh64(whole));
		plm_xxh_stream_add(stream, parts[0]);
		assert_int_equal(plm_xxh_stream_value(stream), plm_xxh64(parts[0]));
		plm_xxh_stream_add(stream, parts[1]);
		assert_int_equal(plm_xxh_stream_value(stream), plm_xxh64(whole));
		plm_xxh_stream_free(stream);
	}
}

static void *hash_many(void *result)
{
	struct plm_sha256 *out = result;

	for (int i = 0; i < 1000; i++) {
		*out = plm_merkle_leaf(plm_slice_of(&i, sizeof(i)));
	}
	return NULL;
}

static void threads_do_not_share_a_context(void **state)
{
	pthread_t threads[4];
	struct plm_sha256 have[4];
	struct plm_sha256 want;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, hash_many, &have[i]), 0);
	}
	(void)hash_many(&want);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_memory_equal(have[i].bytes, want.bytes, PLM_SHA256_SIZE);
	}
}

static void hex_is_lower_case(void **state)
{
	char text[9];

	(void)state;
	plm_hex(plm_slice_of("\x00\xff\x1a\xb0", 4), text);
	assert_string_equal(text, "00ff1ab0");
	plm_hex(plm_slice_of(NULL, 0), text);
	assert_string_equal(text, "");
}

static void bugs_end_the_process(void **state)
{
	struct plm_sha256 leaf = {{0}};

	(void)state;
	plm_assert_panics((void)plm_merkle_root(&leaf, 0));
	plm_assert_panics((void)plm_merkle_root(NULL, 1));
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, sha_row, sha_table);
	PLM_TEST_TABLE(&tests, ct_row, ct_table);
	PLM_TEST_ADD(&tests, root_is_the_recursive_definition);
	PLM_TEST_ADD(&tests, leaf_is_not_the_plain_hash);
	PLM_TEST_ADD(&tests, xxh_vectors_and_pieces);
	PLM_TEST_ADD(&tests, threads_do_not_share_a_context);
	PLM_TEST_ADD(&tests, hex_is_lower_case);
	PLM_TEST_ADD(&tests, bugs_end_the_process);
	return plm_tests_run(&tests, "hash");
}
