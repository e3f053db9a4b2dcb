\ir preamble.psql
select plan(41);

-- How each event is told below: its place, or a dash, and its number.
create function pg_temp.add_events(numbers int[], user_number int default 1, at timestamptz default now())
returns void language sql as $$
  insert into kith.events (id, type, at, user_id, data)
  select gen_random_uuid(), 'user.updated', at, pg_temp.u(user_number), json_build_object('n', n)
  from unnest(numbers) with ordinality n (n, position) order by position
$$;
create function pg_temp.places() returns text language sql as $$
  select string_agg(coalesce(place::text, '-') || ':' || (data->>'n'), ' ' order by place nulls last, seq) from kith.events
$$;
create function pg_temp.place(at_most int) returns text language sql as $$
  select placed || ' up to ' || last_place from kith.place_events(at_most)
$$;
create function pg_temp.log() returns text language sql as $$
  select era || '/' || dropped_place || '-' || last_place || case when done_xid is null then ' looking' else '' end
  from kith.event_log
$$;

-- Places.
select is(pg_temp.log(), '1/0-0 looking', 'the log begins empty');
select is(pg_temp.place(10), '0 up to 0', 'without events no place is given');
select pg_temp.add_events(array[1, 2, 3]);
select is(pg_temp.place(2), '2 up to 2', 'so many are given places as are asked for');
select is(pg_temp.place(2), '1 up to 3', 'then the rest');
select is(pg_temp.place(2), '0 up to 3', 'then none');
select is(pg_temp.places(), '1:1 2:2 3:3', 'places follow the order of writing, from one on');
select ok((select done_xid <= pg_current_xact_id() from kith.event_log), 'transactions that are not over stay to be looked at');
select isnt(kith.event_cluster(), null, 'the cluster has a name');
select is((select cluster from kith.event_log), kith.event_cluster(), 'which the log has noted');

-- Another cluster, with lower numbers than those that came with the dump.
update kith.events set xid = '1000000000007';
insert into kith.events (xid, id, type, at, data)
values ('1000000000008', gen_random_uuid(), 'user.updated', now(), '{"n": 4}');
update kith.event_log set cluster = 'another', done_xid = '1000000000008';
select pg_temp.add_events(array[5, 6]);
select is(pg_temp.place(2), '2 up to 5', 'in another cluster places go on');
select is(pg_temp.log(), '2/0-5 looking', 'in another era, and not everything was looked at yet');
select is(pg_temp.place(2), '1 up to 6', 'until everything has one');
select is(pg_temp.places(), '1:1 2:2 3:3 4:4 5:5 6:6', 'what came with the dump comes before what is new');
select is(pg_temp.log(), '2/0-6', 'then the log is as ever');
select pg_temp.add_events(array[7]);
select is(pg_temp.place(10), '1 up to 7', 'what is new is found by its number');
select is(pg_temp.log(), '2/0-7', 'in the same era');

-- What is old goes.
select is(kith.events_kept_for(), interval '90 days', 'events are kept for 90 days');
select is(kith.events_kept_at_most(), 10000000::bigint, 'and ten millions of them');
select is(kith.drop_events(10), 0, 'nothing is old enough');
update kith.events set at = now() - interval '91 days' where place in (1, 2, 3, 5);
select is(kith.drop_events(2), 2, 'so many go as are asked for');
select is(kith.drop_events(10), 1, 'then the others, up to the first that is to be kept');
select is(kith.drop_events(10), 0, 'so that there is no gap');
select is(pg_temp.log(), '2/3-7', 'the log knows what is gone');
select is(pg_temp.places(), '4:4 5:5 6:6 7:7', 'the others stay');
create or replace function kith.events_kept_at_most() returns bigint language sql immutable return 2;
select is(kith.drop_events(10), 2, 'too many go however young they are');
select is(pg_temp.places(), '6:6 7:7', 'the newest stay');
update kith.events set at = now() - interval '91 days';
select is(kith.drop_events(10), 2, 'all may go');
select is(pg_temp.log(), '2/7-7', 'and the places go on');
select pg_temp.add_events(array[8], at => now() - interval '91 days');
select is(kith.drop_events(10), 0, 'what has no place yet stays');
select is(pg_temp.place(10), '1 up to 8', 'until it has one');

-- Constraints.
select pg_temp.refuses('update kith.events set place = 0', 'event_places_count_from_one');
select pg_temp.add_events(array[9]);
select pg_temp.refuses('update kith.events set place = 9', 'an_event_place_is_given_once');
select pg_temp.refuses('update kith.event_log set dropped_place = 9', 'events_are_dropped_from_the_first_on');
select pg_temp.refuses('update kith.event_log set era = 0', 'an_era_counts_from_one');
select pg_temp.refuses('insert into kith.event_log default values', 'an_event_log_has_one_end');
select pg_temp.refuses('insert into kith.event_log (only_row) values (false)', 'an_event_log_has_one_end_row');

insert into kith.consumers (caller, name, place, created_at, used_at) values ('web', 'crm', 0, now(), now());
select pg_temp.refuses(
  $$insert into kith.consumers (caller, name, place, created_at, used_at) values ('web', 'crm', 1, now(), now())$$,
  'a_consumer_exists_once');
select lives_ok(
  $$insert into kith.consumers (caller, name, place, created_at, used_at) values ('ops', 'crm', 1, now(), now())$$,
  'another caller''s consumer is another');
select pg_temp.refuses(
  $$insert into kith.consumers (caller, name, place, created_at, used_at) values ('web', '', 1, now(), now())$$,
  'a_consumer_name_has_1_to_256_bytes');
select pg_temp.refuses(
  $$update kith.consumers set place = -1$$, 'a_consumer_place_is_not_negative');

-- The daemon gives places and drops what is old, and no more.
select is(
  (select string_agg(pg_temp.sqlstate_as('kith_runtime', s), ' ') from unnest(array[
    'update kith.events set place = null', 'update kith.event_log set last_place = 99', 'select * from kith.place_events(10)',
    'select kith.drop_events(10)', 'select kith.events_kept_for()']) s),
  '42501 42501 00000 00000 42501', 'the daemon gives places and drops what is old, and no more');

select * from finish();
rollback;
