-- Why: Kith answers which of our users somebody is. These tables hold the users, what identifies them, and which
-- addresses are proved to be whose. The rules that must hold whoever races are constraints, named as sentences: the
-- constraint has the last word, and its name is what the daemon turns into a refusal.

-- Which database this is. Sealed values are bound to it, so that one copied to another database cannot be read there.
create table kith.database (
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  only_row boolean not null default true,
  constraint a_database_has_one_id primary key (only_row),
  constraint a_database_has_one_row check (only_row)
);

insert into kith.database default values;

-- Where a provider's ids are unique. The daemon adds those of its configuration; none is ever changed.
create table kith.namespaces (
  id integer generated always as identity,
  provider text collate "C" not null,
  tenant text collate "C" not null,
  constraint a_namespace_id_is_used_once primary key (id),
  constraint a_namespace_exists_once unique (provider, tenant),
  constraint a_provider_is_a_short_word check (provider ~ '^[a-z][a-z0-9_]{0,62}$'),
  constraint a_tenant_has_1_to_255_bytes check (octet_length(tenant) between 1 and 255)
);

-- One person as the apps know them. The id is a version 7 UUID, so it carries the time of creation (kith.uuid_time).
-- A row is never deleted and an id never reused: a merged or erased user stays as a mark that says so.
create table kith.users (
  id uuid not null,
  status text collate "C" not null default 'active',
  -- The survivor, kept pointing at the last one of a chain.
  merged_into uuid,
  -- Counts takeovers of this account: challenges and tokens made under an older epoch are dead.
  epoch integer not null default 0,
  -- json and not jsonb: numbers and text come back byte for byte.
  profile json not null default '{}',
  -- The names of the profile, folded by the daemon for searching; '' when there is none.
  search_name text not null default '',
  disabled_reason text,
  updated_at timestamptz not null default now(),
  constraint a_user_id_is_used_once primary key (id),
  -- Lets identities carry the status along (below).
  constraint a_user_has_one_status unique (id, status),
  constraint a_user_status_is_known check (status in ('active', 'disabled', 'merged', 'erased')),
  constraint a_merged_user_names_its_survivor check ((status = 'merged') = (merged_into is not null)),
  constraint a_user_is_not_merged_into_itself check (merged_into <> id),
  constraint a_survivor_is_a_user foreign key (merged_into) references kith.users (id),
  constraint an_epoch_is_not_negative check (epoch >= 0),
  constraint a_profile_is_an_object check (json_typeof(profile) = 'object'),
  constraint a_profile_has_at_most_64_kib check (octet_length(profile::text) <= 65536),
  constraint a_search_name_has_at_most_4_kib check (octet_length(search_name) <= 4096),
  constraint an_erased_user_keeps_no_profile
    check (status <> 'erased' or (profile::text = '{}' and search_name = '')),
  constraint a_disabled_reason_has_at_most_4_kib check (octet_length(disabled_reason) <= 4096)
) with (fillfactor = 90);

-- Prefixes of words: to_tsvector('simple', search_name) @@ to_tsquery('simple', 'mir:*'). Without a pending list, so
-- that no unlucky sign-in has to flush it.
create index users_are_searched_by_name on kith.users
  using gin (to_tsvector('simple', search_name)) with (fastupdate = off) where search_name <> '';

-- Finds the former ids of a survivor.
create index users_are_found_by_survivor on kith.users (merged_into) where merged_into is not null;

-- (namespace, subject) → one user. The primary key carries everything a sign-in asks for, so that it is answered from
-- the index alone; that holds while rows are seldom changed, so nothing that every sign-in changes stands here.
create table kith.identities (
  namespace_id integer not null,
  subject text collate "C" not null,
  user_id uuid not null,
  id uuid not null,
  email text,
  email_canonical text collate "C",
  email_verified boolean,
  is_private_email boolean,
  linked_at timestamptz not null,
  linked_by text collate "C" not null,
  -- The name of the caller through whom it was linked; absent for an import.
  linked_by_caller text,
  -- A copy of users.status, kept equal by the foreign key whatever happens at the same time: changing the status locks
  -- the user against new identities, and the change cascades to those there are.
  user_status text collate "C" not null default 'active',
  constraint identity_belongs_to_one_user primary key (namespace_id, subject)
    include (user_id, id, email, email_verified, is_private_email, linked_at, linked_by, user_status),
  constraint an_identity_id_is_used_once unique (id),
  constraint an_identity_has_a_namespace foreign key (namespace_id) references kith.namespaces (id),
  constraint an_identity_has_a_user foreign key (user_id, user_status)
    references kith.users (id, status) on update cascade,
  constraint a_merged_or_erased_user_has_no_identity check (user_status in ('active', 'disabled')),
  constraint a_subject_has_1_to_255_bytes check (octet_length(subject) between 1 and 255),
  -- An index entry must fit into a third of a page; as given, an address may be longer than its canonical form.
  constraint an_identity_email_has_1_to_1024_bytes check (octet_length(email) between 1 and 1024),
  constraint an_identity_email_is_canonical_within_254_bytes check (octet_length(email_canonical) between 3 and 254),
  constraint an_identity_email_has_both_forms check ((email is null) = (email_canonical is null)),
  constraint an_identity_says_verified_of_an_email check (email is not null or email_verified is null),
  constraint an_identity_was_linked_in_a_known_way
    check (linked_by in ('register', 'email', 'confirm', 'link', 'merge', 'import'))
) with (fillfactor = 90);

create index identities_are_found_by_user on kith.identities (user_id);

-- When an identity was last used to sign in, if it was since it was linked. In no index, so that a change stays within
-- its page.
create table kith.last_sign_ins (
  identity_id uuid not null,
  at timestamptz not null,
  constraint an_identity_signed_in_last_once primary key (identity_id),
  constraint a_last_sign_in_has_an_identity foreign key (identity_id) references kith.identities (id) on delete cascade
) with (fillfactor = 70);

-- Addresses of users. Any number of users may claim one; at most one holds it as verified. It is verified while at
-- least one source vouches for it: an identity whose provider says so, or a token that was sent there.
create table kith.emails (
  user_id uuid not null,
  canonical text collate "C" not null,
  email text not null,
  added_at timestamptz not null,
  vouched_by uuid[] not null default '{}',
  vouched_by_token boolean not null default false,
  verified boolean not null generated always as (vouched_by_token or vouched_by <> '{}') stored,
  constraint a_user_has_an_address_once primary key (user_id, canonical),
  constraint an_address_has_a_user foreign key (user_id) references kith.users (id),
  constraint a_canonical_address_has_3_to_254_bytes check (octet_length(canonical) between 3 and 254),
  constraint a_canonical_address_has_one_at check (canonical ~ '^[^@]+@[^@]+$'),
  constraint an_address_as_given_has_1_to_1024_bytes check (octet_length(email) between 1 and 1024),
  constraint those_who_vouch_are_named check (array_position(vouched_by, null) is null)
) with (fillfactor = 90);

-- A partial index, because only a verified address is exclusive; named as the constraint that it is.
create unique index an_address_has_one_verified_holder on kith.emails (canonical) include (user_id) where verified;

create index claims_are_found_by_address on kith.emails (canonical) where not verified;

create index addresses_are_found_by_domain on kith.emails (split_part(canonical, '@', 2), user_id);

-- Unlinked stays unlinked: an identity that was taken off a user is not attached to that user by itself again.
create table kith.unlinked (
  namespace_id integer not null,
  subject text collate "C" not null,
  user_id uuid not null,
  at timestamptz not null,
  constraint an_unlinking_is_kept_once primary key (namespace_id, subject, user_id),
  constraint an_unlinking_has_a_namespace foreign key (namespace_id) references kith.namespaces (id),
  constraint an_unlinking_has_a_user foreign key (user_id) references kith.users (id),
  constraint an_unlinked_subject_has_1_to_255_bytes check (octet_length(subject) between 1 and 255)
);

create index unlinkings_are_found_by_user on kith.unlinked (user_id);
