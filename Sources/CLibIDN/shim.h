#include <idn2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unicase.h>
#include <uninorm.h>
#include <unictype.h>

/* The normalisation forms are macros for the addresses of incomplete structures, which Swift cannot import. */

/* Full case folding (C+F) of no particular language, then NFC. The result is freed with free(). */
static inline uint8_t *kith_casefold_nfc(const uint8_t *text, size_t count, size_t *result_count) {
  return u8_casefold(text, count, NULL, UNINORM_NFC, NULL, result_count);
}

/* The result is freed with free(). */
static inline uint8_t *kith_nfc(const uint8_t *text, size_t count, size_t *result_count) {
  return u8_normalize(UNINORM_NFC, text, count, NULL, result_count);
}

/* The result is freed with free(). */
static inline uint8_t *kith_nfkc(const uint8_t *text, size_t count, size_t *result_count) {
  return u8_normalize(UNINORM_NFKC, text, count, NULL, result_count);
}
