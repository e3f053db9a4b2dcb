\ir preamble.psql
select plan(16);

select is((select count(*) from kith.database), 1::bigint, 'there is one database id');
select pg_temp.refuses('insert into kith.database default values', 'a_database_has_one_id');
select pg_temp.refuses('insert into kith.database (only_row) values (false)', 'a_database_has_one_row');

select cmp_ok((select count(*) from kith.migrations), '>', 0::bigint, 'migrations are on record');
select is((select count(*) from kith.migrations), (select max(version) from kith.migrations)::bigint,
  'the versions have no gap');
select pg_temp.refuses(
  $$insert into kith.migrations (version, name, checksum) values (1, 'again', repeat('0', 64))$$,
  'a_migration_is_applied_once');
select pg_temp.refuses(
  $$insert into kith.migrations (version, name, checksum) values (0, 'zero', repeat('0', 64))$$,
  'a_migration_version_is_positive');
select pg_temp.refuses(
  $$insert into kith.migrations (version, name, checksum) values (1000, 'sum', 'none')$$,
  'a_migration_checksum_is_sha256');
select pg_temp.refuses(
  $$insert into kith.functions (name, checksum) values ('audit', repeat('0', 64))$$, 'a_function_file_is_known_once');
select pg_temp.refuses(
  $$insert into kith.functions (name, checksum) values ('other', 'none')$$, 'a_function_checksum_is_sha256');

insert into kith.namespaces (provider, tenant) values ('apple', 'DEMOTEAM01');
select pg_temp.refuses(
  $$insert into kith.namespaces (provider, tenant) values ('apple', 'DEMOTEAM01')$$, 'a_namespace_exists_once');
select lives_ok(
  $$insert into kith.namespaces (provider, tenant) values ('apple', 'demoteam01')$$,
  'tenants that differ in case are two');
select pg_temp.refuses(
  $$insert into kith.namespaces (id, provider, tenant) overriding system value
    select id, 'naver', 'x' from kith.namespaces limit 1$$,
  'a_namespace_id_is_used_once');
select pg_temp.refuses(
  $$insert into kith.namespaces (provider, tenant) values ('Apple', 'x')$$, 'a_provider_is_a_short_word');
select pg_temp.refuses(
  $$insert into kith.namespaces (provider, tenant) values ('apple', '')$$, 'a_tenant_has_1_to_255_bytes');
select pg_temp.refuses(
  $$insert into kith.namespaces (provider, tenant) values ('apple', repeat('é', 128))$$, 'a_tenant_has_1_to_255_bytes');

select * from finish();
rollback;
