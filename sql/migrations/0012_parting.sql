-- Why: whoever comes back from a merge has what was theirs, and the other keeps nothing of it. So what is done to them, and
-- told of them, while they are one has to be known by whose it was.

-- The merges that an identity went through.
create index moved_identities_are_found_by_identity on kith.merged_identities (identity_id);

-- Addresses that identities have come to report since a merge moved them, for as long as it stands. One that was removed
-- from the survivor is not written down, for it does not become theirs by this.
create table kith.merged_reports (
  merge_id uuid not null,
  canonical text collate "C" not null,
  -- Whether the survivor had it already.
  survivor_had boolean not null,
  -- When it was reported last: what the survivor has got since is none of it.
  at timestamptz not null,
  constraint an_address_comes_once_after_a_merge primary key (merge_id, canonical),
  constraint an_address_that_came_after_a_merge_has_it foreign key (merge_id) references kith.merges (id),
  constraint an_address_that_came_after_a_merge_is_canonical check (octet_length(canonical) between 3 and 254)
);

insert into kith.merged_reports (merge_id, canonical, survivor_had, at)
select distinct j.merge_id, i.email_canonical, exists (
  select from kith.emails e where e.user_id = m.survivor and e.canonical = i.email_canonical and e.added_at < m.at
), now()
from kith.merged_identities j
join kith.merges m on m.id = j.merge_id and m.state = 'done'
join kith.identities i on i.id = j.identity_id
where i.email_canonical <> coalesce(j.email_canonical, '') and not exists (
  select from kith.removed_emails r where r.user_id = i.user_id and r.canonical = i.email_canonical
);

alter table kith.merged_identities drop column email_canonical;

-- What a merge moved is kept for its undo alone.
delete from kith.merged_emails j using kith.merges m where m.id = j.merge_id and m.state = 'undone';

-- Whose it is what an event tells, if that is no longer whom it was told of: an undo parted them.
alter table kith.events add column belongs_to uuid;

create index events_are_found_by_whose_they_are on kith.events (belongs_to) where belongs_to is not null;

grant select, insert on kith.merged_reports to kith_runtime;
grant update (at) on kith.merged_reports to kith_runtime;
grant select on kith.merged_reports to kith_reader;
