-- Why: a person may ask to be forgotten. What is known of them goes; that there was such a user stays, with ids alone. So
-- all that tells of a person has to be found by its user, or by the identity or the place that it tells of.

-- An erased user is a mark and nothing else. Who had been merged into them still leads to them, so that both ids tell the
-- same: erased.
alter table kith.users
  drop constraint a_merged_user_names_its_survivor,
  drop constraint an_erased_user_keeps_no_profile,
  add constraint a_merged_user_names_its_survivor
    check (case status when 'merged' then merged_into is not null when 'erased' then true else merged_into is null end),
  add constraint an_erased_user_keeps_no_profile
    check (status <> 'erased' or (profile::text = '{}' and search_name = '' and disabled_reason is null));

alter table kith.request_keys
  -- Whom the answer tells of. It goes when they are erased; an answer of ids alone names nobody and stays.
  add column user_id uuid,
  -- The number of the advisory lock on the identity, or on the credential's place, that the answer tells of.
  add column about bigint;

create index answers_are_found_by_user on kith.request_keys (user_id) where user_id is not null;

create index answers_are_found_by_what_they_tell_of on kith.request_keys (about) where about is not null;

-- Whose the credential was from this version on.
alter table kith.credential_history add column user_id uuid;

update kith.credential_history h set user_id = c.user_id
from kith.credentials c where c.id = h.credential_id and c.user_id is not null;

create index credential_history_is_found_by_user on kith.credential_history (user_id) where user_id is not null;

create index challenges_are_found_by_candidate on kith.challenges using gin (candidates) with (fastupdate = off);

create index challenges_are_found_by_identity on kith.challenges (namespace_id, subject);

-- The events that tell an address.
create index events_with_addresses_are_found_by_user on kith.events (user_id)
where type in ('identity.email_changed', 'email.verified', 'email.unverified', 'email.claim_dropped');
