\ir preamble.psql
select plan(44);

select pg_temp.add_user(1);

-- Credentials.
create function pg_temp.credential(number integer, account text default 'mira', service text default 'mail')
returns void language sql as $$
  insert into kith.credentials (id, access_group, account, service, version, sealed, key_id, created_at, updated_at)
  values (pg_temp.i(number), 'web', account, service, 1, '\x0101026b31', 'k1', now(), now())
$$;
select lives_ok('select pg_temp.credential(1)', 'a credential is kept');
select pg_temp.refuses($$select pg_temp.credential(1, 'ron')$$, 'a_credential_id_is_used_once');
select pg_temp.refuses('select pg_temp.credential(2)', 'a_credential_exists_once');
select lives_ok($$select pg_temp.credential(2, 'Mira')$$, 'accounts that differ in case are two');
select lives_ok($$select pg_temp.credential(3, 'mira', 'Mail')$$, 'services that differ in case are two');
select pg_temp.refuses($$select pg_temp.credential(4, '')$$, 'an_account_has_1_to_255_bytes');
select pg_temp.refuses($$select pg_temp.credential(4, repeat('x', 256))$$, 'an_account_has_1_to_255_bytes');
select pg_temp.refuses($$select pg_temp.credential(4, repeat('é', 128))$$, 'an_account_has_1_to_255_bytes');
select pg_temp.refuses($$select pg_temp.credential(4, 'mira', '')$$, 'a_service_has_1_to_255_bytes');
select pg_temp.refuses($$update kith.credentials set access_group = ''$$, 'an_access_group_has_1_to_255_bytes');
select pg_temp.refuses($$update kith.credentials set label = ''$$, 'a_label_has_1_to_1024_bytes');
select pg_temp.refuses($$update kith.credentials set label = repeat('x', 1025)$$, 'a_label_has_1_to_1024_bytes');
select pg_temp.refuses('update kith.credentials set user_id = pg_temp.u(9)', 'a_credential_has_a_user');
select lives_ok('update kith.credentials set user_id = pg_temp.u(1)', 'a credential may be a user''s');
select pg_temp.refuses($$update kith.credentials set attributes = '[]'$$, 'credential_attributes_are_an_object');
select pg_temp.refuses(
  $$update kith.credentials set attributes = json_build_object('x', repeat('x', 16384))$$,
  'credential_attributes_have_at_most_16_kib');
select pg_temp.refuses('update kith.credentials set version = 0', 'a_credential_version_counts_from_one');
select pg_temp.refuses(
  $$update kith.credentials set sealed = decode(repeat('00', 262145), 'hex')$$,
  'a_sealed_secret_has_at_most_256_kib');
select pg_temp.refuses($$update kith.credentials set key_id = ''$$, 'a_credential_key_id_has_1_to_32_bytes');
select pg_temp.refuses(
  $$update kith.credentials set key_id = repeat('k', 33)$$, 'a_credential_key_id_has_1_to_32_bytes');
select pg_temp.refuses(
  $$update kith.credentials set key_id = 'k2'$$, 'a_sealed_secret_names_the_key_that_seals_it');
select pg_temp.refuses(
  $$update kith.credentials set sealed = '\x0101026b32'$$, 'a_sealed_secret_names_the_key_that_seals_it');
select has_index('kith', 'credentials', name, 'credentials: ' || name) from unnest(array[
  'credentials_are_found_by_user', 'credentials_are_counted_by_key', 'credentials_expire'
]) as name;

-- Their history.
create function pg_temp.told(version bigint, action text default 'update', caller text default 'web')
returns void language sql as $$
  insert into kith.credential_history
    (credential_id, version, access_group, account, service, action, at, caller, change_id)
  values (pg_temp.i(1), version, 'web', 'mira', 'mail', action, now(), caller, gen_random_uuid())
$$;
select lives_ok('select pg_temp.told(1)', 'a version is told');
select pg_temp.refuses('select pg_temp.told(1)', 'a_credential_version_is_told_once');
select pg_temp.refuses('select pg_temp.told(0)', 'a_told_credential_version_counts_from_one');
select pg_temp.refuses($$select pg_temp.told(2, 'put')$$, 'a_credential_changes_in_a_known_way');
select pg_temp.refuses($$select pg_temp.told(2, 'expire')$$, 'a_credential_expires_by_itself');
select pg_temp.refuses($$select pg_temp.told(2, 'delete', null)$$, 'a_credential_expires_by_itself');
select lives_ok($$select pg_temp.told(2, 'expire', null)$$, 'nobody makes a credential expire');
select has_index(
  'kith', 'credential_history', 'credential_history_is_read_by_place', 'the history is read by place');

-- Rights.
select table_privs_are('kith', name, 'kith_runtime', privileges, 'the daemon''s rights on ' || name)
from (values
  ('credentials', array['SELECT', 'INSERT', 'DELETE']),
  ('credential_history', array['SELECT', 'INSERT'])
) as expected (name, privileges);
select table_privs_are('kith', name, 'kith_reader', array[]::text[], 'the reader''s rights on ' || name)
from unnest(array['credentials', 'credential_history']) as name;
select is(pg_temp.sqlstate_as('kith_runtime', statement), '42501', 'the daemon cannot: ' || statement)
from unnest(array[
  $$update kith.credential_history set action = 'update'$$,
  'delete from kith.credential_history',
  'truncate kith.credential_history',
  $$update kith.credentials set account = 'ron'$$,
  'update kith.credentials set created_at = now()'
]) as statement;
select is(pg_temp.sqlstate_as('kith_runtime', statement), '00000', 'the daemon can: ' || statement)
from unnest(array[
  $$update kith.credentials set label = 'x', version = 2, sealed = '\x0101026b32', key_id = 'k2', updated_at = now()$$,
  'delete from kith.credentials'
]) as statement;

select * from finish();
rollback;
