\ir preamble.psql
select plan(33);

create function pg_temp.append(reason text) returns bigint language sql as $$
  select kith.append_audit('ops', 1000, 'user.disable', pg_temp.u(1), reason, '{"n": 1.0}')
$$;
-- Changes the trail behind everybody's back, as somebody with the disk could.
create function pg_temp.tamper(statement text) returns void language plpgsql as $$
begin
  alter table kith.audit disable trigger user;
  execute statement;
  alter table kith.audit enable always trigger audit_rows_stay;
  alter table kith.audit enable always trigger audit_stays;
end
$$;
-- The first bad place after the tampering, which is then taken back.
create function pg_temp.first_bad_after(statement text) returns bigint language plpgsql as $$
declare
  found bigint;
begin
  perform pg_temp.tamper(statement);
  found := (select first_bad from kith.verify_audit());
  raise exception using errcode = 'ZZ001', message = coalesce(found, 0)::text;
exception when sqlstate 'ZZ001' then
  return sqlerrm::bigint;
end
$$;

select results_eq('select ok, checked, first_bad from kith.verify_audit()', $$values (true, 0::bigint, null::bigint)$$,
  'an empty trail is whole');
select is(pg_temp.append('one'), 1::bigint, 'the first place is 1');
select is(pg_temp.append(null), 2::bigint, 'the next is 2');
select is(pg_temp.append('three'), 3::bigint, 'and 3');
select is(pg_temp.append(''), 4::bigint, 'and 4');
select results_eq('select ok, checked, first_bad from kith.verify_audit()', $$values (true, 4::bigint, null::bigint)$$,
  'a trail only added to is whole');
select is(
  (select previous_hash from kith.audit where seq = 3), (select hash from kith.audit where seq = 2),
  'each row carries the hash of the one before');
select is(
  (select previous_hash from kith.audit where seq = 1),
  (select sha256(convert_to('kith.audit.genesis', 'UTF8') || uuid_send(id)) from kith.database),
  'the first carries the hash of the database id');
select isnt(
  kith.audit_hash(1, now(), 'ab', 1, 'c', null, null, '{}', ''), kith.audit_hash(1, now(), 'a', 1, 'bc', null, null, '{}', ''),
  'fields do not run into each other');
select isnt(
  kith.audit_hash(1, now(), 'a', 1, 'c', null, null, '{}', ''), kith.audit_hash(1, now(), 'a', 1, 'c', null, '', '{}', ''),
  'absent is not empty');

-- Part by part.
create function pg_temp.part(after_seq bigint, at_most int) returns text language sql as $$
  select p.checked || ' ' || coalesce(p.first_bad, 0) || ' ' || p.last_seq || case when p.at_end then ' end' else '' end
  from kith.verify_audit_part(
    after_seq, (select hash from kith.audit a where a.seq = after_seq), at_most) p
$$;
select is(pg_temp.part(null, 3), '3 0 3', 'the first part');
select is(pg_temp.part(3, 3), '1 0 4 end', 'the last part is compared with the kept end');
select is(pg_temp.part(4, 3), '0 0 4 end', 'nothing is left');
select is((kith.verify_audit_part(2, sha256('x'), 1)).first_bad, 3::bigint, 'a part follows on the hash before it');
select is((kith.verify_audit_part(5, sha256('x'), 1)).first_bad, 6::bigint, 'beyond the end there is nothing');
select is((kith.verify_audit_part(null, null, 1)).last_hash, (select hash from kith.audit where seq = 1),
  'a part tells where to go on');

select throws_ok($$update kith.audit set reason = 'x'$$, '42501', 'the audit trail is only added to', 'nobody updates');
select throws_ok('delete from kith.audit', '42501', 'the audit trail is only added to', 'nobody deletes');
select throws_ok('truncate kith.audit', '42501', 'the audit trail is only added to', 'nobody truncates');
set local session_replication_role = replica;
select throws_ok('delete from kith.audit', '42501', 'the audit trail is only added to', 'not even as a replica');
set local session_replication_role = origin;

select is(pg_temp.first_bad_after($$update kith.audit set reason = 'x' where seq = 2$$), 2::bigint, 'a changed row is found');
select is(pg_temp.first_bad_after($$update kith.audit set data = '{"n": 1}' where seq = 3$$), 3::bigint,
  'a changed byte of the data is found');
select is(pg_temp.first_bad_after($$update kith.audit set at = at + interval '1 microsecond' where seq = 1$$), 1::bigint,
  'a changed time is found');
select is(
  pg_temp.first_bad_after(
    $$update kith.audit set reason = 'x', hash = kith.audit_hash(seq, at, caller, peer_uid, action, user_id, 'x', data,
      previous_hash) where seq = 2$$),
  3::bigint, 'a row hashed anew is found at the next');
select is(pg_temp.first_bad_after('delete from kith.audit where seq = 2'), 2::bigint, 'a row taken out is found');
select is(pg_temp.first_bad_after('delete from kith.audit where seq = 1'), 1::bigint, 'so is the first');
select is(pg_temp.first_bad_after('delete from kith.audit where seq = 4'), 4::bigint, 'so is the last');
select is(pg_temp.first_bad_after('delete from kith.audit'), 1::bigint, 'so are all');
select is(
  pg_temp.first_bad_after(
    $$insert into kith.audit select 5, at, caller, peer_uid, action, user_id, reason, data, hash, sha256('x')
      from kith.audit where seq = 4$$),
  5::bigint, 'a row put in is found');

select pg_temp.refuses(
  $$insert into kith.audit select seq, at, caller, peer_uid, action, user_id, reason, data, sha256('y'), hash
    from kith.audit where seq = 4$$, 'an_audit_row_has_one_place');
select pg_temp.refuses(
  $$insert into kith.audit select 5, at, caller, peer_uid, action, user_id, reason, data, previous_hash, hash
    from kith.audit where seq = 4$$, 'an_audit_row_follows_one_other');
select pg_temp.refuses(
  $$insert into kith.audit select 0, at, caller, peer_uid, action, user_id, reason, data, sha256('y'), hash
    from kith.audit where seq = 4$$, 'audit_places_count_from_one');
select pg_temp.refuses(
  $$insert into kith.audit select 5, at, caller, peer_uid, action, user_id, reason, data, sha256('y'), '\x00'
    from kith.audit where seq = 4$$, 'an_audit_hash_is_sha256');

select * from finish();
rollback;
