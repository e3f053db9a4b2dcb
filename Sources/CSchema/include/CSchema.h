#pragma once
#include <stddef.h>

/* The scripts under sql/, carried inside the binary byte for byte. */

enum kith_script_kind {
  KITH_SCRIPT_ROLES,
  KITH_SCRIPT_BOOKKEEPING,
  KITH_SCRIPT_MIGRATION,
  KITH_SCRIPT_FUNCTIONS,
};

struct kith_script {
  enum kith_script_kind kind;
  const char *name; /* the file's name without its folder and extension */
  const unsigned char *text;
  size_t count;
};

size_t kith_script_count(void);
struct kith_script kith_script(size_t index);
