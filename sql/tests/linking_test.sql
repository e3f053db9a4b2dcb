\ir preamble.psql
select plan(21);

select pg_temp.add_user(n) from generate_series(1, 2) as n;
select pg_temp.add_email(1, 'mira@example.org');

-- Removed stays removed.
select lives_ok(
  $$insert into kith.removed_emails (user_id, canonical, at) values (pg_temp.u(2), 'mira@example.org', now())$$,
  'a removal is kept');
select is(by_merge, null, 'it is the user''s own unless a merge brought it') from kith.removed_emails;
select pg_temp.refuses(
  $$insert into kith.removed_emails (user_id, canonical, at) values (pg_temp.u(2), 'mira@example.org', now())$$,
  'a_removal_is_kept_once');
select pg_temp.refuses(
  $$insert into kith.removed_emails (user_id, canonical, at) values (pg_temp.u(9), 'mira@example.org', now())$$,
  'a_removal_has_a_user');
select pg_temp.refuses(
  $$insert into kith.removed_emails (user_id, canonical, at) values (pg_temp.u(1), 'a@', now())$$,
  'a_removed_address_has_3_to_254_bytes');
select has_column('kith', 'unlinked', 'by_merge', 'an unlinking tells the merge that brought it');

-- Tokens.
create function pg_temp.token(user_number integer, hash bytea default sha256('x')) returns void language sql as $$
  insert into kith.email_tokens (user_id, canonical, token_sha256, epoch, expires_at)
  values (pg_temp.u(user_number), 'mira@example.org', hash, 0, now())
$$;
select lives_ok('select pg_temp.token(1)', 'a token is kept');
select pg_temp.refuses('select pg_temp.token(1)', 'an_address_has_one_token');
select pg_temp.refuses('select pg_temp.token(2)', 'a_token_proves_an_address');
select pg_temp.refuses(
  $$update kith.email_tokens set token_sha256 = 'x'$$, 'a_token_is_known_by_sha256');
delete from kith.emails where user_id = pg_temp.u(1);
select is_empty('select * from kith.email_tokens', 'a token goes with its address');
select has_index('kith', 'email_tokens', 'email_tokens_are_dropped_when_expired', 'old tokens are found');

-- What the daemon does, by doing it.
select pg_temp.add_email(1, 'mira@example.org');
select pg_temp.token(1);
select is(pg_temp.sqlstate_as('kith_runtime', statement), '00000', 'the daemon can: ' || statement)
from unnest(array[
  $$update kith.email_tokens set used_at = now()$$,
  $$delete from kith.emails$$,
  $$update kith.removed_emails set at = now(), by_merge = null$$,
  $$delete from kith.removed_emails$$
]) as statement;
select is(pg_temp.sqlstate_as('kith_runtime', statement), '42501', 'the daemon cannot: ' || statement)
from unnest(array[
  $$update kith.email_tokens set user_id = user_id$$,
  $$update kith.removed_emails set canonical = canonical$$,
  $$update kith.unlinked set subject = subject$$
]) as statement;
select is(pg_temp.sqlstate_as('kith_reader', 'select * from kith.removed_emails'), '00000', 'a reader sees removals');
select is(pg_temp.sqlstate_as('kith_reader', 'select * from kith.email_tokens'), '42501', 'a reader sees no token');

select * from finish();
rollback;
