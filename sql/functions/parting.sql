-- What the daemon only adds to, and has to be told apart or to go when a merge is undone.

-- Makes what was told of the survivor and is the absorbed user's theirs: the addresses that their identities came to
-- report, and what became of addresses of theirs that the survivor has none of any more. It may have been told of somebody
-- into whom the survivor was merged for a while. Then drops which addresses moved, for nothing is to be put back any more.
create or replace function kith.part_users(merge uuid) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  undone kith.merges;
  merged_seq bigint;
begin
  select * into undone from kith.merges m where m.id = merge and m.state = 'undone';
  if not found then
    raise exception 'only of a merge that was undone are the users parted' using errcode = 'insufficient_privilege';
  end if;
  -- Whoever gives places changes events under this lock as well.
  perform from kith.event_log l for update;
  -- Both users were locked then, so this tells what came after. If it was dropped, so was everything before.
  select coalesce(min(s.seq), 0) into merged_seq from (
    select e.seq, e.data from kith.events e
    where e.place is not null and e.user_id = undone.survivor and e.type = 'user.merged'
    union all
    select e.seq, e.data from kith.events e
    where e.place is null and e.user_id = undone.survivor and e.type = 'user.merged'
  ) s
  where s.data ->> 'merge_id' = undone.id::text;
  with told as materialized (
    select e.xid, e.seq, e.type, e.data ->> 'identity_id' as identity, e.data ->> 'email' as email from kith.events e
    where e.user_id = undone.survivor and e.belongs_to is null
      and e.type in ('identity.email_changed', 'email.verified', 'email.unverified', 'email.claim_dropped')
    union all
    select e.xid, e.seq, e.type, e.data ->> 'identity_id', e.data ->> 'email' from kith.events e
    where e.belongs_to = undone.survivor
  ), theirs as (
    select t.xid, t.seq from told t
    where t.seq > merged_seq and case t.type
      when 'identity.email_changed' then exists (
        select from kith.merged_identities j where j.merge_id = undone.id and j.identity_id::text = t.identity
      )
      else (
        exists (select from kith.merged_emails j where j.merge_id = undone.id and j.canonical = t.email)
        or exists (select from kith.merged_reports j where j.merge_id = undone.id and j.canonical = t.email)
      ) and not exists (
        select from kith.emails x where x.user_id = undone.survivor and x.canonical = t.email
      ) and not exists (
        select from kith.removed_emails x where x.user_id = undone.survivor and x.canonical = t.email
      )
    end
  )
  update kith.events e set belongs_to = undone.absorbed from theirs t where e.xid = t.xid and e.seq = t.seq;
  delete from kith.merged_emails j where j.merge_id = undone.id;
  delete from kith.merged_reports j where j.merge_id = undone.id;
end
$$;

revoke all on function kith.part_users(uuid) from public;
grant execute on function kith.part_users(uuid) to kith_runtime;
