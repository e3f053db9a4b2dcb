#include "CSchema.h"

/* A new file under sql/migrations or sql/functions needs its two entries here; a test compares with the folder. */

static const unsigned char roles[] = {
#embed "../../sql/roles.sql"
};
static const unsigned char bookkeeping[] = {
#embed "../../sql/bookkeeping.sql"
};
static const unsigned char migration_0001_users[] = {
#embed "../../sql/migrations/0001_users.sql"
};
static const unsigned char migration_0002_requests[] = {
#embed "../../sql/migrations/0002_requests.sql"
};
static const unsigned char migration_0003_audit[] = {
#embed "../../sql/migrations/0003_audit.sql"
};
static const unsigned char migration_0004_rights[] = {
#embed "../../sql/migrations/0004_rights.sql"
};
static const unsigned char migration_0005_sealed[] = {
#embed "../../sql/migrations/0005_sealed.sql"
};
static const unsigned char migration_0006_linking[] = {
#embed "../../sql/migrations/0006_linking.sql"
};
static const unsigned char migration_0007_merges[] = {
#embed "../../sql/migrations/0007_merges.sql"
};
static const unsigned char migration_0008_consumers[] = {
#embed "../../sql/migrations/0008_consumers.sql"
};
static const unsigned char migration_0009_erasing[] = {
#embed "../../sql/migrations/0009_erasing.sql"
};
static const unsigned char migration_0010_duplicates[] = {
#embed "../../sql/migrations/0010_duplicates.sql"
};
static const unsigned char migration_0011_names[] = {
#embed "../../sql/migrations/0011_names.sql"
};
static const unsigned char migration_0012_parting[] = {
#embed "../../sql/migrations/0012_parting.sql"
};
static const unsigned char functions_audit[] = {
#embed "../../sql/functions/audit.sql"
};
static const unsigned char functions_erasing[] = {
#embed "../../sql/functions/erasing.sql"
};
static const unsigned char functions_events[] = {
#embed "../../sql/functions/events.sql"
};
static const unsigned char functions_parting[] = {
#embed "../../sql/functions/parting.sql"
};
static const unsigned char functions_uuid_time[] = {
#embed "../../sql/functions/uuid_time.sql"
};
static const unsigned char functions_wire_time[] = {
#embed "../../sql/functions/wire_time.sql"
};

static const struct kith_script scripts[] = {
    {KITH_SCRIPT_ROLES, "roles", roles, sizeof roles},
    {KITH_SCRIPT_BOOKKEEPING, "bookkeeping", bookkeeping, sizeof bookkeeping},
    {KITH_SCRIPT_MIGRATION, "0001_users", migration_0001_users, sizeof migration_0001_users},
    {KITH_SCRIPT_MIGRATION, "0002_requests", migration_0002_requests, sizeof migration_0002_requests},
    {KITH_SCRIPT_MIGRATION, "0003_audit", migration_0003_audit, sizeof migration_0003_audit},
    {KITH_SCRIPT_MIGRATION, "0004_rights", migration_0004_rights, sizeof migration_0004_rights},
    {KITH_SCRIPT_MIGRATION, "0005_sealed", migration_0005_sealed, sizeof migration_0005_sealed},
    {KITH_SCRIPT_MIGRATION, "0006_linking", migration_0006_linking, sizeof migration_0006_linking},
    {KITH_SCRIPT_MIGRATION, "0007_merges", migration_0007_merges, sizeof migration_0007_merges},
    {KITH_SCRIPT_MIGRATION, "0008_consumers", migration_0008_consumers, sizeof migration_0008_consumers},
    {KITH_SCRIPT_MIGRATION, "0009_erasing", migration_0009_erasing, sizeof migration_0009_erasing},
    {KITH_SCRIPT_MIGRATION, "0010_duplicates", migration_0010_duplicates, sizeof migration_0010_duplicates},
    {KITH_SCRIPT_MIGRATION, "0011_names", migration_0011_names, sizeof migration_0011_names},
    {KITH_SCRIPT_MIGRATION, "0012_parting", migration_0012_parting, sizeof migration_0012_parting},
    {KITH_SCRIPT_FUNCTIONS, "audit", functions_audit, sizeof functions_audit},
    {KITH_SCRIPT_FUNCTIONS, "erasing", functions_erasing, sizeof functions_erasing},
    {KITH_SCRIPT_FUNCTIONS, "events", functions_events, sizeof functions_events},
    {KITH_SCRIPT_FUNCTIONS, "parting", functions_parting, sizeof functions_parting},
    {KITH_SCRIPT_FUNCTIONS, "uuid_time", functions_uuid_time, sizeof functions_uuid_time},
    {KITH_SCRIPT_FUNCTIONS, "wire_time", functions_wire_time, sizeof functions_wire_time},
};

size_t kith_script_count(void) { return sizeof scripts / sizeof scripts[0]; }

struct kith_script kith_script(size_t index) { return scripts[index]; }
