\ir preamble.psql
select plan(107);

select has_role(name, name || ' exists') from unnest(array['kith_owner', 'kith_runtime', 'kith_reader']) as name;
select schema_owner_is('kith', 'kith_owner', 'kith_owner owns the schema');
select is_empty(
  $$select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'kith' and pg_get_userbyid(c.relowner) <> 'kith_owner'$$,
  'kith_owner owns every table, index and sequence');
select is_empty(
  $$select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'kith' and pg_get_userbyid(p.proowner) <> 'kith_owner'$$,
  'kith_owner owns every function');

-- Nothing for everybody.
select is_empty(
  $$select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as granted
    where n.nspname = 'kith' and granted.grantee = 0$$,
  'no function is everybody''s');
select is_empty(
  $$select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join aclexplode(c.relacl) as granted where n.nspname = 'kith' and granted.grantee = 0$$,
  'no table is everybody''s');
select is_empty(
  $$select n.nspname from pg_namespace n cross join aclexplode(n.nspacl) as granted
    where n.nspname = 'kith' and granted.grantee = 0$$,
  'the schema is not everybody''s');
select is_empty(
  $$select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'kith' and p.prosecdef
      and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']$$,
  'a function with the owner''s rights looks nowhere else for names');

select schema_privs_are('kith', 'kith_runtime', array['USAGE'], 'the daemon uses the schema and cannot add to it');
select schema_privs_are('kith', 'kith_reader', array['USAGE'], 'so does the reader');

select table_privs_are('kith', name, 'kith_runtime', privileges, 'the daemon''s rights on ' || name)
from (values
  ('database', array['SELECT']),
  ('migrations', array['SELECT']),
  ('functions', array['SELECT']),
  ('namespaces', array['SELECT', 'INSERT']),
  ('users', array['SELECT', 'INSERT']),
  ('identities', array['SELECT', 'INSERT', 'DELETE']),
  ('last_sign_ins', array['SELECT', 'INSERT']),
  ('emails', array['SELECT', 'INSERT', 'DELETE']),
  ('unlinked', array['SELECT', 'INSERT', 'DELETE']),
  ('removed_emails', array['SELECT', 'INSERT', 'DELETE']),
  ('email_tokens', array['SELECT', 'INSERT', 'DELETE']),
  ('challenges', array['SELECT', 'INSERT', 'DELETE']),
  ('request_keys', array['SELECT', 'INSERT', 'DELETE']),
  ('keys', array['SELECT', 'INSERT']),
  ('registrations', array['SELECT', 'INSERT', 'DELETE']),
  ('credentials', array['SELECT', 'INSERT', 'DELETE']),
  ('credential_history', array['SELECT', 'INSERT']),
  ('events', array['SELECT', 'INSERT']),
  ('merges', array['SELECT', 'INSERT']),
  ('merged_identities', array['SELECT', 'INSERT']),
  ('merged_emails', array['SELECT', 'INSERT']),
  ('merged_reports', array['SELECT', 'INSERT']),
  ('merged_users', array['SELECT', 'INSERT']),
  ('merged_credentials', array['SELECT', 'INSERT']),
  ('event_log', array['SELECT']),
  ('consumers', array['SELECT', 'INSERT', 'DELETE']),
  ('audit', array['SELECT']),
  ('audit_head', array[]::text[])
) as expected (name, privileges);

select results_eq(
  $$select attrelid::regclass::text collate "default", attname::text collate "default"
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'kith' and c.relkind = 'r' and attnum > 0 and not attisdropped
      and has_column_privilege('kith_runtime', attrelid, attname, 'UPDATE')
    order by 1, 2$$,
  $$values
    ('kith.challenges', 'attempts'), ('kith.challenges', 'used_at'),
    ('kith.consumers', 'place'), ('kith.consumers', 'used_at'),
    ('kith.credentials', 'attributes'), ('kith.credentials', 'expires_at'), ('kith.credentials', 'key_id'),
    ('kith.credentials', 'label'), ('kith.credentials', 'sealed'), ('kith.credentials', 'updated_at'),
    ('kith.credentials', 'user_id'), ('kith.credentials', 'version'),
    ('kith.email_tokens', 'epoch'), ('kith.email_tokens', 'expires_at'), ('kith.email_tokens', 'token_sha256'),
    ('kith.email_tokens', 'used_at'),
    ('kith.emails', 'email'), ('kith.emails', 'vouched_by'), ('kith.emails', 'vouched_by_token'),
    ('kith.identities', 'email'), ('kith.identities', 'email_canonical'), ('kith.identities', 'email_verified'),
    ('kith.identities', 'is_private_email'), ('kith.identities', 'linked_by'), ('kith.identities', 'user_id'),
    ('kith.identities', 'user_status'), ('kith.last_sign_ins', 'at'),
    ('kith.merged_reports', 'at'), ('kith.merges', 'state'), ('kith.merges', 'undo_reason'), ('kith.merges', 'undone_at'),
    ('kith.merges', 'undone_by'),
    ('kith.registrations', 'attempts'), ('kith.registrations', 'caller'), ('kith.registrations', 'completed_at'),
    ('kith.registrations', 'email_index'), ('kith.registrations', 'email_said_at'), ('kith.registrations', 'expires_at'),
    ('kith.registrations', 'key_id'), ('kith.registrations', 'last_reason'), ('kith.registrations', 'link'),
    ('kith.registrations', 'said_at'), ('kith.registrations', 'sealed'),
    ('kith.registrations', 'user_id'), ('kith.registrations', 'version'), ('kith.removed_emails', 'at'),
    ('kith.removed_emails', 'by_merge'), ('kith.request_keys', 'key_id'),
    ('kith.request_keys', 'sealed'), ('kith.unlinked', 'at'), ('kith.unlinked', 'by_merge'),
    ('kith.users', 'disabled_by_merge'), ('kith.users', 'disabled_reason'), ('kith.users', 'epoch'),
    ('kith.users', 'match_birthday'), ('kith.users', 'match_name'), ('kith.users', 'merged_into'),
    ('kith.users', 'profile'),
    ('kith.users', 'search_name'), ('kith.users', 'status'), ('kith.users', 'updated_at')$$,
  'the daemon changes these columns and no other');

select table_privs_are('kith', name, 'kith_reader', array['SELECT'], 'the reader''s rights on ' || name)
from unnest(array[
  'database', 'migrations', 'functions', 'namespaces', 'users', 'identities', 'last_sign_ins', 'emails', 'unlinked',
  'removed_emails', 'events', 'event_log', 'consumers', 'audit', 'merges', 'merged_identities', 'merged_emails',
  'merged_reports', 'merged_users', 'merged_credentials'
]) as name;
select table_privs_are('kith', name, 'kith_reader', array[]::text[], 'the reader''s rights on ' || name)
from unnest(array[
  'challenges', 'email_tokens', 'request_keys', 'keys', 'registrations', 'credentials', 'credential_history', 'audit_head']) as name;

select is(
  has_function_privilege(role_name, routine, 'execute'), allowed,
  role_name || case when allowed then ' runs ' else ' cannot run ' end || routine)
from (values
  ('kith_runtime', 'kith.append_audit(text, bigint, text, uuid, text, json)', true),
  ('kith_runtime', 'kith.verify_audit()', true),
  ('kith_runtime', 'kith.verify_audit_part(bigint, bytea, integer)', true),
  ('kith_runtime', 'kith.place_events(integer)', true),
  ('kith_runtime', 'kith.drop_events(integer)', true),
  ('kith_runtime', 'kith.forget_users(uuid[])', true),
  ('kith_reader', 'kith.forget_users(uuid[])', false),
  ('kith_runtime', 'kith.part_users(uuid)', true),
  ('kith_reader', 'kith.part_users(uuid)', false),
  ('kith_runtime', 'kith.wire_time(timestamptz)', true),
  ('kith_reader', 'kith.wire_time(timestamptz)', true),
  ('kith_runtime', 'kith.uuid_time(uuid)', true),
  ('kith_runtime', 'kith.mailbox(text)', true),
  ('kith_runtime', 'kith.audit_field(bytea)', false),
  ('kith_runtime', 'kith.audit_hash(bigint, timestamptz, text, bigint, text, uuid, text, json, bytea)', false),
  ('kith_runtime', 'kith.refuse_audit_change()', false),
  ('kith_reader', 'kith.append_audit(text, bigint, text, uuid, text, json)', false),
  ('kith_reader', 'kith.verify_audit()', true),
  ('kith_reader', 'kith.place_events(integer)', false),
  ('kith_reader', 'kith.uuid_time(uuid)', true)
) as expected (role_name, routine, allowed);

-- The same by doing it.
select is(pg_temp.sqlstate_as('kith_runtime', statement), '42501', 'the daemon cannot: ' || statement)
from unnest(array[
  $$update kith.audit set reason = 'x'$$,
  'delete from kith.audit',
  'truncate kith.audit',
  $$insert into kith.audit select 1, now(), 'x', 0, 'x', null, null, '{}', sha256('x'), sha256('x')$$,
  'update kith.audit_head set seq = 0',
  'alter table kith.audit disable trigger all',
  'create table kith.mine (x integer)',
  'delete from kith.users',
  'delete from kith.events',
  'update kith.identities set subject = subject',
  'update kith.merges set survivor = survivor'
]) as statement;
select is(pg_temp.sqlstate_as('kith_runtime', statement), '00000', 'the daemon can: ' || statement)
from unnest(array[
  $$select kith.append_audit('web', 1000, 'user.update', null, null, '{}')$$,
  'select * from kith.verify_audit()',
  $$insert into kith.users (id, search_name) values ('01890000-0000-7000-8000-000000000001', 'mira')$$,
  $$update kith.users set status = 'disabled' where id = '01890000-0000-7000-8000-000000000001'$$
]) as statement;
select is(pg_temp.sqlstate_as('kith_reader', 'delete from kith.emails'), '42501', 'the reader changes nothing');

select results_eq(
  $$select unnest(rolconfig) collate "default" from pg_roles where rolname = 'kith_runtime' order by 1$$,
  array['idle_in_transaction_session_timeout=10s', 'lock_timeout=3s', 'statement_timeout=5s'],
  'the daemon''s role has its time limits');
select is_empty(
  $$select rolname from pg_roles where rolname in ('kith_owner', 'kith_runtime', 'kith_reader')
    and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)$$,
  'no role of Kith has rights beyond its database');

select * from finish();
rollback;
