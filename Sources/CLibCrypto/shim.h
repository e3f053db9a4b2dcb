#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/* Parameters are arrays of structures that point at names and values; C keeps them alive for the one call by itself. */

/* HKDF (RFC 5869) with SHA-256. 1 when `count` bytes were derived. */
static inline int kith_hkdf_sha256(
    EVP_KDF *kdf, const void *key, size_t key_count, const void *salt, size_t salt_count, const void *info,
    size_t info_count, unsigned char *derived, size_t count) {
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  if (context == NULL) return 0;
  OSSL_PARAM parameters[5], *next = parameters;
  *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
  *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count);
  /* Neither may be given empty; left out they are. */
  if (salt_count > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
  if (info_count > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
  *next = OSSL_PARAM_construct_end();
  int derived_all = EVP_KDF_derive(context, derived, count, parameters);
  EVP_KDF_CTX_free(context);
  return derived_all;
}

/* HMAC (RFC 2104) with SHA-256, of a head and a body after it, into 32 bytes. 1 when it was computed. */
static inline int kith_hmac_sha256(
    EVP_MAC *mac, const void *key, size_t key_count, const void *head, size_t head_count, const void *body,
    size_t body_count, unsigned char *code) {
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
  if (context == NULL) return 0;
  OSSL_PARAM parameters[2] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0), OSSL_PARAM_construct_end()};
  size_t written = 0;
  int computed = EVP_MAC_init(context, key, key_count, parameters) == 1
      && EVP_MAC_update(context, head, head_count) == 1 && EVP_MAC_update(context, body, body_count) == 1
      && EVP_MAC_final(context, code, &written, 32) == 1 && written == 32;
  EVP_MAC_CTX_free(context);
  return computed;
}
