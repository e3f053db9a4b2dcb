-- Why: who did what, when and why must be told truly even by somebody who has the daemon's own database role. Rows are
-- only added, each carries the hash of the one before, and only kith.append_audit adds them.

create table kith.audit (
  seq bigint not null,
  at timestamptz not null,
  caller text collate "C" not null,
  peer_uid bigint,
  action text collate "C" not null,
  user_id uuid,
  reason text,
  data json not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint an_audit_row_has_one_place primary key (seq),
  constraint an_audit_row_follows_one_other unique (previous_hash),
  constraint audit_places_count_from_one check (seq >= 1),
  constraint an_audit_hash_is_sha256 check (octet_length(hash) = 32 and octet_length(previous_hash) = 32),
  constraint an_audit_row_carries_an_object check (json_typeof(data) = 'object'),
  constraint an_audit_reason_has_at_most_4_kib check (octet_length(reason) <= 4096)
);

-- The end of the chain: locked by who adds a row, so that every row follows exactly one other, and kept so that a tail
-- cut off is noticed.
create table kith.audit_head (
  only_row boolean not null default true,
  seq bigint not null,
  hash bytea not null,
  constraint an_audit_trail_has_one_end primary key (only_row),
  constraint an_audit_trail_has_one_end_row check (only_row)
) with (fillfactor = 10);

-- The chain starts from the database's id: a trail copied from another database does not fit.
insert into kith.audit_head (seq, hash)
select 0, sha256(convert_to('kith.audit.genesis', 'UTF8') || uuid_send(id)) from kith.database;
