-- Why: apps follow what happens to users, each at its own pace, and must neither miss anything nor be told in another
-- order. Events get a place in one row of places, after they were committed and without anybody waiting for it; a
-- consumer is a name with the place up to which its app is done. Places survive what transaction numbers do not: a dump,
-- another cluster, a failover.

-- How far the log of events goes. One row, locked by whoever gives places or drops what is old.
create table kith.event_log (
  only_row boolean not null default true,
  -- Counts the clusters that this database has lived in, failovers included: places told before may have been given
  -- again since, so a cursor names its era.
  era integer not null default 1,
  -- The cluster in which places were given last.
  cluster text not null default '',
  last_place bigint not null default 0,
  -- The last place whose event was dropped.
  dropped_place bigint not null default 0,
  -- Every event of an earlier transaction of that cluster has its place; null until all of other clusters have one.
  done_xid xid8,
  constraint an_event_log_has_one_end primary key (only_row),
  constraint an_event_log_has_one_end_row check (only_row),
  constraint an_era_counts_from_one check (era >= 1),
  constraint events_are_dropped_from_the_first_on check (dropped_place between 0 and last_place)
) with (fillfactor = 10);

insert into kith.event_log default values;

alter table kith.events
  add column place bigint,
  add constraint event_places_count_from_one check (place >= 1);

create unique index an_event_place_is_given_once on kith.events (place) where place is not null;

-- Holds only what was committed since places were given last; so it stays small, and adding an event stays cheap.
create index events_wait_for_a_place on kith.events (xid, seq) where place is null;

create index events_are_found_by_user on kith.events (user_id, place) where place is not null;

-- How far each app is done.
create table kith.consumers (
  -- The name of the caller that made it; another caller's consumer of the same name is another.
  caller text collate "C" not null,
  name text collate "C" not null,
  -- The last event that the app is done with.
  place bigint not null,
  created_at timestamptz not null,
  -- About when it was last read or acknowledged.
  used_at timestamptz not null,
  constraint a_consumer_exists_once primary key (caller, name),
  constraint a_consumer_name_has_1_to_256_bytes check (octet_length(name) between 1 and 256),
  constraint a_consumer_place_is_not_negative check (place >= 0)
) with (fillfactor = 50);

create index consumers_are_dropped_when_unused on kith.consumers (used_at);

create index audit_is_read_by_user on kith.audit (user_id, seq) where user_id is not null;

grant select on kith.event_log to kith_runtime, kith_reader;
grant select, insert, delete on kith.consumers to kith_runtime;
grant update (place, used_at) on kith.consumers to kith_runtime;
grant select on kith.consumers to kith_reader;
