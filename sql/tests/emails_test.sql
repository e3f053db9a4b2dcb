\ir preamble.psql
select plan(28);

select pg_temp.add_user(n) from generate_series(1, 3) as n;

select lives_ok($$select pg_temp.add_email(1, 'mira@example.org')$$, 'an address can be claimed');
select is(verified, false, 'a claim is not verified') from kith.emails where user_id = pg_temp.u(1);
select lives_ok($$select pg_temp.add_email(2, 'mira@example.org')$$, 'any number may claim an address');
select pg_temp.refuses($$select pg_temp.add_email(1, 'mira@example.org')$$, 'a_user_has_an_address_once');
select lives_ok(
  $$select pg_temp.add_email(3, 'mira@example.org', array[pg_temp.i(3)])$$,
  'an address that others claim can be verified');
select is(verified, true, 'an identity vouches') from kith.emails where user_id = pg_temp.u(3);

-- Every way to a second holder ends at the same index.
select pg_temp.refuses(
  $$update kith.emails set vouched_by = array[pg_temp.i(1)] where user_id = pg_temp.u(1)$$,
  'an_address_has_one_verified_holder');
select pg_temp.refuses(
  $$update kith.emails set vouched_by_token = true where user_id = pg_temp.u(1)$$,
  'an_address_has_one_verified_holder');
delete from kith.emails where user_id = pg_temp.u(2);
select pg_temp.refuses(
  $$select pg_temp.add_email(2, 'mira@example.org', array[pg_temp.i(2)])$$, 'an_address_has_one_verified_holder');
select pg_temp.refuses(
  $$select pg_temp.add_email(2, 'mira@example.org', '{}', true)$$, 'an_address_has_one_verified_holder');
select pg_temp.add_email(2, 'other@example.org', array[pg_temp.i(2)]);
select pg_temp.refuses(
  $$update kith.emails set canonical = 'mira@example.org' where user_id = pg_temp.u(2)$$,
  'an_address_has_one_verified_holder');
select pg_temp.refuses(
  $$insert into kith.emails (user_id, canonical, email, added_at, vouched_by)
    values (pg_temp.u(1), 'twice@example.org', 'x', now(), array[pg_temp.i(1)]),
      (pg_temp.u(2), 'twice@example.org', 'x', now(), array[pg_temp.i(2)])$$,
  'an_address_has_one_verified_holder');
select throws_ok(
  $$update kith.emails set verified = true where user_id = pg_temp.u(1)$$, '428C9', null,
  'verified is not set by hand');

-- It stays verified while one source stands.
update kith.emails set vouched_by = vouched_by || pg_temp.i(4), vouched_by_token = true where user_id = pg_temp.u(3);
update kith.emails set vouched_by = array_remove(vouched_by, pg_temp.i(3)) where user_id = pg_temp.u(3);
select is(verified, true, 'one source fewer leaves it verified') from kith.emails where user_id = pg_temp.u(3);
update kith.emails set vouched_by = array_remove(vouched_by, pg_temp.i(4)) where user_id = pg_temp.u(3);
select is(verified, true, 'the token alone keeps it verified') from kith.emails where user_id = pg_temp.u(3);
update kith.emails set vouched_by_token = false where user_id = pg_temp.u(3);
select is(verified, false, 'without a source it is a mere claim') from kith.emails where user_id = pg_temp.u(3);
select lives_ok(
  $$update kith.emails set vouched_by_token = true where user_id = pg_temp.u(1)$$,
  'an address nobody holds any more finds another holder');

select pg_temp.refuses($$select pg_temp.add_email(9, 'a@example.org')$$, 'an_address_has_a_user');
select pg_temp.refuses($$select pg_temp.add_email(1, 'a@')$$, 'a_canonical_address_has_3_to_254_bytes');
select pg_temp.refuses(
  $$select pg_temp.add_email(1, repeat('a', 243) || '@example.org')$$, 'a_canonical_address_has_3_to_254_bytes');
select lives_ok($$select pg_temp.add_email(1, repeat('a', 242) || '@example.org')$$, 'an address may have 254 bytes');
select pg_temp.refuses($$select pg_temp.add_email(1, 'mira.example.org')$$, 'a_canonical_address_has_one_at');
select pg_temp.refuses($$select pg_temp.add_email(1, 'mira@x@example.org')$$, 'a_canonical_address_has_one_at');
select pg_temp.refuses(
  $$update kith.emails set email = '' where user_id = pg_temp.u(1)$$, 'an_address_as_given_has_1_to_1024_bytes');
select pg_temp.refuses(
  $$update kith.emails set vouched_by = array[null::uuid] where user_id = pg_temp.u(2)$$,
  'those_who_vouch_are_named');
select has_index('kith', 'emails', 'an_address_has_one_verified_holder', 'holders are indexed');
select has_index('kith', 'emails', 'claims_are_found_by_address', 'claims are indexed');
select has_index('kith', 'emails', 'addresses_are_found_by_domain', 'domains are indexed');

select * from finish();
rollback;
