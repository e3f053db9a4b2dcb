\ir preamble.psql
select plan(55);

select pg_temp.add_user(n) from generate_series(1, 4) n;
select pg_temp.add_identity(1, 1, 'mira');

create function pg_temp.m(number integer) returns uuid language sql immutable as $$
  select ('01890000-0000-7000-a000-' || lpad(number::text, 12, '0'))::uuid
$$;
create function pg_temp.merge(number integer, survivor integer, absorbed integer, plan text default null)
returns void language sql as $$
  insert into kith.merges (id, survivor, absorbed, reason, caller, at, plan_sha256, absorbed_status, filled, identities,
    emails, credentials, registrations, credentials_left)
  values (pg_temp.m(number), pg_temp.u(survivor), pg_temp.u(absorbed), 'one person', 'ops', now(),
    sha256(convert_to(coalesce(plan, number::text), 'UTF8')), 'active', '{name}', 1, 1, 0, 0, 0)
$$;

-- Merges.
select lives_ok('select pg_temp.merge(1, 1, 2)', 'a merge is kept');
select pg_temp.refuses($$select pg_temp.merge(1, 1, 3)$$, 'a_merge_id_is_used_once');
select pg_temp.refuses($$select pg_temp.merge(2, 1, 3, '1')$$, 'a_plan_is_carried_out_once');
select pg_temp.refuses('select pg_temp.merge(2, 1, 1)', 'a_merge_has_two_users');
select pg_temp.refuses('select pg_temp.merge(2, 9, 1)', 'a_survivor_of_a_merge_is_a_user');
select pg_temp.refuses('select pg_temp.merge(2, 1, 9)', 'an_absorbed_user_is_a_user');
select lives_ok('select pg_temp.merge(2, 1, 2)', 'the same two can be merged again');
select ok(a.seq < b.seq, 'merges have an order') from kith.merges a, kith.merges b
where a.id = pg_temp.m(1) and b.id = pg_temp.m(2);
select is(state, 'done', 'a new merge is done') from kith.merges where id = pg_temp.m(1);
select pg_temp.refuses($$update kith.merges set state = 'half' where id = pg_temp.m(1)$$, 'a_merge_is_done_or_undone');
select pg_temp.refuses('update kith.merges set ' || change || ' where id = pg_temp.m(1)', constraint_name)
from (values
  ($$state = 'undone'$$, 'an_undone_merge_says_when_by_whom_and_why'),
  ('undone_at = now()', 'an_undone_merge_says_when_by_whom_and_why'),
  ($$state = 'undone', undone_at = now(), undone_by = 'ops'$$, 'an_undone_merge_says_when_by_whom_and_why'),
  ($$reason = ''$$, 'a_merge_reason_has_1_to_4096_bytes'),
  ($$reason = repeat('x', 4097)$$, 'a_merge_reason_has_1_to_4096_bytes'),
  ($$state = 'undone', undone_at = now(), undone_by = 'ops', undo_reason = ''$$,
    'an_undo_reason_has_1_to_4096_bytes'),
  ($$plan_sha256 = '\x00'$$, 'a_plan_is_known_by_sha256'),
  ($$absorbed_status = 'merged'$$, 'who_is_absorbed_was_active_or_disabled'),
  ($$filled = '{shoe_size}'$$, 'a_merge_fills_known_parts'),
  ('emails = -1', 'what_a_merge_moved_is_counted')
) as wrong (change, constraint_name);
select lives_ok(
  $$update kith.merges set state = 'undone', undone_at = now(), undone_by = 'ops', undo_reason = 'two after all'
    where id = pg_temp.m(2)$$, 'a merge can be undone');
select has_index('kith', 'merges', name, 'merges: ' || name) from unnest(array[
  'merges_are_found_by_survivor', 'merges_are_found_by_absorbed'
]) as name;

-- What they moved.
select lives_ok(statement, 'kept: ' || statement) from unnest(array[
  $$insert into kith.merged_identities values (pg_temp.m(1), pg_temp.i(1), 'register')$$,
  $$insert into kith.merged_emails values (pg_temp.m(1), 'mira@example.org', 'Mira@example.org', now(), '{}', true)$$,
  $$insert into kith.merged_reports values (pg_temp.m(1), 'mira@example.org', false, now())$$,
  $$insert into kith.merged_users values (pg_temp.m(1), pg_temp.u(3))$$,
  $$insert into kith.merged_credentials values (pg_temp.m(1), pg_temp.i(1))$$
]) as statement;
select pg_temp.refuses(statement, constraint_name) from (values
  ($$insert into kith.merged_identities values (pg_temp.m(1), pg_temp.i(1), 'link')$$,
    'an_identity_moves_once_in_a_merge'),
  ($$insert into kith.merged_identities values (pg_temp.m(9), pg_temp.i(1), 'link')$$, 'a_moved_identity_has_a_merge'),
  ($$insert into kith.merged_identities values (pg_temp.m(1), pg_temp.i(2), 'luck')$$,
    'a_moved_identity_was_linked_in_a_known_way'),
  ($$insert into kith.merged_emails values (pg_temp.m(1), 'mira@example.org', 'x', now(), '{}', true)$$,
    'an_address_moves_once_in_a_merge'),
  ($$insert into kith.merged_emails values (pg_temp.m(9), 'mira@example.org', 'x', now(), '{}', true)$$,
    'a_moved_address_has_a_merge'),
  ($$insert into kith.merged_emails values (pg_temp.m(1), 'm', 'x', now(), '{}', true)$$,
    'a_moved_address_is_canonical_within_254_bytes'),
  ($$insert into kith.merged_emails values (pg_temp.m(1), 'm@x', '', now(), '{}', true)$$,
    'a_moved_address_as_given_has_1_to_1024_bytes'),
  ($$insert into kith.merged_emails values (pg_temp.m(1), 'm@x', 'm', now(), '{}', true, now(), null)$$,
    'an_address_of_the_survivor_is_told_whole'),
  ($$insert into kith.merged_emails values
    (pg_temp.m(1), 'm@x', 'm', now(), '{}', true, null, null, null, pg_temp.m(1))$$,
    'a_removal_that_a_merge_brought_has_a_time'),
  ($$insert into kith.merged_emails values
    (pg_temp.m(1), 'm@x', 'm', now(), '{}', true, null, null, now(), pg_temp.m(9))$$,
    'an_earlier_merge_that_brought_a_removal_exists'),
  ($$insert into kith.merged_reports values (pg_temp.m(1), 'mira@example.org', true, now())$$,
    'an_address_comes_once_after_a_merge'),
  ($$insert into kith.merged_reports values (pg_temp.m(9), 'mira@example.org', true, now())$$,
    'an_address_that_came_after_a_merge_has_it'),
  ($$insert into kith.merged_reports values (pg_temp.m(1), 'm', true, now())$$,
    'an_address_that_came_after_a_merge_is_canonical'),
  ($$insert into kith.merged_users values (pg_temp.m(1), pg_temp.u(3))$$, 'a_former_id_moves_once_in_a_merge'),
  ($$insert into kith.merged_users values (pg_temp.m(9), pg_temp.u(4))$$, 'a_moved_former_id_has_a_merge'),
  ($$insert into kith.merged_users values (pg_temp.m(1), pg_temp.u(9))$$, 'a_moved_former_id_is_a_user'),
  ($$insert into kith.merged_credentials values (pg_temp.m(1), pg_temp.i(1))$$,
    'a_credential_moves_once_in_a_merge'),
  ($$insert into kith.merged_credentials values (pg_temp.m(9), pg_temp.i(1))$$, 'a_moved_credential_has_a_merge')
) as wrong (statement, constraint_name);

select has_index('kith', 'merged_identities', 'moved_identities_are_found_by_identity', 'merges are found by identity');

-- What they leave on others.
select pg_temp.refuses(
  $$update kith.users set disabled_by_merge = pg_temp.m(1) where id = pg_temp.u(1)$$,
  'only_a_disabled_user_was_disabled_by_a_merge');
select pg_temp.refuses(
  $$update kith.users set status = 'disabled', disabled_by_merge = pg_temp.m(9) where id = pg_temp.u(1)$$,
  'a_merge_that_disabled_exists');
select lives_ok(
  $$update kith.users set status = 'disabled', disabled_by_merge = pg_temp.m(1) where id = pg_temp.u(1)$$,
  'a merge can disable');
select pg_temp.refuses(
  $$insert into kith.unlinked values (pg_temp.namespace(), 'x', pg_temp.u(1), now(), pg_temp.m(9))$$,
  'a_merge_that_brought_an_unlinking_exists');
select lives_ok(
  $$insert into kith.unlinked values (pg_temp.namespace(), 'x', pg_temp.u(1), now(), pg_temp.m(1))$$,
  'a merge can bring an unlinking');
select has_index('kith', 'unlinked', 'unlinkings_are_found_by_merge', 'unlinkings are found by merge');

-- An identity goes to another user only with that user's status.
select pg_temp.refuses(
  $$update kith.identities set user_id = pg_temp.u(3), user_status = 'disabled' where subject = 'mira'$$,
  'an_identity_has_a_user');
select is(
  pg_temp.sqlstate_as(
    'kith_runtime',
    $$update kith.identities set user_id = '01890000-0000-7000-8000-000000000003', user_status = 'active',
      linked_by = 'merge' where subject = 'mira'$$),
  '00000', 'the daemon moves identities');

select * from finish();
rollback;
