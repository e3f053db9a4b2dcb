-- Why: what a call leaves behind so that the next one can go on from it: challenges, answers kept for a repeat, and
-- the events that callers read. Each is written in the transaction whose outcome it tells.

-- One-time proof that this caller may go on with this identity.
create table kith.challenges (
  id uuid not null,
  namespace_id integer not null,
  subject text collate "C" not null,
  caller text collate "C" not null,
  candidates uuid[] not null,
  -- The candidates' epochs when this was made, in the same order: after a takeover it no longer fits.
  candidate_epochs integer[] not null,
  claims json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  used_at timestamptz,
  constraint a_challenge_id_is_used_once primary key (id),
  constraint a_challenge_has_a_namespace foreign key (namespace_id) references kith.namespaces (id),
  constraint a_challenged_subject_has_1_to_255_bytes check (octet_length(subject) between 1 and 255),
  constraint a_challenge_has_candidates
    check (cardinality(candidates) between 1 and 100 and array_position(candidates, null) is null),
  constraint a_challenge_has_an_epoch_for_each_candidate
    check (cardinality(candidate_epochs) = cardinality(candidates) and array_position(candidate_epochs, null) is null),
  constraint a_challenge_keeps_claims check (json_typeof(claims) = 'object'),
  constraint a_challenge_expires_after_it_was_made check (expires_at > created_at),
  constraint a_challenge_takes_at_most_5_wrong_proofs check (attempts between 0 and 5)
);

create index challenges_are_dropped_when_expired on kith.challenges (expires_at);

-- Answers of calls that changed something, kept for 30 days: a repeat gets the same bytes.
create table kith.request_keys (
  caller text collate "C" not null,
  method text collate "C" not null,
  key text collate "C" not null,
  parameters_sha256 bytea not null,
  answer text not null,
  created_at timestamptz not null default now(),
  constraint a_request_key_is_answered_once primary key (caller, method, key),
  constraint a_request_key_has_1_to_255_bytes check (octet_length(key) between 1 and 255),
  constraint request_parameters_are_kept_as_sha256 check (octet_length(parameters_sha256) = 32),
  constraint a_kept_answer_has_at_most_4_mib check (octet_length(answer) <= 4194304)
);

create index request_keys_are_dropped_when_old on kith.request_keys (created_at);

-- What happened, for those who follow it. The transaction id is kept because transactions do not commit in the order in
-- which they took their seq: a reader that only remembered the highest seq would skip what a slower transaction commits
-- later. It reads what lies below pg_snapshot_xmin(pg_current_snapshot()), where nothing can appear any more, and its
-- cursor is (xid, seq). Those who change a user take its lock before they get a transaction id, so that this is the order
-- of each user's events.
create table kith.events (
  xid xid8 not null default pg_current_xact_id(),
  seq bigint generated always as identity,
  id uuid not null,
  type text collate "C" not null,
  at timestamptz not null,
  user_id uuid not null,
  -- Absent when nobody called, as when something expired.
  caller text collate "C",
  data json not null default '{}',
  constraint an_event_has_one_place primary key (xid, seq),
  constraint an_event_type_is_a_dotted_name check (type ~ '^[a-z]+\.[a-z_]+$'),
  constraint an_event_carries_an_object check (json_typeof(data) = 'object')
);
