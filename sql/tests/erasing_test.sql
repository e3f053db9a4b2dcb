\ir preamble.psql
select plan(43);

select pg_temp.add_user(n) from generate_series(1, 5) n;
select pg_temp.add_identity(1, 1, 'mira');

create function pg_temp.erase(number integer) returns void language sql as $$
  update kith.users set status = 'erased' where id = pg_temp.u(number)
$$;
create function pg_temp.forget(variadic numbers integer[]) returns text language sql as $$
  select 'select * from kith.forget_users(''{' || string_agg(pg_temp.u(n)::text, ',') || '}'')' from unnest(numbers) n
$$;
create function pg_temp.tell(type text, number integer, data json) returns void language sql as $$
  insert into kith.events (id, type, at, user_id, data) values (gen_random_uuid(), type, now(), pg_temp.u(number), data)
$$;
-- What was done to a credential: the number stands for its id, too.
create function pg_temp.history(number integer, version integer, owner integer) returns void language sql as $$
  insert into kith.credential_history
    (credential_id, version, access_group, account, service, action, at, caller, change_id, user_id)
  values (pg_temp.i(number), version, 'web', 'account' || number, 'mail', 'update', now(), 'web', gen_random_uuid(),
    pg_temp.u(owner))
$$;
create function pg_temp.credential(number integer, owner integer) returns void language sql as $$
  insert into kith.credentials (id, access_group, account, service, user_id, version, sealed, key_id, created_at, updated_at)
  values (pg_temp.i(number), 'web', 'account' || number, 'mail', pg_temp.u(owner), 1,
    '\x0101026b31'::bytea, 'k1', now(), now())
$$;

-- How everything that tells of a user is found.
select has_index('kith', table_name, name, table_name || ': ' || name) from (values
  ('request_keys', 'answers_are_found_by_user'),
  ('request_keys', 'answers_are_found_by_what_they_tell_of'),
  ('credential_history', 'credential_history_is_found_by_user'),
  ('challenges', 'challenges_are_found_by_candidate'),
  ('challenges', 'challenges_are_found_by_identity'),
  ('events', 'events_with_addresses_are_found_by_user'),
  ('events', 'events_are_found_by_whose_they_are')
) as expected (table_name, name);

-- A mark, and nothing else.
select pg_temp.refuses('select pg_temp.erase(1)', 'a_merged_or_erased_user_has_no_identity');
delete from kith.identities;
select lives_ok('select pg_temp.erase(1)', 'a user without identities can be erased');
update kith.users set status = 'merged', merged_into = pg_temp.u(1) where id = pg_temp.u(2);
select lives_ok('select pg_temp.erase(2)', 'so can a former id, which still leads to the survivor');
select is(merged_into, pg_temp.u(1), 'it leads there') from kith.users where id = pg_temp.u(2);
select pg_temp.refuses(
  $$update kith.users set merged_into = pg_temp.u(1) where id = pg_temp.u(3)$$, 'a_merged_user_names_its_survivor');

-- What is there of 1 and 2, who are erased, and of 3, who is not.
select pg_temp.tell('email.verified', 1, '{"email":"mira@example.org"}');
select pg_temp.tell('identity.email_changed', 2, '{"identity_id":"x","email":"mira@example.org"}');
select pg_temp.tell('identity.linked', 1, '{"identity_id":"x","provider":"apple"}');
select pg_temp.tell('email.verified', 3, '{"email":"noor@example.org"}');
-- Told of 3 while 2 was one with them.
select pg_temp.tell('email.unverified', 3, '{"email":"mira@example.org"}');
update kith.events set belongs_to = pg_temp.u(2) where type = 'email.unverified';
insert into kith.merges (id, survivor, absorbed, reason, caller, at, plan_sha256, absorbed_status, filled, identities,
  emails, credentials, registrations, credentials_left)
select pg_temp.i(90 + n), pg_temp.u(a), pg_temp.u(b), 'one person', 'ops', now(), sha256(convert_to(n::text, 'UTF8')),
  'active', '{}', 1, 1, 0, 0, 0
from (values (1, 1, 2), (2, 3, 4), (3, 5, 2)) m (n, a, b);
insert into kith.merged_emails
select pg_temp.i(90 + n), 'mira@example.org', 'Mira@example.org', now(), '{}', true from generate_series(1, 3) n;
insert into kith.merged_identities select pg_temp.i(90 + n), pg_temp.i(1), 'link' from generate_series(1, 3) n;
insert into kith.merged_credentials select pg_temp.i(90 + n), pg_temp.i(1) from generate_series(1, 3) n;
insert into kith.merged_reports select pg_temp.i(90 + n), 'mira@example.org', false, now() from generate_series(1, 3) n;
insert into kith.merged_users select pg_temp.i(91), pg_temp.u(4);
-- 11 is gone; 12 is somebody else's by now; 13 never was theirs; 14 belongs to nobody's user any more, but is there.
select pg_temp.history(11, 1, 1), pg_temp.history(11, 2, 3), pg_temp.history(12, 1, 1), pg_temp.history(13, 1, 3),
  pg_temp.history(14, 1, 2);
select pg_temp.credential(12, 3), pg_temp.credential(14, 4);

select is(pg_temp.sqlstate_as('kith_runtime', pg_temp.forget(3)), '42501', 'of a living user nothing is taken back');
select is(
  pg_temp.sqlstate_as('kith_runtime', pg_temp.forget(1, 3)), '42501', 'nor of one among erased ones');
select is(pg_temp.sqlstate_as('kith_runtime', pg_temp.forget(99)), '42501', 'nor of nobody');
select is(count(*), 4::bigint, 'nothing was') from kith.events
where belongs_to is null and data::text like '%example.org%' or type = 'identity.linked';
select is(count(*), 3::bigint, 'nor of what merges moved') from kith.merged_emails;
select is(pg_temp.sqlstate_as('kith_runtime', pg_temp.forget(4)), '42501', 'nor of one who was merged with one');

select results_eq(
  $$select account collate "default" from kith.forget_users(array[pg_temp.u(1), pg_temp.u(2)])$$, array['account11'],
  'the places of what is forgotten are told');
select is(count(*), 0::bigint, 'no address is told of them')
from kith.events where (user_id in (pg_temp.u(1), pg_temp.u(2)) or belongs_to = pg_temp.u(2)) and data::text like '%@%';
select is(data::jsonb, '{"identity_id":"x"}', 'the ids stay') from kith.events where type = 'identity.email_changed';
select is(data::text, '{"identity_id":"x","provider":"apple"}', 'what tells no address stays as it was')
from kith.events where type = 'identity.linked';
select is(data::text, '{"email":"noor@example.org"}', 'what tells of others stays')
from kith.events where user_id = pg_temp.u(3) and belongs_to is null;
select results_eq(
  'select merge_id from kith.' || name || ' order by 1', array[pg_temp.i(92)], 'of their merges no row stays in ' || name)
from unnest(array['merged_emails', 'merged_identities', 'merged_credentials', 'merged_reports']) as name;
select is(count(*), 3::bigint, 'that there were merges stays') from kith.merges;
select is(count(*), 1::bigint, 'and which ids they joined') from kith.merged_users;
select results_eq(
  $$select distinct account collate "default" from kith.credential_history order by 1$$, array['account12', 'account13', 'account14'],
  'what was done to others'' credentials stays');
select results_eq(
  'select distinct user_id from kith.credential_history where user_id is not null', array[pg_temp.u(3)],
  'without the ids of whose they had been');
select is(pg_temp.sqlstate_as('kith_runtime', pg_temp.forget(1, 2)), '00000', 'the daemon may ask again');

-- Parting is for what was undone.
select is(
  pg_temp.sqlstate_as('kith_runtime', 'select kith.part_users(''' || pg_temp.i(n) || ''')'), '42501',
  'nobody is parted by ' || why)
from (values (92, 'a merge that stands'), (99, 'no merge')) as wrong (n, why);
select pg_temp.tell('email.claim_dropped', 3, '{"email":"mira@example.org"}');
select pg_temp.tell('user.merged', 3, json_build_object('merge_id', pg_temp.i(92)));
select pg_temp.tell('email.claim_dropped', 3, '{"email":"mira@example.org"}');
update kith.merges set state = 'undone', undone_at = now(), undone_by = 'ops', undo_reason = 'two' where id = pg_temp.i(92);
select is(
  pg_temp.sqlstate_as('kith_runtime', 'select kith.part_users(''' || pg_temp.i(92) || ''')'), '00000',
  'an undo parts them');
select results_eq(
  $$select belongs_to from kith.events where type = 'email.claim_dropped' order by seq$$, array[null, pg_temp.u(4)],
  'what was told since is theirs, and what was told before is not');
select is((select count(*) from kith.merged_emails) + (select count(*) from kith.merged_reports), 0::bigint,
  'which addresses moved is forgotten');

-- The daemon has no other way.
select is(pg_temp.sqlstate_as('kith_runtime', statement), '42501', 'the daemon cannot: ' || statement)
from unnest(array[
  'delete from kith.credential_history',
  $$update kith.events set data = '{}'$$,
  'delete from kith.merged_emails',
  'delete from kith.merged_reports',
  'delete from kith.merged_identities',
  'delete from kith.merges'
]) as statement;

select * from finish();
rollback;
