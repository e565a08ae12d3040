/*
 * sign.h - what a request must look like for libcurl to sign it as AWS does
 *
 * Owns: the rules, and looking whether a request keeps them. The signature itself is curl's. Curl 7.88 (Debian
 * 12) signs some shapes wrong, and AWS then answers no more than that the signature does not match. None of them
 * leaves: such a request ends as NOT_SENT and says which rule it broke. client.c keeps the other rules by construction:
 * HTTP/1.1, a handle of its own for each call, the body by POSTFIELDS with its size, no "Expect:" to suppress a header,
 * the session token as a header, key and secret as user name and password.
 *
 * Rules:
 * - Methods: GET, HEAD and DELETE without a body; POST, PUT and PATCH with a Content-Type.
 * - Path: unreserved bytes (A-Z a-z 0-9 - _ . ~) and slashes; no escapes, no "//", no segment "." or "..".
 * - Query: sorted by key, then by value; always "key=value"; what is not unreserved is an escape, upper case.
 * - Headers: Content-Type, Accept and those that begin with X-Amz; no date, token or hash of the content, which
 *   are signing's own; none twice; none whose name begins with another's; with a value of printable ASCII.
 * - Service and region: up to 64 of a-z 0-9 -; not S3, whose rules differ.
 * Sources: ec2-test.md 6; AWS, "Create a signed AWS API request".
 */
#ifndef PLM_ADAPTERS_HTTP_SIGN_H
#define PLM_ADAPTERS_HTTP_SIGN_H

#include "adapters/http/client.h"

/* Why 'request', whose 'sign' is set, cannot be signed: static, without anything of it; NULL = it can. */
const char *plm_http_sign_fault(const struct plm_http_request *request);

#endif
