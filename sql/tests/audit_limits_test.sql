\ir preamble.psql
select plan(5);

select pg_temp.refuses(
  $$select kith.append_audit('ops', 1000, 'user.disable', null, null, '[]')$$, 'an_audit_row_carries_an_object');
select pg_temp.refuses(
  $$select kith.append_audit('ops', 1000, 'user.disable', null, repeat('x', 4097), '{}')$$,
  'an_audit_reason_has_at_most_4_kib');
select pg_temp.refuses(
  $$insert into kith.audit_head select true, seq, hash from kith.audit_head$$, 'an_audit_trail_has_one_end');
select pg_temp.refuses(
  $$insert into kith.audit_head select false, seq, hash from kith.audit_head$$, 'an_audit_trail_has_one_end_row');
select lives_ok(
  $$select kith.append_audit('ops', null, 'registration.expired', null, null, '{}')$$,
  'what nobody did has no uid');

select * from finish();
rollback;
