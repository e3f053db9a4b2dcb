\ir preamble.psql
select plan(27);

select pg_temp.add_user(1);
select pg_temp.add_user(2);

select is(status, 'active', 'a new user is active') from kith.users where id = pg_temp.u(1);
select pg_temp.refuses('select pg_temp.add_user(1)', 'a_user_id_is_used_once');
select pg_temp.refuses(
  $$update kith.users set status = 'asleep' where id = pg_temp.u(1)$$, 'a_user_status_is_known');
select pg_temp.refuses(
  $$update kith.users set status = 'merged' where id = pg_temp.u(1)$$, 'a_merged_user_names_its_survivor');
select pg_temp.refuses(
  $$update kith.users set merged_into = pg_temp.u(2) where id = pg_temp.u(1)$$, 'a_merged_user_names_its_survivor');
select pg_temp.refuses(
  $$update kith.users set status = 'merged', merged_into = id where id = pg_temp.u(1)$$,
  'a_user_is_not_merged_into_itself');
select pg_temp.refuses(
  $$update kith.users set status = 'merged', merged_into = pg_temp.u(9) where id = pg_temp.u(1)$$,
  'a_survivor_is_a_user');
select lives_ok(
  $$update kith.users set status = 'merged', merged_into = pg_temp.u(2) where id = pg_temp.u(1)$$,
  'a user can be merged into another');
select pg_temp.refuses(
  $$update kith.users set epoch = -1 where id = pg_temp.u(2)$$, 'an_epoch_is_not_negative');
select pg_temp.refuses(
  $$update kith.users set profile = '[]' where id = pg_temp.u(2)$$, 'a_profile_is_an_object');
select pg_temp.refuses(
  $$update kith.users set profile = json_build_object('x', repeat('x', 65536)) where id = pg_temp.u(2)$$,
  'a_profile_has_at_most_64_kib');
select pg_temp.refuses(
  $$update kith.users set search_name = repeat('x', 4097) where id = pg_temp.u(2)$$, 'a_search_name_has_at_most_4_kib');
select pg_temp.refuses(
  $$update kith.users set disabled_reason = repeat('x', 4097) where id = pg_temp.u(2)$$,
  'a_disabled_reason_has_at_most_4_kib');
select pg_temp.refuses(
  $$update kith.users set status = 'erased', search_name = 'mira' where id = pg_temp.u(2)$$,
  'an_erased_user_keeps_no_profile');
select pg_temp.refuses(
  $$update kith.users set status = 'erased', profile = '{"nickname":"mira"}' where id = pg_temp.u(2)$$,
  'an_erased_user_keeps_no_profile');
select pg_temp.refuses(
  $$update kith.users set status = 'erased', profile = '{}', disabled_reason = 'x' where id = pg_temp.u(2)$$,
  'an_erased_user_keeps_no_profile');
select col_is_unique('kith', 'users', array['id', 'status'], 'a_user_has_one_status');

update kith.users set profile = '{"big": 1.000000000000000000001,  "b":"\u00e9"}' where id = pg_temp.u(2);
select is(profile::text, '{"big": 1.000000000000000000001,  "b":"\u00e9"}', 'a profile comes back byte for byte')
from kith.users where id = pg_temp.u(2);

select has_index('kith', 'users', 'users_are_searched_by_name', 'names are indexed');
select has_index('kith', 'users', 'users_are_found_by_survivor', 'survivors are indexed');
update kith.users set search_name = 'mira weiß-example 김' where id = pg_temp.u(2);
select isnt_empty(
  $$select id from kith.users where search_name <> ''
    and to_tsvector('simple', search_name) @@ to_tsquery('simple', 'mir:* & exam:*')$$,
  'a user is found by the first letters of the names');
select isnt_empty(
  $$select id from kith.users where search_name <> ''
    and to_tsvector('simple', search_name) @@ to_tsquery('simple', '김:*')$$,
  'a user is found by a name in another script');
select is_empty(
  $$select id from kith.users where search_name <> ''
    and to_tsvector('simple', search_name) @@ to_tsquery('simple', 'xample:*')$$,
  'the middle of a word finds nobody');
update kith.users set search_name = '민지 김' || chr(10) || '김민지' where id = pg_temp.u(2);
select isnt_empty(
  $$select id from kith.users where search_name <> ''
    and to_tsvector('simple', search_name) @@ to_tsquery('simple', '김민지:*')$$,
  'a user is found by what else they are called');
select is(split_part(search_name, chr(10), 1), '민지 김', 'the first line is the name itself')
from kith.users where id = pg_temp.u(2);

select is(kith.uuid_time('0190163d-8694-739b-aea5-966c26f8ad91'), '2024-06-14 10:14:09.3+00'::timestamptz,
  'the creation time is in the id');
select is(kith.uuid_time('00000000-0001-7000-8000-000000000000'), '1970-01-01 00:00:00.001+00'::timestamptz,
  'the time in the id is counted in milliseconds since 1970');

select * from finish();
rollback;
