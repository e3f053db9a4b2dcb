-- Why: two accounts of one person become one, and must be able to become two again. What a merge moved is written down
-- beside it, as typed rows and not as a copy of the accounts: an undo puts back exactly what came with the merge and is
-- still there, and leaves with the survivor what came later.

create table kith.merges (
  id uuid not null,
  -- The order of the merges of any one user: it is taken while both users are locked, whatever the daemons' clocks say.
  seq bigint generated always as identity,
  survivor uuid not null,
  absorbed uuid not null,
  state text collate "C" not null default 'done',
  reason text not null,
  -- The name of the caller.
  caller text collate "C" not null,
  at timestamptz not null,
  -- Of the plan that was carried out: whoever brings it again is told of this merge.
  plan_sha256 bytea not null,
  -- What an undo gives back to the absorbed user; their disabled_reason stays in their row all the while.
  absorbed_status text collate "C" not null,
  -- The parts of the survivor's profile that had been unknown and were filled.
  filled text[] collate "C" not null,
  -- How many of each came to the survivor.
  identities integer not null,
  emails integer not null,
  credentials integer not null,
  registrations integer not null,
  -- Those that did not open, and so could not be sealed for the survivor.
  credentials_left integer not null,
  undone_at timestamptz,
  undone_by text collate "C",
  undo_reason text,
  constraint a_merge_id_is_used_once primary key (id),
  constraint a_merge_has_one_place unique (seq),
  constraint a_plan_is_carried_out_once unique (plan_sha256),
  constraint a_survivor_of_a_merge_is_a_user foreign key (survivor) references kith.users (id),
  constraint an_absorbed_user_is_a_user foreign key (absorbed) references kith.users (id),
  constraint a_merge_has_two_users check (survivor <> absorbed),
  constraint a_merge_is_done_or_undone check (state in ('done', 'undone')),
  constraint an_undone_merge_says_when_by_whom_and_why check (
    (state = 'undone') = (undone_at is not null)
    and (undone_at is null) = (undone_by is null) and (undone_at is null) = (undo_reason is null)
  ),
  constraint a_merge_reason_has_1_to_4096_bytes check (octet_length(reason) between 1 and 4096),
  constraint an_undo_reason_has_1_to_4096_bytes check (octet_length(undo_reason) between 1 and 4096),
  constraint a_plan_is_known_by_sha256 check (octet_length(plan_sha256) = 32),
  constraint who_is_absorbed_was_active_or_disabled check (absorbed_status in ('active', 'disabled')),
  constraint a_merge_fills_known_parts check (filled <@ array['name', 'nickname', 'picture', 'locale', 'details']),
  constraint what_a_merge_moved_is_counted
    check (least(identities, emails, credentials, registrations, credentials_left) >= 0)
);

create index merges_are_found_by_survivor on kith.merges (survivor, seq);

create index merges_are_found_by_absorbed on kith.merges (absorbed, seq);

-- The identities that came, and how each had come to the absorbed user. An identity may be gone since.
create table kith.merged_identities (
  merge_id uuid not null,
  identity_id uuid not null,
  linked_by text collate "C" not null,
  -- The address that its provider had told; what it tells later becomes a claim of whoever has it then.
  email_canonical text collate "C",
  constraint an_identity_moves_once_in_a_merge primary key (merge_id, identity_id),
  constraint a_moved_identity_has_a_merge foreign key (merge_id) references kith.merges (id),
  constraint a_moved_identity_was_linked_in_a_known_way
    check (linked_by in ('register', 'email', 'confirm', 'link', 'merge', 'import'))
);

-- The addresses as the absorbed user had them.
create table kith.merged_emails (
  merge_id uuid not null,
  canonical text collate "C" not null,
  email text not null,
  added_at timestamptz not null,
  vouched_by uuid[] not null,
  vouched_by_token boolean not null,
  -- The same of the survivor's own row; absent where they had none.
  survivor_added_at timestamptz,
  survivor_vouched_by_token boolean,
  -- When the survivor had removed it, if they had, and the earlier merge that had brought this along, if one had.
  survivor_removed_at timestamptz,
  survivor_removed_by uuid,
  -- Whether an identity of theirs reported it, even so: a claim may have been dropped.
  survivor_reported boolean not null default false,
  constraint an_address_moves_once_in_a_merge primary key (merge_id, canonical),
  constraint a_moved_address_has_a_merge foreign key (merge_id) references kith.merges (id),
  constraint a_moved_address_is_canonical_within_254_bytes check (octet_length(canonical) between 3 and 254),
  constraint a_moved_address_as_given_has_1_to_1024_bytes check (octet_length(email) between 1 and 1024),
  constraint an_address_of_the_survivor_is_told_whole
    check ((survivor_added_at is null) = (survivor_vouched_by_token is null)),
  constraint a_removal_that_a_merge_brought_has_a_time
    check (survivor_removed_by is null or survivor_removed_at is not null),
  constraint an_earlier_merge_that_brought_a_removal_exists
    foreign key (survivor_removed_by) references kith.merges (id)
);

-- Users who had been merged into the absorbed one before, and so lead to the survivor.
create table kith.merged_users (
  merge_id uuid not null,
  user_id uuid not null,
  constraint a_former_id_moves_once_in_a_merge primary key (merge_id, user_id),
  constraint a_moved_former_id_has_a_merge foreign key (merge_id) references kith.merges (id),
  constraint a_moved_former_id_is_a_user foreign key (user_id) references kith.users (id)
);

-- The credentials that were sealed anew for the survivor. One may be gone since.
create table kith.merged_credentials (
  merge_id uuid not null,
  credential_id uuid not null,
  constraint a_credential_moves_once_in_a_merge primary key (merge_id, credential_id),
  constraint a_moved_credential_has_a_merge foreign key (merge_id) references kith.merges (id)
);

-- Disabled is sticky through a merge; this says that it was the merge, so that its undo may lift it. Whoever disables or
-- enables the user in words of their own takes it away.
alter table kith.users
  add column disabled_by_merge uuid,
  add constraint a_merge_that_disabled_exists foreign key (disabled_by_merge) references kith.merges (id),
  add constraint only_a_disabled_user_was_disabled_by_a_merge
    check (disabled_by_merge is null or status in ('disabled', 'merged'));

-- Unlinked and removed stays so also from the survivor; what a merge brought goes with its undo.
alter table kith.unlinked
  add constraint a_merge_that_brought_an_unlinking_exists foreign key (by_merge) references kith.merges (id);

create index unlinkings_are_found_by_merge on kith.unlinked (by_merge) where by_merge is not null;

alter table kith.removed_emails
  add constraint a_merge_that_brought_a_removal_exists foreign key (by_merge) references kith.merges (id);

create index removals_are_found_by_merge on kith.removed_emails (by_merge) where by_merge is not null;

grant select, insert on kith.merges, kith.merged_identities, kith.merged_emails, kith.merged_users,
  kith.merged_credentials to kith_runtime;
grant update (state, undone_at, undone_by, undo_reason) on kith.merges to kith_runtime;
grant update (merged_into, disabled_by_merge) on kith.users to kith_runtime;
grant update (user_id, user_status, linked_by) on kith.identities to kith_runtime;

grant select on kith.merges, kith.merged_identities, kith.merged_emails, kith.merged_users, kith.merged_credentials
to kith_reader;
