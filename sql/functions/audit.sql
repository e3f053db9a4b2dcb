-- The audit trail: how a row is added, hashed, guarded and checked.

-- One field of what is hashed: its length in bytes, then the bytes; -1 stands for an absent one. So no two different
-- rows can be written as the same bytes.
create or replace function kith.audit_field(value bytea) returns bytea
language sql immutable parallel safe
return case when value is null then int4send(-1) else int4send(octet_length(value)) || value end;

create or replace function kith.audit_hash(
  seq bigint, at timestamptz, caller text, peer_uid bigint, action text, user_id uuid, reason text, data json,
  previous_hash bytea
) returns bytea
language sql immutable parallel safe
return sha256(
  kith.audit_field('kith.audit.v1'::bytea)
  || kith.audit_field(int8send(seq))
  || kith.audit_field(timestamptz_send(at))
  || kith.audit_field(convert_to(caller, 'UTF8'))
  || kith.audit_field(int8send(peer_uid))
  || kith.audit_field(convert_to(action, 'UTF8'))
  || kith.audit_field(uuid_send(user_id))
  || kith.audit_field(convert_to(reason, 'UTF8'))
  || kith.audit_field(convert_to(data::text, 'UTF8'))
  || kith.audit_field(previous_hash)
);

-- Adds a row and returns its place. The time is the database's own, taken once the end of the chain is locked, so the
-- times of the chain do not run backwards and nobody can date a row. The lock is held until the transaction ends: call
-- this last.
--
-- Whoever waits does so at a lock beside the row. Waiting at the row itself would keep its page in use, so that nothing
-- could ever clear the versions that are over from it, and each look at the end would go through more of them.
create or replace function kith.append_audit(
  caller text, peer_uid bigint, action text, user_id uuid, reason text, data json
) returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  head kith.audit_head;
  moment timestamptz;
  new_hash bytea;
begin
  perform pg_advisory_xact_lock('kith.audit_head'::regclass::oid::int4, 0);
  select * into strict head from kith.audit_head for update;
  moment := clock_timestamp();
  new_hash := kith.audit_hash(
    head.seq + 1, moment, append_audit.caller, append_audit.peer_uid, append_audit.action, append_audit.user_id,
    append_audit.reason, append_audit.data, head.hash);
  insert into kith.audit (seq, at, caller, peer_uid, action, user_id, reason, data, previous_hash, hash)
  values (
    head.seq + 1, moment, append_audit.caller, append_audit.peer_uid, append_audit.action, append_audit.user_id,
    append_audit.reason, append_audit.data, head.hash, new_hash);
  update kith.audit_head set seq = head.seq + 1, hash = new_hash;
  return head.seq + 1;
end
$$;

-- Where the chain begins: at the database's id.
create or replace function kith.audit_genesis() returns bytea
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select sha256(convert_to('kith.audit.genesis', 'UTF8') || uuid_send(id)) from kith.database
$$;

-- Reads a part of the chain, at most so many rows: those behind a place whose row has this hash (null for the beginning).
-- checked tells how many rows there were, first_bad the first place that is changed, missing or put in, last_seq and
-- last_hash where to go on, at_end whether that was the rest: then it was compared with the kept end as well. Runs with
-- the owner's rights, so that nobody else needs to see the kept end.
create or replace function kith.verify_audit_part(
  after_seq bigint, after_hash bytea, at_most integer,
  out checked bigint, out first_bad bigint, out last_seq bigint, out last_hash bytea, out at_end boolean
)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  link record;
begin
  checked := 0;
  last_seq := coalesce(after_seq, 0);
  last_hash := coalesce(after_hash, kith.audit_genesis());
  for link in
    select
      seq, previous_hash, hash,
      kith.audit_hash(seq, at, caller, peer_uid, action, user_id, reason, data, previous_hash) as true_hash
    from kith.audit
    where seq > coalesce(after_seq, 0)
    order by seq limit at_most
  loop
    checked := checked + 1;
    if first_bad is null and (
      link.seq <> last_seq + 1 or link.previous_hash <> last_hash or link.hash <> link.true_hash
    ) then
      first_bad := least(link.seq, last_seq + 1);
    end if;
    last_seq := last_seq + 1;
    last_hash := link.hash;
  end loop;
  at_end := checked < at_most;
  if at_end and first_bad is null and not exists (
    select from kith.audit_head where seq = last_seq and hash = last_hash
  ) then
    first_bad := last_seq + 1;
  end if;
end
$$;

-- Reads the whole chain at once. ok tells whether it is unbroken from the first row to the kept end.
create or replace function kith.verify_audit(out ok boolean, out checked bigint, out first_bad bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select p.first_bad is null, p.checked, p.first_bad from kith.verify_audit_part(null, null, 2147483647) p
$$;

-- The owner may not change the trail either, nor by mistake.
create or replace function kith.refuse_audit_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the audit trail is only added to' using errcode = 'insufficient_privilege';
end
$$;

create or replace trigger audit_rows_stay before update or delete on kith.audit
  for each row execute function kith.refuse_audit_change();
create or replace trigger audit_stays before truncate on kith.audit
  for each statement execute function kith.refuse_audit_change();
alter table kith.audit enable always trigger audit_rows_stay;
alter table kith.audit enable always trigger audit_stays;

revoke all on function
  kith.audit_field(bytea),
  kith.audit_hash(bigint, timestamptz, text, bigint, text, uuid, text, json, bytea),
  kith.append_audit(text, bigint, text, uuid, text, json),
  kith.audit_genesis(),
  kith.verify_audit_part(bigint, bytea, integer),
  kith.verify_audit(),
  kith.refuse_audit_change()
from public;
grant execute on function kith.append_audit(text, bigint, text, uuid, text, json) to kith_runtime;
grant execute on function kith.verify_audit_part(bigint, bytea, integer), kith.verify_audit() to kith_runtime, kith_reader;
