/* Key material is looked at when a peer is made, so that what is wrong with it is not found by a handshake. */
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "adapters/http/inner.h"

static BIO *reader(struct plm_slice pem)
{
	BIO *bio = pem.size <= INT_MAX ? BIO_new_mem_buf(pem.ptr, (int)pem.size) : NULL;

	PLM_ASSERT(bio != NULL);
	return bio;
}

/* The first certificate of 'pem'; NULL: there is none. */
static X509 *read_cert(struct plm_slice pem)
{
	BIO *bio = reader(pem);
	X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

	BIO_free_all(bio);
	return cert;
}

/* Nobody is asked for a password. */
static int no_password(char *to, int size, int writing, void *self)
{
	(void)to;
	(void)size;
	(void)writing;
	(void)self;
	return -1;
}

static EVP_PKEY *read_key(struct plm_slice pem)
{
	BIO *bio = reader(pem);
	EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

	BIO_free_all(bio);
	return key;
}

static enum plm_code check_pair(const struct plm_http_peer_options *options, struct plm_error *err)
{
	X509 *cert = read_cert(options->cert_pem);
	EVP_PKEY *key = read_key(options->key_pem);
	enum plm_code code = PLM_OK;

	if (cert == NULL) {
		code = plm_fail(err, PLM_E_CONFIG, "client certificate is not PEM");
	} else if (key == NULL) {
		code = plm_fail(
			err, PLM_E_CONFIG,
			"client key is not PEM, or needs a password, which is not supported");
	} else if (X509_check_private_key(cert, key) != 1) {
		code = plm_fail(err, PLM_E_CONFIG, "client key does not belong to its certificate");
	}
	X509_free(cert);
	EVP_PKEY_free(key);
	return code;
}

enum plm_code plm_http_pem_check(const struct plm_http_peer_options *options, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	if (options->ca_pem.size > 0) {
		X509 *ca = read_cert(options->ca_pem);

		if (ca == NULL) {
			code = plm_fail(err, PLM_E_CONFIG, "CA is not PEM");
		}
		X509_free(ca);
	}
	if (code == PLM_OK && (options->cert_pem.size > 0) != (options->key_pem.size > 0)) {
		code = plm_fail(err, PLM_E_CONFIG, "client certificate and key come together only");
	}
	if (code == PLM_OK && options->cert_pem.size > 0) {
		code = check_pair(options, err);
	}
	ERR_clear_error();
	return code;
}
