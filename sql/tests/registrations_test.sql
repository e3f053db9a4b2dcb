\ir preamble.psql
select plan(48);

select pg_temp.add_user(1);

create function pg_temp.hold(number integer, subject text) returns void language sql as $$
  insert into kith.registrations
    (id, namespace_id, subject, version, sealed, key_id, email_index, link, caller, held_at, said_at, email_said_at,
      expires_at)
  values (pg_temp.i(number), pg_temp.namespace(), subject, 1, '\x0101026b31', 'k1', sha256('mira@example.org'),
    'never', 'web', now(), now(), now(), now() + interval '30 days')
$$;
create function pg_temp.complete(number integer, user_number integer) returns void language sql as $$
  update kith.registrations set sealed = null, key_id = null, email_index = null, user_id = pg_temp.u(user_number),
    completed_at = now()
  where id = pg_temp.i(number)
$$;

-- A key's id stands for one key.
insert into kith.keys values ('k1', sha256('k1'));
select pg_temp.refuses($$insert into kith.keys values ('k1', sha256('other'))$$, 'a_key_is_known_by_one_code');
select pg_temp.refuses($$insert into kith.keys values ('', sha256(''))$$, 'a_known_key_id_has_1_to_32_bytes');
select pg_temp.refuses($$insert into kith.keys values ('k2', '\x01')$$, 'a_key_is_known_by_hmac_sha256');
select is(
  pg_temp.sqlstate_as('kith_runtime', $$update kith.keys set code = sha256('')$$), '42501',
  'the daemon does not change what it knows of a key');

-- One at a time for each identity, until it is completed.
select lives_ok($$select pg_temp.hold(1, 'mira')$$, 'details are held');
select pg_temp.refuses($$select pg_temp.hold(1, 'other')$$, 'a_registration_id_is_used_once');
select pg_temp.refuses($$select pg_temp.hold(2, 'mira')$$, 'a_person_is_held_once');
select lives_ok($$select pg_temp.hold(2, 'Mira')$$, 'subjects that differ in case are two');
select lives_ok($$select pg_temp.complete(1, 1)$$, 'a registration is completed');
select lives_ok($$select pg_temp.hold(3, 'mira')$$, 'then the identity may be held again');
select lives_ok($$select pg_temp.complete(3, 1)$$, 'and completed again');

-- What must be there while it is held, and may not be after.
select pg_temp.refuses($$select pg_temp.complete(2, 9)$$, 'a_registration_became_a_user');
select pg_temp.refuses(
  $$update kith.registrations set user_id = pg_temp.u(1) where id = pg_temp.i(2)$$,
  'a_registration_is_sealed_until_it_is_completed');
select pg_temp.refuses(
  $$update kith.registrations set sealed = null, key_id = null, email_index = null where id = pg_temp.i(2)$$,
  'a_registration_is_sealed_until_it_is_completed');
select pg_temp.refuses(
  $$update kith.registrations set completed_at = now() where id = pg_temp.i(2)$$,
  'a_registration_is_sealed_until_it_is_completed');
select pg_temp.refuses(
  $$update kith.registrations set sealed = '\x0101026b31', key_id = 'k1' where id = pg_temp.i(1)$$,
  'a_registration_is_sealed_until_it_is_completed');
select pg_temp.refuses(
  $$update kith.registrations set key_id = null where id = pg_temp.i(2)$$, 'sealed_details_name_their_key');
select pg_temp.refuses(
  $$update kith.registrations set key_id = 'k1' where id = pg_temp.i(1)$$, 'sealed_details_name_their_key');
select pg_temp.refuses(statement, 'sealed_details_name_the_key_that_seals_them')
from unnest(array[
  $$update kith.registrations set key_id = 'k2' where id = pg_temp.i(2)$$,
  $$update kith.registrations set key_id = 'k' where id = pg_temp.i(2)$$,
  $$update kith.registrations set sealed = '\x0101026b32' where id = pg_temp.i(2)$$,
  $$update kith.registrations set sealed = '\x0101036b31' where id = pg_temp.i(2)$$,
  $$update kith.registrations set sealed = '' where id = pg_temp.i(2)$$
]) as statement;
select lives_ok(
  $$update kith.registrations set sealed = '\x0101026b32ff', key_id = 'k2' where id = pg_temp.i(2)$$,
  'both are changed together');
select pg_temp.refuses(
  $$update kith.registrations set email_index = sha256('') where id = pg_temp.i(1)$$,
  'an_address_is_found_by_hmac_sha256');
select pg_temp.refuses(
  $$update kith.registrations set email_index = '\x01' where id = pg_temp.i(2)$$, 'an_address_is_found_by_hmac_sha256');
select lives_ok(
  $$update kith.registrations set email_index = null where id = pg_temp.i(2)$$, 'details need not have an address');

-- Limits.
select pg_temp.refuses(
  $$update kith.registrations set sealed = repeat('x', 262145)::bytea where id = pg_temp.i(2)$$,
  'sealed_details_have_at_most_256_kib');
select pg_temp.refuses(
  $$update kith.registrations set key_id = repeat('k', 33) where id = pg_temp.i(2)$$,
  'a_registration_key_id_has_1_to_32_bytes');
select pg_temp.refuses(
  $$update kith.registrations set version = 0 where id = pg_temp.i(2)$$, 'a_registration_version_counts_from_one');
select pg_temp.refuses(
  $$update kith.registrations set subject = '' where id = pg_temp.i(2)$$, 'a_registration_subject_has_1_to_255_bytes');
select pg_temp.refuses(
  $$update kith.registrations set namespace_id = -1 where id = pg_temp.i(2)$$, 'a_registration_has_a_namespace');
select pg_temp.refuses(
  $$update kith.registrations set link = 'always' where id = pg_temp.i(2)$$, 'a_registration_links_in_a_known_way');
select pg_temp.refuses(
  $$update kith.registrations set attempts = -1, last_reason = 'x' where id = pg_temp.i(2)$$, 'registration_attempts_are_not_negative');
select pg_temp.refuses(
  $$update kith.registrations set attempts = 1 where id = pg_temp.i(2)$$, 'a_failed_registration_has_a_reason');
select pg_temp.refuses(
  $$update kith.registrations set last_reason = 'mail bounced' where id = pg_temp.i(2)$$,
  'a_failed_registration_has_a_reason');
select pg_temp.refuses(
  $$update kith.registrations set attempts = 1, last_reason = '' where id = pg_temp.i(2)$$,
  'a_registration_reason_has_1_to_4096_bytes');
select lives_ok(
  $$update kith.registrations set attempts = 1, last_reason = 'mail bounced' where id = pg_temp.i(2)$$,
  'a failed attempt is counted with its reason');
select pg_temp.refuses(
  $$update kith.registrations set expires_at = held_at where id = pg_temp.i(2)$$,
  'a_registration_expires_after_it_was_held');
select pg_temp.refuses(
  $$update kith.registrations set said_at = held_at - interval '1 second', email_said_at = null where id = pg_temp.i(2)$$,
  'a_registration_was_said_when_it_was_held_or_later');
select pg_temp.refuses(
  $$update kith.registrations set email_said_at = said_at + interval '1 second' where id = pg_temp.i(2)$$,
  'a_registration_address_was_said_when_anything_was');

-- The daemon changes neither whose details they are nor when they came.
select is(
  pg_temp.sqlstate_as('kith_runtime', 'update kith.registrations set subject = ''x'''), '42501',
  'an identity stays the registration''s');
select is(
  pg_temp.sqlstate_as('kith_reader', 'select from kith.registrations'), '42501', 'the reader sees no registration');

select has_index('kith', 'registrations', name, name) from unnest(array[
  'registrations_are_listed_while_held', 'registrations_expire_while_held', 'registrations_are_found_by_address',
  'registrations_are_counted_by_key', 'registrations_are_found_by_user']) as name;

select * from finish();
rollback;
