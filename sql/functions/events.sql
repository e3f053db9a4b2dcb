-- The log of events: how an event gets its place, and how old ones go.

-- The cluster that this database lives in, and since which failover; null on a standby. Logically restored copies differ
-- in the first part, promoted standbys and clusters restored to a moment in the second.
create or replace function kith.event_cluster() returns text
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select case when not pg_is_in_recovery() then
    (select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  end
$$;

-- How long an event is kept, and how many at most: who does not read for so long has to be told that some are gone.
create or replace function kith.events_kept_for() returns interval
language sql immutable parallel safe
return interval '90 days';

create or replace function kith.events_kept_at_most() returns bigint
language sql immutable parallel safe
return 10000000;

-- Gives the next places to events that have none, at most so many. Whoever told of a user had that user locked, so of two
-- events of one user that are committed the earlier is never invisible; and within a pass transactions come in the order
-- of their numbers, which they took under their locks. So places tell the order of each user's events.
--
-- In another cluster numbers begin anew, and what came with the dump may have higher ones than what is new: there
-- everything that has no place yet is taken in the order of seq, which goes on, until nothing is left.
--
-- How many wait is never what it was when the table was last analyzed, which mostly is none: a plan by that would look at
-- all of them for each one that gets its place. So it is made each time, by the size of the table, and can only be to look
-- each one up by its key. What cannot be looked up by a key then seems so dear that it would be compiled first, each time.
create or replace function kith.place_events(at_most integer, out last_place bigint, out placed integer)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  log kith.event_log;
  here text := kith.event_cluster();
  running xid8;
  highest xid8;
begin
  select * into strict log from kith.event_log for update;
  if log.cluster <> here then
    log.era := log.era + case when log.cluster = '' then 0 else 1 end;
    log.cluster := here;
    log.done_xid := null;
  end if;
  -- Before anything is looked for: whoever is through by then is seen.
  running := pg_snapshot_xmin(pg_current_snapshot());
  if log.done_xid is null then
    with waiting as materialized (
      select e.xid, e.seq, row_number() over (order by e.seq) as number from (
        select w.xid, w.seq from kith.events w where w.place is null order by w.seq limit at_most
      ) e
    )
    update kith.events e set place = log.last_place + w.number from waiting w
    where e.xid = w.xid and e.seq = w.seq;
    get diagnostics placed = row_count;
    log.done_xid := case when placed < at_most then running end;
  else
    with waiting as materialized (
      select e.xid, e.seq, row_number() over (order by e.xid, e.seq) as number from (
        select w.xid, w.seq from kith.events w where w.place is null and w.xid >= log.done_xid
        order by w.xid, w.seq limit at_most
      ) e
    ), given as (
      update kith.events e set place = log.last_place + w.number from waiting w
      where e.xid = w.xid and e.seq = w.seq
      returning e.xid
    )
    select count(*), (select g.xid from given g order by g.xid desc limit 1) into placed, highest from given;
    log.done_xid := case when placed < at_most or highest > running then running else highest end;
  end if;
  last_place := log.last_place + placed;
  update kith.event_log l
  set era = log.era, cluster = log.cluster, last_place = place_events.last_place, done_xid = log.done_xid;
end
$$;

-- Drops the oldest events that were kept for long enough, at most so many, and tells how many. Only the first go, so that
-- what is kept has no gap. The limits are not the caller's to choose: nobody can hide what has just happened.
create or replace function kith.drop_events(at_most integer, out dropped integer)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  log kith.event_log;
  last_to_go bigint;
begin
  select * into strict log from kith.event_log for update;
  with oldest as (
    select e.place,
      e.at < now() - kith.events_kept_for() or e.place <= log.last_place - kith.events_kept_at_most() as goes
    from kith.events e where e.place > log.dropped_place order by e.place limit at_most
  )
  select coalesce(min(o.place) filter (where not o.goes) - 1, max(o.place)) into last_to_go from oldest o;
  delete from kith.events e where e.place > log.dropped_place and e.place <= last_to_go;
  get diagnostics dropped = row_count;
  if dropped > 0 then
    update kith.event_log l set dropped_place = last_to_go;
  end if;
end
$$;

revoke all on function
  kith.event_cluster(), kith.events_kept_for(), kith.events_kept_at_most(), kith.place_events(integer),
  kith.drop_events(integer)
from public;
grant execute on function kith.event_cluster(), kith.place_events(integer), kith.drop_events(integer) to kith_runtime;
