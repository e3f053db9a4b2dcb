-- Why: what a person said once must not be lost, and must not be readable by who has only the database. Held
-- registrations, credentials and kept answers that tell either are stored sealed: the daemon's keyset opens them, and
-- each opens only in the very row and version that it was sealed for. Beside each stands the id of its root key, so that
-- what an old key still seals can be counted and wrapped anew. What is sealed names it too, by a byte that tells how long
-- it is behind the first two, and then by itself; the two are the same, or a key could be retired that is still needed.

-- What each root key makes of one text, by the key's id: a keyset in which an id stands for other bytes than before is
-- noticed before anything is sealed with them.
create table kith.keys (
  id text collate "C" not null,
  code bytea not null,
  constraint a_key_is_known_by_one_code primary key (id),
  constraint a_known_key_id_has_1_to_32_bytes check (octet_length(id) between 1 and 32),
  constraint a_key_is_known_by_hmac_sha256 check (octet_length(code) = 32)
);

-- Details of somebody who is not a user yet; once they are, who that became stays, and the details go.
create table kith.registrations (
  id uuid not null,
  namespace_id integer not null,
  subject text collate "C" not null,
  -- Counts the sealings of this row; the sealed value is bound to it.
  version bigint not null,
  sealed bytea,
  key_id text collate "C",
  -- A keyed code of the canonical address in the details, by the key that seals them.
  email_index bytea,
  -- How far the person may be linked by an address when the registration is completed, as the last sign-in said.
  link text collate "C" not null,
  -- The name of the caller through whom the details came last.
  caller text collate "C" not null,
  attempts integer not null default 0,
  last_reason text,
  held_at timestamptz not null,
  -- When something was said last of what is held, and when an address was: what was said before that elsewhere, and comes
  -- later, does not go before it.
  said_at timestamptz not null,
  email_said_at timestamptz,
  expires_at timestamptz not null,
  user_id uuid,
  completed_at timestamptz,
  constraint a_registration_id_is_used_once primary key (id),
  constraint a_registration_has_a_namespace foreign key (namespace_id) references kith.namespaces (id),
  constraint a_registration_subject_has_1_to_255_bytes check (octet_length(subject) between 1 and 255),
  constraint a_registration_version_counts_from_one check (version >= 1),
  constraint a_registration_is_sealed_until_it_is_completed
    check ((sealed is null) = (completed_at is not null) and (user_id is null) = (completed_at is null)),
  constraint sealed_details_name_their_key check ((sealed is null) = (key_id is null)),
  constraint sealed_details_name_the_key_that_seals_them check (
    encode(substr(sealed, 3, 1 + octet_length(key_id)), 'escape')
      = encode(set_byte('\x00', 0, octet_length(key_id)), 'escape') || key_id),
  constraint sealed_details_have_at_most_256_kib check (octet_length(sealed) <= 262144),
  constraint a_registration_key_id_has_1_to_32_bytes check (octet_length(key_id) between 1 and 32),
  constraint an_address_is_found_by_hmac_sha256
    check (email_index is null or (octet_length(email_index) = 32 and sealed is not null)),
  constraint a_registration_links_in_a_known_way check (link in ('verified_email', 'confirm', 'never')),
  constraint registration_attempts_are_not_negative check (attempts >= 0),
  constraint a_failed_registration_has_a_reason check ((attempts = 0) = (last_reason is null)),
  constraint a_registration_reason_has_1_to_4096_bytes check (octet_length(last_reason) between 1 and 4096),
  constraint a_registration_expires_after_it_was_held check (expires_at > held_at),
  constraint a_registration_was_said_when_it_was_held_or_later check (said_at >= held_at),
  constraint a_registration_address_was_said_when_anything_was check (email_said_at <= said_at),
  constraint a_registration_became_a_user foreign key (user_id) references kith.users (id)
) with (fillfactor = 90);

create unique index a_person_is_held_once on kith.registrations (namespace_id, subject) where user_id is null;

-- Ids carry the time, so this is the order in which they were held. What is held has neither a user nor a time of
-- completion; these two say it by the time, so that whoever looks for a person by its user has one index to go by, also
-- when PostgreSQL believes that nothing is held.
create index registrations_are_listed_while_held on kith.registrations (id) where completed_at is null;

create index registrations_expire_while_held on kith.registrations (expires_at) where completed_at is null;

create index registrations_are_found_by_address on kith.registrations (email_index) where email_index is not null;

-- Also the order in which they are wrapped anew when a key goes.
create index registrations_are_counted_by_key on kith.registrations (key_id, id) where key_id is not null;

create index registrations_are_found_by_user on kith.registrations (user_id) where user_id is not null;

-- Secrets that callers keep, each in an access group; only the secret is sealed.
create table kith.credentials (
  id uuid not null,
  access_group text collate "C" not null,
  account text collate "C" not null,
  service text collate "C" not null,
  label text,
  user_id uuid,
  attributes json,
  version bigint not null,
  sealed bytea not null,
  key_id text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  constraint a_credential_id_is_used_once primary key (id),
  constraint a_credential_exists_once unique (access_group, account, service),
  constraint an_access_group_has_1_to_255_bytes check (octet_length(access_group) between 1 and 255),
  constraint an_account_has_1_to_255_bytes check (octet_length(account) between 1 and 255),
  constraint a_service_has_1_to_255_bytes check (octet_length(service) between 1 and 255),
  constraint a_label_has_1_to_1024_bytes check (octet_length(label) between 1 and 1024),
  constraint a_credential_has_a_user foreign key (user_id) references kith.users (id),
  constraint credential_attributes_are_an_object check (json_typeof(attributes) = 'object'),
  constraint credential_attributes_have_at_most_16_kib check (octet_length(attributes::text) <= 16384),
  constraint a_credential_version_counts_from_one check (version >= 1),
  constraint a_sealed_secret_names_the_key_that_seals_it check (
    encode(substr(sealed, 3, 1 + octet_length(key_id)), 'escape')
      = encode(set_byte('\x00', 0, octet_length(key_id)), 'escape') || key_id),
  constraint a_sealed_secret_has_at_most_256_kib check (octet_length(sealed) <= 262144),
  constraint a_credential_key_id_has_1_to_32_bytes check (octet_length(key_id) between 1 and 32)
) with (fillfactor = 90);

create index credentials_are_found_by_user on kith.credentials (user_id) where user_id is not null;

create index credentials_are_counted_by_key on kith.credentials (key_id, id);

create index credentials_expire on kith.credentials (expires_at) where expires_at is not null;

-- What was done to credentials, never with a secret. It is only added to; the newest version of a credential that it
-- tells is the only one that is opened, so an old row that was put back is noticed.
create table kith.credential_history (
  -- Taken while the place is locked, so of one place it tells the order, whatever the daemons' clocks say.
  seq bigint generated always as identity,
  credential_id uuid not null,
  version bigint not null,
  access_group text collate "C" not null,
  account text collate "C" not null,
  service text collate "C" not null,
  action text collate "C" not null,
  at timestamptz not null,
  -- Absent when nobody called, as when something expired.
  caller text collate "C",
  -- Made by who changed it, who finds out by it whether a commit happened whose answer was lost.
  change_id uuid not null,
  constraint a_credential_version_is_told_once primary key (credential_id, version),
  constraint a_credential_changes_in_a_known_way check (action in ('add', 'update', 'delete', 'expire')),
  constraint a_credential_expires_by_itself check ((action = 'expire') = (caller is null)),
  constraint a_told_credential_version_counts_from_one check (version >= 1)
);

create index credential_history_is_read_by_place on kith.credential_history (access_group, account, service, seq);

-- An answer that tells what is stored sealed is kept sealed as well.
alter table kith.request_keys
  alter column answer drop not null,
  add column record_id uuid,
  add column sealed bytea,
  add column key_id text collate "C",
  add constraint an_answer_is_kept_in_one_form check ((answer is null) = (sealed is not null)),
  add constraint a_sealed_answer_names_its_key
    check ((sealed is null) = (key_id is null) and (sealed is null) = (record_id is null)),
  add constraint a_sealed_answer_names_the_key_that_seals_it check (
    encode(substr(sealed, 3, 1 + octet_length(key_id)), 'escape')
      = encode(set_byte('\x00', 0, octet_length(key_id)), 'escape') || key_id),
  add constraint a_sealed_answer_has_at_most_256_kib check (octet_length(sealed) <= 262144),
  add constraint an_answer_key_id_has_1_to_32_bytes check (octet_length(key_id) between 1 and 32);

create index request_keys_are_counted_by_key on kith.request_keys (key_id, record_id) where key_id is not null;

-- The details of a challenged person are held as a registration, sealed.
alter table kith.challenges drop column claims;

-- Who is held is nobody's user yet.
alter table kith.events alter column user_id drop not null;

grant select, insert on kith.keys to kith_runtime;
grant select, insert, delete on kith.registrations to kith_runtime;
grant update (version, sealed, key_id, email_index, link, caller, attempts, last_reason, said_at, email_said_at,
  expires_at, user_id, completed_at) on kith.registrations to kith_runtime;
grant select, insert, delete on kith.credentials to kith_runtime;
grant update (label, user_id, attributes, version, sealed, key_id, updated_at, expires_at) on kith.credentials
to kith_runtime;
grant select, insert on kith.credential_history to kith_runtime;
grant update (sealed, key_id) on kith.request_keys to kith_runtime;
