-- Why: people add and take off identities and addresses themselves. What they took off must stay off until they say
-- otherwise, and an address is proved by a token that was sent there.

-- Removed stays removed: an address that was taken off a user is not theirs again by a sign-in, whatever a provider says.
-- A row of kith.emails and one of these never stand for the same address of one user.
create table kith.removed_emails (
  user_id uuid not null,
  canonical text collate "C" not null,
  at timestamptz not null,
  -- The merge that brought it along; absent where the user themselves removed it.
  by_merge uuid,
  constraint a_removal_is_kept_once primary key (user_id, canonical),
  constraint a_removal_has_a_user foreign key (user_id) references kith.users (id),
  constraint a_removed_address_has_3_to_254_bytes check (octet_length(canonical) between 3 and 254)
);

-- The same of what was unlinked.
alter table kith.unlinked add column by_merge uuid;

-- What proves an address: a token that was given out once, to be sent there. It is known by its hash alone, so that who
-- reads the database proves nothing with it, and goes with its address.
create table kith.email_tokens (
  user_id uuid not null,
  canonical text collate "C" not null,
  token_sha256 bytea not null,
  -- The user's epoch when it was made: after a takeover it is dead.
  epoch integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint an_address_has_one_token primary key (user_id, canonical),
  constraint a_token_proves_an_address foreign key (user_id, canonical)
    references kith.emails (user_id, canonical) on delete cascade,
  constraint a_token_is_known_by_sha256 check (octet_length(token_sha256) = 32)
);

create index email_tokens_are_dropped_when_expired on kith.email_tokens (expires_at);

grant select, insert, delete on kith.removed_emails to kith_runtime;
grant update (at, by_merge) on kith.removed_emails, kith.unlinked to kith_runtime;
grant select, insert, delete on kith.email_tokens to kith_runtime;
grant update (token_sha256, epoch, expires_at, used_at) on kith.email_tokens to kith_runtime;

grant select on kith.removed_emails to kith_reader;
