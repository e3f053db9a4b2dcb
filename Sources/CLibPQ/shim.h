#include <libpq-fe.h>

// The fields of an error are macros of character type, which do not import.
enum {
  KITH_DIAG_SQLSTATE = PG_DIAG_SQLSTATE,
  KITH_DIAG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
  KITH_DIAG_DETAIL = PG_DIAG_MESSAGE_DETAIL,
  KITH_DIAG_TABLE = PG_DIAG_TABLE_NAME,
  KITH_DIAG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
};
