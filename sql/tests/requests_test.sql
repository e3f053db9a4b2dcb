\ir preamble.psql
select plan(40);

select pg_temp.add_user(1);

-- Unlinked stays unlinked.
insert into kith.unlinked values (pg_temp.namespace(), 'subject', pg_temp.u(1), now());
select pg_temp.refuses(
  $$insert into kith.unlinked values (pg_temp.namespace(), 'subject', pg_temp.u(1), now())$$,
  'an_unlinking_is_kept_once');
select pg_temp.refuses(
  $$insert into kith.unlinked values (-1, 'subject', pg_temp.u(1), now())$$, 'an_unlinking_has_a_namespace');
select pg_temp.refuses(
  $$insert into kith.unlinked values (pg_temp.namespace(), 'subject', pg_temp.u(9), now())$$,
  'an_unlinking_has_a_user');
select pg_temp.refuses(
  $$insert into kith.unlinked values (pg_temp.namespace(), '', pg_temp.u(1), now())$$,
  'an_unlinked_subject_has_1_to_255_bytes');
select has_index('kith', 'unlinked', 'unlinkings_are_found_by_user', 'unlinkings are indexed by user');

-- Challenges.
create function pg_temp.challenge(number integer) returns void language sql as $$
  insert into kith.challenges
    (id, namespace_id, subject, caller, candidates, candidate_epochs, created_at, expires_at)
  values (pg_temp.i(number), pg_temp.namespace(), 'subject', 'web', array[pg_temp.u(1)], array[0], now(),
    now() + interval '15 minutes')
$$;
select lives_ok('select pg_temp.challenge(1)', 'a challenge is kept');
select pg_temp.refuses('select pg_temp.challenge(1)', 'a_challenge_id_is_used_once');
select pg_temp.refuses('update kith.challenges set namespace_id = -1', 'a_challenge_has_a_namespace');
select pg_temp.refuses($$update kith.challenges set subject = ''$$, 'a_challenged_subject_has_1_to_255_bytes');
select pg_temp.refuses(
  $$update kith.challenges set candidates = '{}', candidate_epochs = '{}'$$, 'a_challenge_has_candidates');
select pg_temp.refuses(
  $$update kith.challenges set candidates = array[null::uuid]$$, 'a_challenge_has_candidates');
select pg_temp.refuses(
  $$update kith.challenges set candidate_epochs = array[0, 0]$$, 'a_challenge_has_an_epoch_for_each_candidate');
select pg_temp.refuses(
  $$update kith.challenges set candidate_epochs = array[null::integer]$$,
  'a_challenge_has_an_epoch_for_each_candidate');
select pg_temp.refuses(
  'update kith.challenges set expires_at = created_at', 'a_challenge_expires_after_it_was_made');
select lives_ok('update kith.challenges set attempts = 5', 'a fifth wrong proof is counted');
select pg_temp.refuses('update kith.challenges set attempts = 6', 'a_challenge_takes_at_most_5_wrong_proofs');
select has_index('kith', 'challenges', 'challenges_are_dropped_when_expired', 'expiry is indexed');

-- Request keys.
create function pg_temp.answer(key text, answer text default '{}') returns void language sql as $$
  insert into kith.request_keys (caller, method, key, parameters_sha256, answer)
  values ('web', 'user.update', key, sha256(''), answer)
$$;
select lives_ok($$select pg_temp.answer('k')$$, 'an answer is kept');
select pg_temp.refuses($$select pg_temp.answer('k')$$, 'a_request_key_is_answered_once');
select lives_ok($$select pg_temp.answer('K')$$, 'keys that differ in case are two');
select pg_temp.refuses($$select pg_temp.answer('')$$, 'a_request_key_has_1_to_255_bytes');
select pg_temp.refuses($$select pg_temp.answer(repeat('x', 256))$$, 'a_request_key_has_1_to_255_bytes');
select pg_temp.refuses(
  $$update kith.request_keys set parameters_sha256 = '\x00'$$, 'request_parameters_are_kept_as_sha256');
select pg_temp.refuses($$select pg_temp.answer('long', repeat('x', 4194305))$$, 'a_kept_answer_has_at_most_4_mib');
select has_index('kith', 'request_keys', 'request_keys_are_dropped_when_old', 'age is indexed');
select has_index('kith', 'request_keys', 'request_keys_are_counted_by_key', 'keys are indexed');
select lives_ok(
  $$insert into kith.request_keys (caller, method, key, parameters_sha256, record_id, sealed, key_id)
    values ('web', 'signin.resolve', 'sealed', sha256(''), pg_temp.i(1), '\x0101026b31', 'k1')$$,
  'an answer is kept sealed');
select pg_temp.refuses(
  $$update kith.request_keys set answer = '{}' where key = 'sealed'$$, 'an_answer_is_kept_in_one_form');
select pg_temp.refuses($$update kith.request_keys set answer = null where key = 'k'$$, 'an_answer_is_kept_in_one_form');
select pg_temp.refuses(
  $$update kith.request_keys set key_id = null where key = 'sealed'$$, 'a_sealed_answer_names_its_key');
select pg_temp.refuses(
  $$update kith.request_keys set record_id = null where key = 'sealed'$$, 'a_sealed_answer_names_its_key');
select pg_temp.refuses(
  $$update kith.request_keys set sealed = '\x010121' || convert_to(repeat('k', 33), 'UTF8'), key_id = repeat('k', 33)
    where key = 'sealed'$$,
  'an_answer_key_id_has_1_to_32_bytes');
select pg_temp.refuses(
  $$update kith.request_keys set key_id = 'k2' where key = 'sealed'$$,
  'a_sealed_answer_names_the_key_that_seals_it');
select pg_temp.refuses(
  $$update kith.request_keys set sealed = repeat('x', 262145)::bytea where key = 'sealed'$$,
  'a_sealed_answer_has_at_most_256_kib');

-- Events.
insert into kith.events (id, type, at, user_id, caller) values (pg_temp.i(1), 'user.registered', now(), pg_temp.u(1), 'web');
select is(xid, pg_current_xact_id(), 'an event carries its transaction') from kith.events where id = pg_temp.i(1);
select pg_temp.refuses(
  $$insert into kith.events (xid, seq, id, type, at, user_id) overriding system value
    select xid, seq, pg_temp.i(2), 'user.updated', now(), pg_temp.u(1) from kith.events$$,
  'an_event_has_one_place');
select pg_temp.refuses($$update kith.events set type = 'registered'$$, 'an_event_type_is_a_dotted_name');
select pg_temp.refuses($$update kith.events set data = '[]'$$, 'an_event_carries_an_object');
insert into kith.events (id, type, at, user_id) values (pg_temp.i(3), 'email.claim_dropped', now(), pg_temp.u(1));
select results_eq(
  'select id from kith.events order by xid, seq', array[pg_temp.i(1), pg_temp.i(3)],
  'events of one transaction keep their order');

insert into kith.events (id, type, at) values (pg_temp.i(4), 'registration.held', now());
select ok(user_id is null, 'an event may be nobody''s yet') from kith.events where id = pg_temp.i(4);

select * from finish();
rollback;
