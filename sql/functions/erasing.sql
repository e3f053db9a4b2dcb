-- What the daemon only adds to, and still has to go when a user is erased.

-- Takes the addresses out of the events of users, and drops what merges moved for them and what was done to their
-- credentials. The history of a credential that is somebody else's by now, or nobody's, stays without their ids. Answers
-- with the places of the credentials whose history is gone. The users must be erased already: of nobody else anything is
-- taken back.
create or replace function kith.forget_users(users uuid[])
returns table (access_group text, account text, service text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from unnest(users) q (id) left join kith.users u on u.id = q.id where u.status is distinct from 'erased'
  ) then
    raise exception 'only what belonged to erased users is forgotten' using errcode = 'insufficient_privilege';
  end if;
  -- Who gives places changes events under this lock as well; and two who forget wait here rather than in a ring.
  perform from kith.event_log l for update;
  update kith.events e set data = (e.data::jsonb - 'email')::json
  where e.user_id = any (users)
    and e.type in ('identity.email_changed', 'email.verified', 'email.unverified', 'email.claim_dropped');
  -- Those that were told of somebody else, with whom they were one.
  update kith.events e set data = (e.data::jsonb - 'email')::json where e.belongs_to = any (users);
  delete from kith.merged_identities j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_emails j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_reports j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_credentials j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  return query
    with gone as (
      delete from kith.credential_history h
      where h.credential_id in (select o.credential_id from kith.credential_history o where o.user_id = any (users))
        and not exists (select from kith.credentials c where c.id = h.credential_id)
      returning h.access_group, h.account, h.service
    )
    select distinct g.access_group, g.account, g.service from gone g;
  update kith.credential_history h set user_id = null where h.user_id = any (users);
end
$$;

revoke all on function kith.forget_users(uuid[]) from public;
grant execute on function kith.forget_users(uuid[]) to kith_runtime;
