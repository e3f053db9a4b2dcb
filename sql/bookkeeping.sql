-- What has been applied to this database. It stands before the first migration, because a migration starts by writing
-- its own row here: of several that start at once, one writes and the others wait for it, then find nothing to do.

create schema if not exists kith;

create table if not exists kith.migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  constraint a_migration_is_applied_once primary key (version),
  constraint a_migration_version_is_positive check (version > 0),
  constraint a_migration_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);

-- Functions are replaced whenever their text changes, so only the latest checksum counts.
create table if not exists kith.functions (
  name text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  constraint a_function_file_is_known_once primary key (name),
  constraint a_function_checksum_is_sha256 check (checksum ~ '^[0-9a-f]{64}$')
);
