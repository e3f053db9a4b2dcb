--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: kith; Type: SCHEMA; Schema: -; Owner: kith_owner
--

CREATE SCHEMA kith;

ALTER SCHEMA kith OWNER TO kith_owner;

--
-- Name: append_audit(text, bigint, text, uuid, text, json); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.append_audit(caller text, peer_uid bigint, action text, user_id uuid, reason text, data json) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  head kith.audit_head;
  moment timestamptz;
  new_hash bytea;
begin
  perform pg_advisory_xact_lock('kith.audit_head'::regclass::oid::int4, 0);
  select * into strict head from kith.audit_head for update;
  moment := clock_timestamp();
  new_hash := kith.audit_hash(
    head.seq + 1, moment, append_audit.caller, append_audit.peer_uid, append_audit.action, append_audit.user_id,
    append_audit.reason, append_audit.data, head.hash);
  insert into kith.audit (seq, at, caller, peer_uid, action, user_id, reason, data, previous_hash, hash)
  values (
    head.seq + 1, moment, append_audit.caller, append_audit.peer_uid, append_audit.action, append_audit.user_id,
    append_audit.reason, append_audit.data, head.hash, new_hash);
  update kith.audit_head set seq = head.seq + 1, hash = new_hash;
  return head.seq + 1;
end
$$;

ALTER FUNCTION kith.append_audit(caller text, peer_uid bigint, action text, user_id uuid, reason text, data json) OWNER TO kith_owner;

--
-- Name: audit_field(bytea); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.audit_field(value bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (value IS NULL) THEN int4send('-1'::integer) ELSE (int4send(octet_length(value)) || value) END;

ALTER FUNCTION kith.audit_field(value bytea) OWNER TO kith_owner;

--
-- Name: audit_genesis(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.audit_genesis() RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select sha256(convert_to('kith.audit.genesis', 'UTF8') || uuid_send(id)) from kith.database
$$;

ALTER FUNCTION kith.audit_genesis() OWNER TO kith_owner;

--
-- Name: audit_hash(bigint, timestamp with time zone, text, bigint, text, uuid, text, json, bytea); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.audit_hash(seq bigint, at timestamp with time zone, caller text, peer_uid bigint, action text, user_id uuid, reason text, data json, previous_hash bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN sha256((((((((((kith.audit_field('\x6b6974682e61756469742e7631'::bytea) || kith.audit_field(int8send(seq))) || kith.audit_field(timestamptz_send(at))) || kith.audit_field(convert_to(caller, 'UTF8'::name))) || kith.audit_field(int8send(peer_uid))) || kith.audit_field(convert_to(action, 'UTF8'::name))) || kith.audit_field(uuid_send(user_id))) || kith.audit_field(convert_to(reason, 'UTF8'::name))) || kith.audit_field(convert_to((data)::text, 'UTF8'::name))) || kith.audit_field(previous_hash)));

ALTER FUNCTION kith.audit_hash(seq bigint, at timestamp with time zone, caller text, peer_uid bigint, action text, user_id uuid, reason text, data json, previous_hash bytea) OWNER TO kith_owner;

--
-- Name: drop_events(integer); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.drop_events(at_most integer, OUT dropped integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

ALTER FUNCTION kith.drop_events(at_most integer, OUT dropped integer) OWNER TO kith_owner;

--
-- Name: event_cluster(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.event_cluster() RETURNS text
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when not pg_is_in_recovery() then
    (select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  end
$$;

ALTER FUNCTION kith.event_cluster() OWNER TO kith_owner;

--
-- Name: events_kept_at_most(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.events_kept_at_most() RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 10000000;

ALTER FUNCTION kith.events_kept_at_most() OWNER TO kith_owner;

--
-- Name: events_kept_for(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.events_kept_for() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '90 days'::interval;

ALTER FUNCTION kith.events_kept_for() OWNER TO kith_owner;

--
-- Name: forget_users(uuid[]); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.forget_users(users uuid[]) RETURNS TABLE(access_group text, account text, service text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if exists (
    select from unnest(users) q (id) left join kith.users u on u.id = q.id where u.status is distinct from 'erased'
  ) then
    raise exception 'only what belonged to erased users is forgotten' using errcode = 'insufficient_privilege';
  end if;
  -- Who gives places changes events under this lock as well; and two who forget wait here rather than in a ring.
  perform from kith.event_log l for update;
  update kith.events e set data = (e.data::jsonb - 'email')::json
  where e.user_id = any (users)
    and e.type in ('identity.email_changed', 'email.verified', 'email.unverified', 'email.claim_dropped');
  -- Those that were told of somebody else, with whom they were one.
  update kith.events e set data = (e.data::jsonb - 'email')::json where e.belongs_to = any (users);
  delete from kith.merged_identities j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_emails j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_reports j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  delete from kith.merged_credentials j using kith.merges m
  where j.merge_id = m.id and (m.survivor = any (users) or m.absorbed = any (users));
  return query
    with gone as (
      delete from kith.credential_history h
      where h.credential_id in (select o.credential_id from kith.credential_history o where o.user_id = any (users))
        and not exists (select from kith.credentials c where c.id = h.credential_id)
      returning h.access_group, h.account, h.service
    )
    select distinct g.access_group, g.account, g.service from gone g;
  update kith.credential_history h set user_id = null where h.user_id = any (users);
end
$$;

ALTER FUNCTION kith.forget_users(users uuid[]) OWNER TO kith_owner;

--
-- Name: mailbox(text); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.mailbox(canonical text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (split_part(canonical, '@'::text, 2) = ANY (ARRAY['gmail.com'::text, 'googlemail.com'::text])) THEN (replace(split_part(split_part(canonical, '@'::text, 1), '+'::text, 1), '.'::text, ''::text) || '@gmail.com'::text) WHEN ((strpos(canonical, '+'::text) > 1) AND (strpos(canonical, '+'::text) < strpos(canonical, '@'::text))) THEN ((split_part(canonical, '+'::text, 1) || '@'::text) || split_part(canonical, '@'::text, 2)) ELSE canonical END;

ALTER FUNCTION kith.mailbox(canonical text) OWNER TO kith_owner;

--
-- Name: part_users(uuid); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.part_users(merge uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  undone kith.merges;
  merged_seq bigint;
begin
  select * into undone from kith.merges m where m.id = merge and m.state = 'undone';
  if not found then
    raise exception 'only of a merge that was undone are the users parted' using errcode = 'insufficient_privilege';
  end if;
  -- Whoever gives places changes events under this lock as well.
  perform from kith.event_log l for update;
  -- Both users were locked then, so this tells what came after. If it was dropped, so was everything before.
  select coalesce(min(s.seq), 0) into merged_seq from (
    select e.seq, e.data from kith.events e
    where e.place is not null and e.user_id = undone.survivor and e.type = 'user.merged'
    union all
    select e.seq, e.data from kith.events e
    where e.place is null and e.user_id = undone.survivor and e.type = 'user.merged'
  ) s
  where s.data ->> 'merge_id' = undone.id::text;
  with told as materialized (
    select e.xid, e.seq, e.type, e.data ->> 'identity_id' as identity, e.data ->> 'email' as email from kith.events e
    where e.user_id = undone.survivor and e.belongs_to is null
      and e.type in ('identity.email_changed', 'email.verified', 'email.unverified', 'email.claim_dropped')
    union all
    select e.xid, e.seq, e.type, e.data ->> 'identity_id', e.data ->> 'email' from kith.events e
    where e.belongs_to = undone.survivor
  ), theirs as (
    select t.xid, t.seq from told t
    where t.seq > merged_seq and case t.type
      when 'identity.email_changed' then exists (
        select from kith.merged_identities j where j.merge_id = undone.id and j.identity_id::text = t.identity
      )
      else (
        exists (select from kith.merged_emails j where j.merge_id = undone.id and j.canonical = t.email)
        or exists (select from kith.merged_reports j where j.merge_id = undone.id and j.canonical = t.email)
      ) and not exists (
        select from kith.emails x where x.user_id = undone.survivor and x.canonical = t.email
      ) and not exists (
        select from kith.removed_emails x where x.user_id = undone.survivor and x.canonical = t.email
      )
    end
  )
  update kith.events e set belongs_to = undone.absorbed from theirs t where e.xid = t.xid and e.seq = t.seq;
  delete from kith.merged_emails j where j.merge_id = undone.id;
  delete from kith.merged_reports j where j.merge_id = undone.id;
end
$$;

ALTER FUNCTION kith.part_users(merge uuid) OWNER TO kith_owner;

--
-- Name: place_events(integer); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.place_events(at_most integer, OUT last_place bigint, OUT placed integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
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

ALTER FUNCTION kith.place_events(at_most integer, OUT last_place bigint, OUT placed integer) OWNER TO kith_owner;

--
-- Name: refuse_audit_change(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception 'the audit trail is only added to' using errcode = 'insufficient_privilege';
end
$$;

ALTER FUNCTION kith.refuse_audit_change() OWNER TO kith_owner;

--
-- Name: uuid_time(uuid); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.uuid_time(id uuid) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_timestamp((((((('x'::text || encode(SUBSTRING(uuid_send(id) FROM 1 FOR 6), 'hex'::text)))::bit(48))::bigint)::numeric / 1000.0))::double precision);

ALTER FUNCTION kith.uuid_time(id uuid) OWNER TO kith_owner;

--
-- Name: verify_audit(); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint) RETURNS record
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select p.first_bad is null, p.checked, p.first_bad from kith.verify_audit_part(null, null, 2147483647) p
$$;

ALTER FUNCTION kith.verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint) OWNER TO kith_owner;

--
-- Name: verify_audit_part(bigint, bytea, integer); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  link record;
begin
  checked := 0;
  last_seq := coalesce(after_seq, 0);
  last_hash := coalesce(after_hash, kith.audit_genesis());
  for link in
    select
      seq, previous_hash, hash,
      kith.audit_hash(seq, at, caller, peer_uid, action, user_id, reason, data, previous_hash) as true_hash
    from kith.audit
    where seq > coalesce(after_seq, 0)
    order by seq limit at_most
  loop
    checked := checked + 1;
    if first_bad is null and (
      link.seq <> last_seq + 1 or link.previous_hash <> last_hash or link.hash <> link.true_hash
    ) then
      first_bad := least(link.seq, last_seq + 1);
    end if;
    last_seq := last_seq + 1;
    last_hash := link.hash;
  end loop;
  at_end := checked < at_most;
  if at_end and first_bad is null and not exists (
    select from kith.audit_head where seq = last_seq and hash = last_hash
  ) then
    first_bad := last_seq + 1;
  end if;
end
$$;

ALTER FUNCTION kith.verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean) OWNER TO kith_owner;

--
-- Name: wire_time(timestamp with time zone); Type: FUNCTION; Schema: kith; Owner: kith_owner
--

CREATE FUNCTION kith.wire_time(at timestamp with time zone) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

ALTER FUNCTION kith.wire_time(at timestamp with time zone) OWNER TO kith_owner;

SET default_tablespace = '';

--
-- Name: audit; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.audit (
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    caller text NOT NULL COLLATE pg_catalog."C",
    peer_uid bigint,
    action text NOT NULL COLLATE pg_catalog."C",
    user_id uuid,
    reason text,
    data json NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT an_audit_hash_is_sha256 CHECK (((octet_length(hash) = 32) AND (octet_length(previous_hash) = 32))),
    CONSTRAINT an_audit_reason_has_at_most_4_kib CHECK ((octet_length(reason) <= 4096)),
    CONSTRAINT an_audit_row_carries_an_object CHECK ((json_typeof(data) = 'object'::text)),
    CONSTRAINT audit_places_count_from_one CHECK ((seq >= 1))
);

ALTER TABLE kith.audit OWNER TO kith_owner;

--
-- Name: audit_head; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.audit_head (
    only_row boolean DEFAULT true NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT an_audit_trail_has_one_end_row CHECK (only_row)
)
WITH (fillfactor='10');

ALTER TABLE kith.audit_head OWNER TO kith_owner;

--
-- Name: challenges; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.challenges (
    id uuid NOT NULL,
    namespace_id integer NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    caller text NOT NULL COLLATE pg_catalog."C",
    candidates uuid[] NOT NULL,
    candidate_epochs integer[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT a_challenge_expires_after_it_was_made CHECK ((expires_at > created_at)),
    CONSTRAINT a_challenge_has_an_epoch_for_each_candidate CHECK (((cardinality(candidate_epochs) = cardinality(candidates)) AND (array_position(candidate_epochs, NULL::integer) IS NULL))),
    CONSTRAINT a_challenge_has_candidates CHECK ((((cardinality(candidates) >= 1) AND (cardinality(candidates) <= 100)) AND (array_position(candidates, NULL::uuid) IS NULL))),
    CONSTRAINT a_challenge_takes_at_most_5_wrong_proofs CHECK (((attempts >= 0) AND (attempts <= 5))),
    CONSTRAINT a_challenged_subject_has_1_to_255_bytes CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 255)))
);

ALTER TABLE kith.challenges OWNER TO kith_owner;

--
-- Name: consumers; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.consumers (
    caller text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    place bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT a_consumer_name_has_1_to_256_bytes CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 256))),
    CONSTRAINT a_consumer_place_is_not_negative CHECK ((place >= 0))
)
WITH (fillfactor='50');

ALTER TABLE kith.consumers OWNER TO kith_owner;

--
-- Name: credential_history; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.credential_history (
    seq bigint NOT NULL,
    credential_id uuid NOT NULL,
    version bigint NOT NULL,
    access_group text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    service text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    caller text COLLATE pg_catalog."C",
    change_id uuid NOT NULL,
    user_id uuid,
    CONSTRAINT a_credential_changes_in_a_known_way CHECK ((action = ANY (ARRAY['add'::text, 'update'::text, 'delete'::text, 'expire'::text]))),
    CONSTRAINT a_credential_expires_by_itself CHECK (((action = 'expire'::text) = (caller IS NULL))),
    CONSTRAINT a_told_credential_version_counts_from_one CHECK ((version >= 1))
);

ALTER TABLE kith.credential_history OWNER TO kith_owner;

--
-- Name: credential_history_seq_seq; Type: SEQUENCE; Schema: kith; Owner: kith_owner
--

ALTER TABLE kith.credential_history ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kith.credential_history_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: credentials; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.credentials (
    id uuid NOT NULL,
    access_group text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    service text NOT NULL COLLATE pg_catalog."C",
    label text,
    user_id uuid,
    attributes json,
    version bigint NOT NULL,
    sealed bytea NOT NULL,
    key_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT a_credential_key_id_has_1_to_32_bytes CHECK (((octet_length(key_id) >= 1) AND (octet_length(key_id) <= 32))),
    CONSTRAINT a_credential_version_counts_from_one CHECK ((version >= 1)),
    CONSTRAINT a_label_has_1_to_1024_bytes CHECK (((octet_length(label) >= 1) AND (octet_length(label) <= 1024))),
    CONSTRAINT a_sealed_secret_has_at_most_256_kib CHECK ((octet_length(sealed) <= 262144)),
    CONSTRAINT a_sealed_secret_names_the_key_that_seals_it CHECK ((encode(substr(sealed, 3, (1 + octet_length(key_id))), 'escape'::text) = (encode(set_byte('\x00'::bytea, 0, octet_length(key_id)), 'escape'::text) || key_id))),
    CONSTRAINT a_service_has_1_to_255_bytes CHECK (((octet_length(service) >= 1) AND (octet_length(service) <= 255))),
    CONSTRAINT an_access_group_has_1_to_255_bytes CHECK (((octet_length(access_group) >= 1) AND (octet_length(access_group) <= 255))),
    CONSTRAINT an_account_has_1_to_255_bytes CHECK (((octet_length(account) >= 1) AND (octet_length(account) <= 255))),
    CONSTRAINT credential_attributes_are_an_object CHECK ((json_typeof(attributes) = 'object'::text)),
    CONSTRAINT credential_attributes_have_at_most_16_kib CHECK ((octet_length((attributes)::text) <= 16384))
)
WITH (fillfactor='90');

ALTER TABLE kith.credentials OWNER TO kith_owner;

--
-- Name: database; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.database (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    only_row boolean DEFAULT true NOT NULL,
    CONSTRAINT a_database_has_one_row CHECK (only_row)
);

ALTER TABLE kith.database OWNER TO kith_owner;

--
-- Name: email_tokens; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.email_tokens (
    user_id uuid NOT NULL,
    canonical text NOT NULL COLLATE pg_catalog."C",
    token_sha256 bytea NOT NULL,
    epoch integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT a_token_is_known_by_sha256 CHECK ((octet_length(token_sha256) = 32))
);

ALTER TABLE kith.email_tokens OWNER TO kith_owner;

--
-- Name: emails; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.emails (
    user_id uuid NOT NULL,
    canonical text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    vouched_by uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    vouched_by_token boolean DEFAULT false NOT NULL,
    verified boolean GENERATED ALWAYS AS ((vouched_by_token OR (vouched_by <> '{}'::uuid[]))) STORED NOT NULL,
    CONSTRAINT a_canonical_address_has_3_to_254_bytes CHECK (((octet_length(canonical) >= 3) AND (octet_length(canonical) <= 254))),
    CONSTRAINT a_canonical_address_has_one_at CHECK ((canonical ~ '^[^@]+@[^@]+$'::text)),
    CONSTRAINT an_address_as_given_has_1_to_1024_bytes CHECK (((octet_length(email) >= 1) AND (octet_length(email) <= 1024))),
    CONSTRAINT those_who_vouch_are_named CHECK ((array_position(vouched_by, NULL::uuid) IS NULL))
)
WITH (fillfactor='90');

ALTER TABLE kith.emails OWNER TO kith_owner;

--
-- Name: event_log; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.event_log (
    only_row boolean DEFAULT true NOT NULL,
    era integer DEFAULT 1 NOT NULL,
    cluster text DEFAULT ''::text NOT NULL,
    last_place bigint DEFAULT 0 NOT NULL,
    dropped_place bigint DEFAULT 0 NOT NULL,
    done_xid xid8,
    CONSTRAINT an_era_counts_from_one CHECK ((era >= 1)),
    CONSTRAINT an_event_log_has_one_end_row CHECK (only_row),
    CONSTRAINT events_are_dropped_from_the_first_on CHECK (((dropped_place >= 0) AND (dropped_place <= last_place)))
)
WITH (fillfactor='10');

ALTER TABLE kith.event_log OWNER TO kith_owner;

--
-- Name: events; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.events (
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    user_id uuid,
    caller text COLLATE pg_catalog."C",
    data json DEFAULT '{}'::json NOT NULL,
    place bigint,
    belongs_to uuid,
    CONSTRAINT an_event_carries_an_object CHECK ((json_typeof(data) = 'object'::text)),
    CONSTRAINT an_event_type_is_a_dotted_name CHECK ((type ~ '^[a-z]+\.[a-z_]+$'::text)),
    CONSTRAINT event_places_count_from_one CHECK ((place >= 1))
);

ALTER TABLE kith.events OWNER TO kith_owner;

--
-- Name: events_seq_seq; Type: SEQUENCE; Schema: kith; Owner: kith_owner
--

ALTER TABLE kith.events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kith.events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: functions; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.functions (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_function_checksum_is_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE kith.functions OWNER TO kith_owner;

--
-- Name: identities; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.identities (
    namespace_id integer NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    user_id uuid NOT NULL,
    id uuid NOT NULL,
    email text,
    email_canonical text COLLATE pg_catalog."C",
    email_verified boolean,
    is_private_email boolean,
    linked_at timestamp with time zone NOT NULL,
    linked_by text NOT NULL COLLATE pg_catalog."C",
    linked_by_caller text,
    user_status text DEFAULT 'active'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT a_merged_or_erased_user_has_no_identity CHECK ((user_status = ANY (ARRAY['active'::text, 'disabled'::text]))),
    CONSTRAINT a_subject_has_1_to_255_bytes CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 255))),
    CONSTRAINT an_identity_email_has_1_to_1024_bytes CHECK (((octet_length(email) >= 1) AND (octet_length(email) <= 1024))),
    CONSTRAINT an_identity_email_has_both_forms CHECK (((email IS NULL) = (email_canonical IS NULL))),
    CONSTRAINT an_identity_email_is_canonical_within_254_bytes CHECK (((octet_length(email_canonical) >= 3) AND (octet_length(email_canonical) <= 254))),
    CONSTRAINT an_identity_says_verified_of_an_email CHECK (((email IS NOT NULL) OR (email_verified IS NULL))),
    CONSTRAINT an_identity_was_linked_in_a_known_way CHECK ((linked_by = ANY (ARRAY['register'::text, 'email'::text, 'confirm'::text, 'link'::text, 'merge'::text, 'import'::text])))
)
WITH (fillfactor='90');

ALTER TABLE kith.identities OWNER TO kith_owner;

--
-- Name: keys; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.keys (
    id text NOT NULL COLLATE pg_catalog."C",
    code bytea NOT NULL,
    CONSTRAINT a_key_is_known_by_hmac_sha256 CHECK ((octet_length(code) = 32)),
    CONSTRAINT a_known_key_id_has_1_to_32_bytes CHECK (((octet_length(id) >= 1) AND (octet_length(id) <= 32)))
);

ALTER TABLE kith.keys OWNER TO kith_owner;

--
-- Name: last_sign_ins; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.last_sign_ins (
    identity_id uuid NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE kith.last_sign_ins OWNER TO kith_owner;

--
-- Name: merged_credentials; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merged_credentials (
    merge_id uuid NOT NULL,
    credential_id uuid NOT NULL
);

ALTER TABLE kith.merged_credentials OWNER TO kith_owner;

--
-- Name: merged_emails; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merged_emails (
    merge_id uuid NOT NULL,
    canonical text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    vouched_by uuid[] NOT NULL,
    vouched_by_token boolean NOT NULL,
    survivor_added_at timestamp with time zone,
    survivor_vouched_by_token boolean,
    survivor_removed_at timestamp with time zone,
    survivor_removed_by uuid,
    survivor_reported boolean DEFAULT false NOT NULL,
    CONSTRAINT a_moved_address_as_given_has_1_to_1024_bytes CHECK (((octet_length(email) >= 1) AND (octet_length(email) <= 1024))),
    CONSTRAINT a_moved_address_is_canonical_within_254_bytes CHECK (((octet_length(canonical) >= 3) AND (octet_length(canonical) <= 254))),
    CONSTRAINT a_removal_that_a_merge_brought_has_a_time CHECK (((survivor_removed_by IS NULL) OR (survivor_removed_at IS NOT NULL))),
    CONSTRAINT an_address_of_the_survivor_is_told_whole CHECK (((survivor_added_at IS NULL) = (survivor_vouched_by_token IS NULL)))
);

ALTER TABLE kith.merged_emails OWNER TO kith_owner;

--
-- Name: merged_identities; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merged_identities (
    merge_id uuid NOT NULL,
    identity_id uuid NOT NULL,
    linked_by text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT a_moved_identity_was_linked_in_a_known_way CHECK ((linked_by = ANY (ARRAY['register'::text, 'email'::text, 'confirm'::text, 'link'::text, 'merge'::text, 'import'::text])))
);

ALTER TABLE kith.merged_identities OWNER TO kith_owner;

--
-- Name: merged_reports; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merged_reports (
    merge_id uuid NOT NULL,
    canonical text NOT NULL COLLATE pg_catalog."C",
    survivor_had boolean NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT an_address_that_came_after_a_merge_is_canonical CHECK (((octet_length(canonical) >= 3) AND (octet_length(canonical) <= 254)))
);

ALTER TABLE kith.merged_reports OWNER TO kith_owner;

--
-- Name: merged_users; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merged_users (
    merge_id uuid NOT NULL,
    user_id uuid NOT NULL
);

ALTER TABLE kith.merged_users OWNER TO kith_owner;

--
-- Name: merges; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.merges (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    survivor uuid NOT NULL,
    absorbed uuid NOT NULL,
    state text DEFAULT 'done'::text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    caller text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    plan_sha256 bytea NOT NULL,
    absorbed_status text NOT NULL COLLATE pg_catalog."C",
    filled text[] NOT NULL COLLATE pg_catalog."C",
    identities integer NOT NULL,
    emails integer NOT NULL,
    credentials integer NOT NULL,
    registrations integer NOT NULL,
    credentials_left integer NOT NULL,
    undone_at timestamp with time zone,
    undone_by text COLLATE pg_catalog."C",
    undo_reason text,
    CONSTRAINT a_merge_fills_known_parts CHECK ((filled <@ ARRAY['name'::text, 'nickname'::text, 'picture'::text, 'locale'::text, 'details'::text])),
    CONSTRAINT a_merge_has_two_users CHECK ((survivor <> absorbed)),
    CONSTRAINT a_merge_is_done_or_undone CHECK ((state = ANY (ARRAY['done'::text, 'undone'::text]))),
    CONSTRAINT a_merge_reason_has_1_to_4096_bytes CHECK (((octet_length(reason) >= 1) AND (octet_length(reason) <= 4096))),
    CONSTRAINT a_plan_is_known_by_sha256 CHECK ((octet_length(plan_sha256) = 32)),
    CONSTRAINT an_undo_reason_has_1_to_4096_bytes CHECK (((octet_length(undo_reason) >= 1) AND (octet_length(undo_reason) <= 4096))),
    CONSTRAINT an_undone_merge_says_when_by_whom_and_why CHECK ((((state = 'undone'::text) = (undone_at IS NOT NULL)) AND ((undone_at IS NULL) = (undone_by IS NULL)) AND ((undone_at IS NULL) = (undo_reason IS NULL)))),
    CONSTRAINT what_a_merge_moved_is_counted CHECK ((LEAST(identities, emails, credentials, registrations, credentials_left) >= 0)),
    CONSTRAINT who_is_absorbed_was_active_or_disabled CHECK ((absorbed_status = ANY (ARRAY['active'::text, 'disabled'::text])))
);

ALTER TABLE kith.merges OWNER TO kith_owner;

--
-- Name: merges_seq_seq; Type: SEQUENCE; Schema: kith; Owner: kith_owner
--

ALTER TABLE kith.merges ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kith.merges_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: migrations; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.migrations (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_migration_checksum_is_sha256 CHECK ((checksum ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT a_migration_version_is_positive CHECK ((version > 0))
);

ALTER TABLE kith.migrations OWNER TO kith_owner;

--
-- Name: namespaces; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.namespaces (
    id integer NOT NULL,
    provider text NOT NULL COLLATE pg_catalog."C",
    tenant text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT a_provider_is_a_short_word CHECK ((provider ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT a_tenant_has_1_to_255_bytes CHECK (((octet_length(tenant) >= 1) AND (octet_length(tenant) <= 255)))
);

ALTER TABLE kith.namespaces OWNER TO kith_owner;

--
-- Name: namespaces_id_seq; Type: SEQUENCE; Schema: kith; Owner: kith_owner
--

ALTER TABLE kith.namespaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME kith.namespaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: registrations; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.registrations (
    id uuid NOT NULL,
    namespace_id integer NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    sealed bytea,
    key_id text COLLATE pg_catalog."C",
    email_index bytea,
    link text NOT NULL COLLATE pg_catalog."C",
    caller text NOT NULL COLLATE pg_catalog."C",
    attempts integer DEFAULT 0 NOT NULL,
    last_reason text,
    held_at timestamp with time zone NOT NULL,
    said_at timestamp with time zone NOT NULL,
    email_said_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    user_id uuid,
    completed_at timestamp with time zone,
    CONSTRAINT a_failed_registration_has_a_reason CHECK (((attempts = 0) = (last_reason IS NULL))),
    CONSTRAINT a_registration_address_was_said_when_anything_was CHECK ((email_said_at <= said_at)),
    CONSTRAINT a_registration_expires_after_it_was_held CHECK ((expires_at > held_at)),
    CONSTRAINT a_registration_is_sealed_until_it_is_completed CHECK ((((sealed IS NULL) = (completed_at IS NOT NULL)) AND ((user_id IS NULL) = (completed_at IS NULL)))),
    CONSTRAINT a_registration_key_id_has_1_to_32_bytes CHECK (((octet_length(key_id) >= 1) AND (octet_length(key_id) <= 32))),
    CONSTRAINT a_registration_links_in_a_known_way CHECK ((link = ANY (ARRAY['verified_email'::text, 'confirm'::text, 'never'::text]))),
    CONSTRAINT a_registration_reason_has_1_to_4096_bytes CHECK (((octet_length(last_reason) >= 1) AND (octet_length(last_reason) <= 4096))),
    CONSTRAINT a_registration_subject_has_1_to_255_bytes CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 255))),
    CONSTRAINT a_registration_version_counts_from_one CHECK ((version >= 1)),
    CONSTRAINT a_registration_was_said_when_it_was_held_or_later CHECK ((said_at >= held_at)),
    CONSTRAINT an_address_is_found_by_hmac_sha256 CHECK (((email_index IS NULL) OR ((octet_length(email_index) = 32) AND (sealed IS NOT NULL)))),
    CONSTRAINT registration_attempts_are_not_negative CHECK ((attempts >= 0)),
    CONSTRAINT sealed_details_have_at_most_256_kib CHECK ((octet_length(sealed) <= 262144)),
    CONSTRAINT sealed_details_name_the_key_that_seals_them CHECK ((encode(substr(sealed, 3, (1 + octet_length(key_id))), 'escape'::text) = (encode(set_byte('\x00'::bytea, 0, octet_length(key_id)), 'escape'::text) || key_id))),
    CONSTRAINT sealed_details_name_their_key CHECK (((sealed IS NULL) = (key_id IS NULL)))
)
WITH (fillfactor='90');

ALTER TABLE kith.registrations OWNER TO kith_owner;

--
-- Name: removed_emails; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.removed_emails (
    user_id uuid NOT NULL,
    canonical text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL,
    by_merge uuid,
    CONSTRAINT a_removed_address_has_3_to_254_bytes CHECK (((octet_length(canonical) >= 3) AND (octet_length(canonical) <= 254)))
);

ALTER TABLE kith.removed_emails OWNER TO kith_owner;

--
-- Name: request_keys; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.request_keys (
    caller text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    parameters_sha256 bytea NOT NULL,
    answer text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    record_id uuid,
    sealed bytea,
    key_id text COLLATE pg_catalog."C",
    user_id uuid,
    about bigint,
    CONSTRAINT a_kept_answer_has_at_most_4_mib CHECK ((octet_length(answer) <= 4194304)),
    CONSTRAINT a_request_key_has_1_to_255_bytes CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 255))),
    CONSTRAINT a_sealed_answer_has_at_most_256_kib CHECK ((octet_length(sealed) <= 262144)),
    CONSTRAINT a_sealed_answer_names_its_key CHECK ((((sealed IS NULL) = (key_id IS NULL)) AND ((sealed IS NULL) = (record_id IS NULL)))),
    CONSTRAINT a_sealed_answer_names_the_key_that_seals_it CHECK ((encode(substr(sealed, 3, (1 + octet_length(key_id))), 'escape'::text) = (encode(set_byte('\x00'::bytea, 0, octet_length(key_id)), 'escape'::text) || key_id))),
    CONSTRAINT an_answer_is_kept_in_one_form CHECK (((answer IS NULL) = (sealed IS NOT NULL))),
    CONSTRAINT an_answer_key_id_has_1_to_32_bytes CHECK (((octet_length(key_id) >= 1) AND (octet_length(key_id) <= 32))),
    CONSTRAINT request_parameters_are_kept_as_sha256 CHECK ((octet_length(parameters_sha256) = 32))
);

ALTER TABLE kith.request_keys OWNER TO kith_owner;

--
-- Name: unlinked; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.unlinked (
    namespace_id integer NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    user_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    by_merge uuid,
    CONSTRAINT an_unlinked_subject_has_1_to_255_bytes CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 255)))
);

ALTER TABLE kith.unlinked OWNER TO kith_owner;

--
-- Name: users; Type: TABLE; Schema: kith; Owner: kith_owner
--

CREATE TABLE kith.users (
    id uuid NOT NULL,
    status text DEFAULT 'active'::text NOT NULL COLLATE pg_catalog."C",
    merged_into uuid,
    epoch integer DEFAULT 0 NOT NULL,
    profile json DEFAULT '{}'::json NOT NULL,
    search_name text DEFAULT ''::text NOT NULL,
    disabled_reason text,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    disabled_by_merge uuid,
    match_name text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    match_birthday text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT a_disabled_reason_has_at_most_4_kib CHECK ((octet_length(disabled_reason) <= 4096)),
    CONSTRAINT a_match_birthday_is_one CHECK (((match_birthday = ''::text) OR (match_birthday ~ '^[0-9]{2}-[0-9]{2}(-[0-9]{4})?$'::text))),
    CONSTRAINT a_match_name_has_at_most_255_bytes CHECK ((octet_length(match_name) <= 255)),
    CONSTRAINT a_merged_user_names_its_survivor CHECK (
CASE status
    WHEN 'merged'::text THEN (merged_into IS NOT NULL)
    WHEN 'erased'::text THEN true
    ELSE (merged_into IS NULL)
END),
    CONSTRAINT a_profile_has_at_most_64_kib CHECK ((octet_length((profile)::text) <= 65536)),
    CONSTRAINT a_profile_is_an_object CHECK ((json_typeof(profile) = 'object'::text)),
    CONSTRAINT a_search_name_has_at_most_4_kib CHECK ((octet_length(search_name) <= 4096)),
    CONSTRAINT a_user_is_not_merged_into_itself CHECK ((merged_into <> id)),
    CONSTRAINT a_user_status_is_known CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text, 'merged'::text, 'erased'::text]))),
    CONSTRAINT an_epoch_is_not_negative CHECK ((epoch >= 0)),
    CONSTRAINT an_erased_user_is_compared_with_nobody CHECK (((status <> 'erased'::text) OR ((match_name = ''::text) AND (match_birthday = ''::text)))),
    CONSTRAINT an_erased_user_keeps_no_profile CHECK (((status <> 'erased'::text) OR (((profile)::text = '{}'::text) AND (search_name = ''::text) AND (disabled_reason IS NULL)))),
    CONSTRAINT only_a_disabled_user_was_disabled_by_a_merge CHECK (((disabled_by_merge IS NULL) OR (status = ANY (ARRAY['disabled'::text, 'merged'::text]))))
)
WITH (fillfactor='90');

ALTER TABLE kith.users OWNER TO kith_owner;

--
-- Name: COLUMN users.search_name; Type: COMMENT; Schema: kith; Owner: kith_owner
--

COMMENT ON COLUMN kith.users.search_name IS 'What a name is searched by, folded: its own words on the first line, what else the person is called on a second.';

--
-- Name: challenges a_challenge_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.challenges
    ADD CONSTRAINT a_challenge_id_is_used_once PRIMARY KEY (id);

--
-- Name: consumers a_consumer_exists_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.consumers
    ADD CONSTRAINT a_consumer_exists_once PRIMARY KEY (caller, name);

--
-- Name: credentials a_credential_exists_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.credentials
    ADD CONSTRAINT a_credential_exists_once UNIQUE (access_group, account, service);

--
-- Name: credentials a_credential_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.credentials
    ADD CONSTRAINT a_credential_id_is_used_once PRIMARY KEY (id);

--
-- Name: merged_credentials a_credential_moves_once_in_a_merge; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_credentials
    ADD CONSTRAINT a_credential_moves_once_in_a_merge PRIMARY KEY (merge_id, credential_id);

--
-- Name: credential_history a_credential_version_is_told_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.credential_history
    ADD CONSTRAINT a_credential_version_is_told_once PRIMARY KEY (credential_id, version);

--
-- Name: database a_database_has_one_id; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.database
    ADD CONSTRAINT a_database_has_one_id PRIMARY KEY (only_row);

--
-- Name: merged_users a_former_id_moves_once_in_a_merge; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_users
    ADD CONSTRAINT a_former_id_moves_once_in_a_merge PRIMARY KEY (merge_id, user_id);

--
-- Name: functions a_function_file_is_known_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.functions
    ADD CONSTRAINT a_function_file_is_known_once PRIMARY KEY (name);

--
-- Name: keys a_key_is_known_by_one_code; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.keys
    ADD CONSTRAINT a_key_is_known_by_one_code PRIMARY KEY (id);

--
-- Name: merges a_merge_has_one_place; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merges
    ADD CONSTRAINT a_merge_has_one_place UNIQUE (seq);

--
-- Name: merges a_merge_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merges
    ADD CONSTRAINT a_merge_id_is_used_once PRIMARY KEY (id);

--
-- Name: migrations a_migration_is_applied_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.migrations
    ADD CONSTRAINT a_migration_is_applied_once PRIMARY KEY (version);

--
-- Name: namespaces a_namespace_exists_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.namespaces
    ADD CONSTRAINT a_namespace_exists_once UNIQUE (provider, tenant);

--
-- Name: namespaces a_namespace_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.namespaces
    ADD CONSTRAINT a_namespace_id_is_used_once PRIMARY KEY (id);

--
-- Name: merges a_plan_is_carried_out_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merges
    ADD CONSTRAINT a_plan_is_carried_out_once UNIQUE (plan_sha256);

--
-- Name: registrations a_registration_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.registrations
    ADD CONSTRAINT a_registration_id_is_used_once PRIMARY KEY (id);

--
-- Name: removed_emails a_removal_is_kept_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.removed_emails
    ADD CONSTRAINT a_removal_is_kept_once PRIMARY KEY (user_id, canonical);

--
-- Name: request_keys a_request_key_is_answered_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.request_keys
    ADD CONSTRAINT a_request_key_is_answered_once PRIMARY KEY (caller, method, key);

--
-- Name: emails a_user_has_an_address_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.emails
    ADD CONSTRAINT a_user_has_an_address_once PRIMARY KEY (user_id, canonical);

--
-- Name: users a_user_has_one_status; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT a_user_has_one_status UNIQUE (id, status);

--
-- Name: users a_user_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT a_user_id_is_used_once PRIMARY KEY (id);

--
-- Name: merged_reports an_address_comes_once_after_a_merge; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_reports
    ADD CONSTRAINT an_address_comes_once_after_a_merge PRIMARY KEY (merge_id, canonical);

--
-- Name: email_tokens an_address_has_one_token; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.email_tokens
    ADD CONSTRAINT an_address_has_one_token PRIMARY KEY (user_id, canonical);

--
-- Name: merged_emails an_address_moves_once_in_a_merge; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_emails
    ADD CONSTRAINT an_address_moves_once_in_a_merge PRIMARY KEY (merge_id, canonical);

--
-- Name: audit an_audit_row_follows_one_other; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.audit
    ADD CONSTRAINT an_audit_row_follows_one_other UNIQUE (previous_hash);

--
-- Name: audit an_audit_row_has_one_place; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.audit
    ADD CONSTRAINT an_audit_row_has_one_place PRIMARY KEY (seq);

--
-- Name: audit_head an_audit_trail_has_one_end; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.audit_head
    ADD CONSTRAINT an_audit_trail_has_one_end PRIMARY KEY (only_row);

--
-- Name: events an_event_has_one_place; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.events
    ADD CONSTRAINT an_event_has_one_place PRIMARY KEY (xid, seq);

--
-- Name: event_log an_event_log_has_one_end; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.event_log
    ADD CONSTRAINT an_event_log_has_one_end PRIMARY KEY (only_row);

--
-- Name: identities an_identity_id_is_used_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.identities
    ADD CONSTRAINT an_identity_id_is_used_once UNIQUE (id);

--
-- Name: merged_identities an_identity_moves_once_in_a_merge; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_identities
    ADD CONSTRAINT an_identity_moves_once_in_a_merge PRIMARY KEY (merge_id, identity_id);

--
-- Name: last_sign_ins an_identity_signed_in_last_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.last_sign_ins
    ADD CONSTRAINT an_identity_signed_in_last_once PRIMARY KEY (identity_id);

--
-- Name: unlinked an_unlinking_is_kept_once; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.unlinked
    ADD CONSTRAINT an_unlinking_is_kept_once PRIMARY KEY (namespace_id, subject, user_id);

--
-- Name: identities identity_belongs_to_one_user; Type: CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.identities
    ADD CONSTRAINT identity_belongs_to_one_user PRIMARY KEY (namespace_id, subject) INCLUDE (user_id, id, email, email_verified, is_private_email, linked_at, linked_by, user_status);

--
-- Name: a_person_is_held_once; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE UNIQUE INDEX a_person_is_held_once ON kith.registrations USING btree (namespace_id, subject) WHERE (user_id IS NULL);

--
-- Name: addresses_are_found_by_domain; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX addresses_are_found_by_domain ON kith.emails USING btree (split_part(canonical, '@'::text, 2), user_id);

--
-- Name: addresses_are_found_by_mailbox; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX addresses_are_found_by_mailbox ON kith.emails USING btree (kith.mailbox(canonical), user_id) WHERE (kith.mailbox(canonical) <> canonical);

--
-- Name: an_address_has_one_verified_holder; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE UNIQUE INDEX an_address_has_one_verified_holder ON kith.emails USING btree (canonical) INCLUDE (user_id) WHERE verified;

--
-- Name: an_event_place_is_given_once; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE UNIQUE INDEX an_event_place_is_given_once ON kith.events USING btree (place) WHERE (place IS NOT NULL);

--
-- Name: answers_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX answers_are_found_by_user ON kith.request_keys USING btree (user_id) WHERE (user_id IS NOT NULL);

--
-- Name: answers_are_found_by_what_they_tell_of; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX answers_are_found_by_what_they_tell_of ON kith.request_keys USING btree (about) WHERE (about IS NOT NULL);

--
-- Name: audit_is_read_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX audit_is_read_by_user ON kith.audit USING btree (user_id, seq) WHERE (user_id IS NOT NULL);

--
-- Name: challenges_are_dropped_when_expired; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX challenges_are_dropped_when_expired ON kith.challenges USING btree (expires_at);

--
-- Name: challenges_are_found_by_candidate; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX challenges_are_found_by_candidate ON kith.challenges USING gin (candidates) WITH (fastupdate=off);

--
-- Name: challenges_are_found_by_identity; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX challenges_are_found_by_identity ON kith.challenges USING btree (namespace_id, subject);

--
-- Name: claims_are_found_by_address; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX claims_are_found_by_address ON kith.emails USING btree (canonical, user_id) WHERE (NOT verified);

--
-- Name: consumers_are_dropped_when_unused; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX consumers_are_dropped_when_unused ON kith.consumers USING btree (used_at);

--
-- Name: credential_history_is_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX credential_history_is_found_by_user ON kith.credential_history USING btree (user_id) WHERE (user_id IS NOT NULL);

--
-- Name: credential_history_is_read_by_place; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX credential_history_is_read_by_place ON kith.credential_history USING btree (access_group, account, service, seq);

--
-- Name: credentials_are_counted_by_key; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX credentials_are_counted_by_key ON kith.credentials USING btree (key_id, id);

--
-- Name: credentials_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX credentials_are_found_by_user ON kith.credentials USING btree (user_id) WHERE (user_id IS NOT NULL);

--
-- Name: credentials_expire; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX credentials_expire ON kith.credentials USING btree (expires_at) WHERE (expires_at IS NOT NULL);

--
-- Name: email_tokens_are_dropped_when_expired; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX email_tokens_are_dropped_when_expired ON kith.email_tokens USING btree (expires_at);

--
-- Name: events_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX events_are_found_by_user ON kith.events USING btree (user_id, place) WHERE (place IS NOT NULL);

--
-- Name: events_are_found_by_whose_they_are; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX events_are_found_by_whose_they_are ON kith.events USING btree (belongs_to) WHERE (belongs_to IS NOT NULL);

--
-- Name: events_wait_for_a_place; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX events_wait_for_a_place ON kith.events USING btree (xid, seq) WHERE (place IS NULL);

--
-- Name: events_with_addresses_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX events_with_addresses_are_found_by_user ON kith.events USING btree (user_id) WHERE (type = ANY (ARRAY['identity.email_changed'::text, 'email.verified'::text, 'email.unverified'::text, 'email.claim_dropped'::text]));

--
-- Name: identities_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX identities_are_found_by_user ON kith.identities USING btree (user_id);

--
-- Name: merges_are_found_by_absorbed; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX merges_are_found_by_absorbed ON kith.merges USING btree (absorbed, seq);

--
-- Name: merges_are_found_by_survivor; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX merges_are_found_by_survivor ON kith.merges USING btree (survivor, seq);

--
-- Name: moved_identities_are_found_by_identity; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX moved_identities_are_found_by_identity ON kith.merged_identities USING btree (identity_id);

--
-- Name: registrations_are_counted_by_key; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX registrations_are_counted_by_key ON kith.registrations USING btree (key_id, id) WHERE (key_id IS NOT NULL);

--
-- Name: registrations_are_found_by_address; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX registrations_are_found_by_address ON kith.registrations USING btree (email_index) WHERE (email_index IS NOT NULL);

--
-- Name: registrations_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX registrations_are_found_by_user ON kith.registrations USING btree (user_id) WHERE (user_id IS NOT NULL);

--
-- Name: registrations_are_listed_while_held; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX registrations_are_listed_while_held ON kith.registrations USING btree (id) WHERE (completed_at IS NULL);

--
-- Name: registrations_expire_while_held; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX registrations_expire_while_held ON kith.registrations USING btree (expires_at) WHERE (completed_at IS NULL);

--
-- Name: relay_addresses_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX relay_addresses_are_found_by_user ON kith.emails USING btree (user_id) WHERE (split_part(canonical, '@'::text, 2) = 'privaterelay.appleid.com'::text);

--
-- Name: removals_are_found_by_merge; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX removals_are_found_by_merge ON kith.removed_emails USING btree (by_merge) WHERE (by_merge IS NOT NULL);

--
-- Name: request_keys_are_counted_by_key; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX request_keys_are_counted_by_key ON kith.request_keys USING btree (key_id, record_id) WHERE (key_id IS NOT NULL);

--
-- Name: request_keys_are_dropped_when_old; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX request_keys_are_dropped_when_old ON kith.request_keys USING btree (created_at);

--
-- Name: unlinkings_are_found_by_merge; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX unlinkings_are_found_by_merge ON kith.unlinked USING btree (by_merge) WHERE (by_merge IS NOT NULL);

--
-- Name: unlinkings_are_found_by_user; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX unlinkings_are_found_by_user ON kith.unlinked USING btree (user_id);

--
-- Name: users_are_compared_by_birthday; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX users_are_compared_by_birthday ON kith.users USING btree (match_name, match_birthday, id) WHERE ((match_name <> ''::text) AND (match_birthday <> ''::text) AND (status = ANY (ARRAY['active'::text, 'disabled'::text])));

--
-- Name: users_are_compared_by_name; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX users_are_compared_by_name ON kith.users USING btree (match_name, id) WHERE ((match_name <> ''::text) AND (status = ANY (ARRAY['active'::text, 'disabled'::text])));

--
-- Name: users_are_found_by_survivor; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX users_are_found_by_survivor ON kith.users USING btree (merged_into) WHERE (merged_into IS NOT NULL);

--
-- Name: users_are_searched_by_name; Type: INDEX; Schema: kith; Owner: kith_owner
--

CREATE INDEX users_are_searched_by_name ON kith.users USING gin (to_tsvector('simple'::regconfig, search_name)) WITH (fastupdate=off) WHERE (search_name <> ''::text);

--
-- Name: audit audit_rows_stay; Type: TRIGGER; Schema: kith; Owner: kith_owner
--

CREATE TRIGGER audit_rows_stay BEFORE DELETE OR UPDATE ON kith.audit FOR EACH ROW EXECUTE FUNCTION kith.refuse_audit_change();

ALTER TABLE kith.audit ENABLE ALWAYS TRIGGER audit_rows_stay;

--
-- Name: audit audit_stays; Type: TRIGGER; Schema: kith; Owner: kith_owner
--

CREATE TRIGGER audit_stays BEFORE TRUNCATE ON kith.audit FOR EACH STATEMENT EXECUTE FUNCTION kith.refuse_audit_change();

ALTER TABLE kith.audit ENABLE ALWAYS TRIGGER audit_stays;

--
-- Name: challenges a_challenge_has_a_namespace; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.challenges
    ADD CONSTRAINT a_challenge_has_a_namespace FOREIGN KEY (namespace_id) REFERENCES kith.namespaces(id);

--
-- Name: credentials a_credential_has_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.credentials
    ADD CONSTRAINT a_credential_has_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: last_sign_ins a_last_sign_in_has_an_identity; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.last_sign_ins
    ADD CONSTRAINT a_last_sign_in_has_an_identity FOREIGN KEY (identity_id) REFERENCES kith.identities(id) ON DELETE CASCADE;

--
-- Name: removed_emails a_merge_that_brought_a_removal_exists; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.removed_emails
    ADD CONSTRAINT a_merge_that_brought_a_removal_exists FOREIGN KEY (by_merge) REFERENCES kith.merges(id);

--
-- Name: unlinked a_merge_that_brought_an_unlinking_exists; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.unlinked
    ADD CONSTRAINT a_merge_that_brought_an_unlinking_exists FOREIGN KEY (by_merge) REFERENCES kith.merges(id);

--
-- Name: users a_merge_that_disabled_exists; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT a_merge_that_disabled_exists FOREIGN KEY (disabled_by_merge) REFERENCES kith.merges(id);

--
-- Name: merged_emails a_moved_address_has_a_merge; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_emails
    ADD CONSTRAINT a_moved_address_has_a_merge FOREIGN KEY (merge_id) REFERENCES kith.merges(id);

--
-- Name: merged_credentials a_moved_credential_has_a_merge; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_credentials
    ADD CONSTRAINT a_moved_credential_has_a_merge FOREIGN KEY (merge_id) REFERENCES kith.merges(id);

--
-- Name: merged_users a_moved_former_id_has_a_merge; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_users
    ADD CONSTRAINT a_moved_former_id_has_a_merge FOREIGN KEY (merge_id) REFERENCES kith.merges(id);

--
-- Name: merged_users a_moved_former_id_is_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_users
    ADD CONSTRAINT a_moved_former_id_is_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: merged_identities a_moved_identity_has_a_merge; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_identities
    ADD CONSTRAINT a_moved_identity_has_a_merge FOREIGN KEY (merge_id) REFERENCES kith.merges(id);

--
-- Name: registrations a_registration_became_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.registrations
    ADD CONSTRAINT a_registration_became_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: registrations a_registration_has_a_namespace; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.registrations
    ADD CONSTRAINT a_registration_has_a_namespace FOREIGN KEY (namespace_id) REFERENCES kith.namespaces(id);

--
-- Name: removed_emails a_removal_has_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.removed_emails
    ADD CONSTRAINT a_removal_has_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: users a_survivor_is_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.users
    ADD CONSTRAINT a_survivor_is_a_user FOREIGN KEY (merged_into) REFERENCES kith.users(id);

--
-- Name: merges a_survivor_of_a_merge_is_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merges
    ADD CONSTRAINT a_survivor_of_a_merge_is_a_user FOREIGN KEY (survivor) REFERENCES kith.users(id);

--
-- Name: email_tokens a_token_proves_an_address; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.email_tokens
    ADD CONSTRAINT a_token_proves_an_address FOREIGN KEY (user_id, canonical) REFERENCES kith.emails(user_id, canonical) ON DELETE CASCADE;

--
-- Name: merges an_absorbed_user_is_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merges
    ADD CONSTRAINT an_absorbed_user_is_a_user FOREIGN KEY (absorbed) REFERENCES kith.users(id);

--
-- Name: emails an_address_has_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.emails
    ADD CONSTRAINT an_address_has_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: merged_reports an_address_that_came_after_a_merge_has_it; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_reports
    ADD CONSTRAINT an_address_that_came_after_a_merge_has_it FOREIGN KEY (merge_id) REFERENCES kith.merges(id);

--
-- Name: merged_emails an_earlier_merge_that_brought_a_removal_exists; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.merged_emails
    ADD CONSTRAINT an_earlier_merge_that_brought_a_removal_exists FOREIGN KEY (survivor_removed_by) REFERENCES kith.merges(id);

--
-- Name: identities an_identity_has_a_namespace; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.identities
    ADD CONSTRAINT an_identity_has_a_namespace FOREIGN KEY (namespace_id) REFERENCES kith.namespaces(id);

--
-- Name: identities an_identity_has_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.identities
    ADD CONSTRAINT an_identity_has_a_user FOREIGN KEY (user_id, user_status) REFERENCES kith.users(id, status) ON UPDATE CASCADE;

--
-- Name: unlinked an_unlinking_has_a_namespace; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.unlinked
    ADD CONSTRAINT an_unlinking_has_a_namespace FOREIGN KEY (namespace_id) REFERENCES kith.namespaces(id);

--
-- Name: unlinked an_unlinking_has_a_user; Type: FK CONSTRAINT; Schema: kith; Owner: kith_owner
--

ALTER TABLE ONLY kith.unlinked
    ADD CONSTRAINT an_unlinking_has_a_user FOREIGN KEY (user_id) REFERENCES kith.users(id);

--
-- Name: SCHEMA kith; Type: ACL; Schema: -; Owner: kith_owner
--

GRANT USAGE ON SCHEMA kith TO kith_runtime;
GRANT USAGE ON SCHEMA kith TO kith_reader;

--
-- Name: FUNCTION append_audit(caller text, peer_uid bigint, action text, user_id uuid, reason text, data json); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.append_audit(caller text, peer_uid bigint, action text, user_id uuid, reason text, data json) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.append_audit(caller text, peer_uid bigint, action text, user_id uuid, reason text, data json) TO kith_runtime;

--
-- Name: FUNCTION audit_field(value bytea); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.audit_field(value bytea) FROM PUBLIC;

--
-- Name: FUNCTION audit_genesis(); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.audit_genesis() FROM PUBLIC;

--
-- Name: FUNCTION audit_hash(seq bigint, at timestamp with time zone, caller text, peer_uid bigint, action text, user_id uuid, reason text, data json, previous_hash bytea); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.audit_hash(seq bigint, at timestamp with time zone, caller text, peer_uid bigint, action text, user_id uuid, reason text, data json, previous_hash bytea) FROM PUBLIC;

--
-- Name: FUNCTION drop_events(at_most integer, OUT dropped integer); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.drop_events(at_most integer, OUT dropped integer) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.drop_events(at_most integer, OUT dropped integer) TO kith_runtime;

--
-- Name: FUNCTION event_cluster(); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.event_cluster() FROM PUBLIC;
GRANT ALL ON FUNCTION kith.event_cluster() TO kith_runtime;

--
-- Name: FUNCTION events_kept_at_most(); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.events_kept_at_most() FROM PUBLIC;

--
-- Name: FUNCTION events_kept_for(); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.events_kept_for() FROM PUBLIC;

--
-- Name: FUNCTION forget_users(users uuid[]); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.forget_users(users uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.forget_users(users uuid[]) TO kith_runtime;

--
-- Name: FUNCTION mailbox(canonical text); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.mailbox(canonical text) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.mailbox(canonical text) TO kith_runtime;
GRANT ALL ON FUNCTION kith.mailbox(canonical text) TO kith_reader;

--
-- Name: FUNCTION part_users(merge uuid); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.part_users(merge uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.part_users(merge uuid) TO kith_runtime;

--
-- Name: FUNCTION place_events(at_most integer, OUT last_place bigint, OUT placed integer); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.place_events(at_most integer, OUT last_place bigint, OUT placed integer) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.place_events(at_most integer, OUT last_place bigint, OUT placed integer) TO kith_runtime;

--
-- Name: FUNCTION refuse_audit_change(); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.refuse_audit_change() FROM PUBLIC;

--
-- Name: FUNCTION uuid_time(id uuid); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.uuid_time(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.uuid_time(id uuid) TO kith_runtime;
GRANT ALL ON FUNCTION kith.uuid_time(id uuid) TO kith_reader;

--
-- Name: FUNCTION verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint) TO kith_runtime;
GRANT ALL ON FUNCTION kith.verify_audit(OUT ok boolean, OUT checked bigint, OUT first_bad bigint) TO kith_reader;

--
-- Name: FUNCTION verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean) TO kith_runtime;
GRANT ALL ON FUNCTION kith.verify_audit_part(after_seq bigint, after_hash bytea, at_most integer, OUT checked bigint, OUT first_bad bigint, OUT last_seq bigint, OUT last_hash bytea, OUT at_end boolean) TO kith_reader;

--
-- Name: FUNCTION wire_time(at timestamp with time zone); Type: ACL; Schema: kith; Owner: kith_owner
--

REVOKE ALL ON FUNCTION kith.wire_time(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION kith.wire_time(at timestamp with time zone) TO kith_runtime;
GRANT ALL ON FUNCTION kith.wire_time(at timestamp with time zone) TO kith_reader;

--
-- Name: TABLE audit; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT ON TABLE kith.audit TO kith_runtime;
GRANT SELECT ON TABLE kith.audit TO kith_reader;

--
-- Name: TABLE challenges; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.challenges TO kith_runtime;

--
-- Name: COLUMN challenges.attempts; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(attempts) ON TABLE kith.challenges TO kith_runtime;

--
-- Name: COLUMN challenges.used_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(used_at) ON TABLE kith.challenges TO kith_runtime;

--
-- Name: TABLE consumers; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.consumers TO kith_runtime;
GRANT SELECT ON TABLE kith.consumers TO kith_reader;

--
-- Name: COLUMN consumers.place; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(place) ON TABLE kith.consumers TO kith_runtime;

--
-- Name: COLUMN consumers.used_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(used_at) ON TABLE kith.consumers TO kith_runtime;

--
-- Name: TABLE credential_history; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.credential_history TO kith_runtime;

--
-- Name: TABLE credentials; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.label; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(label) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.user_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(user_id) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.attributes; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(attributes) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.version; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(version) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.sealed; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(sealed) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.key_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(key_id) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.updated_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(updated_at) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: COLUMN credentials.expires_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(expires_at) ON TABLE kith.credentials TO kith_runtime;

--
-- Name: TABLE database; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT ON TABLE kith.database TO kith_runtime;
GRANT SELECT ON TABLE kith.database TO kith_reader;

--
-- Name: TABLE email_tokens; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.email_tokens TO kith_runtime;

--
-- Name: COLUMN email_tokens.token_sha256; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(token_sha256) ON TABLE kith.email_tokens TO kith_runtime;

--
-- Name: COLUMN email_tokens.epoch; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(epoch) ON TABLE kith.email_tokens TO kith_runtime;

--
-- Name: COLUMN email_tokens.expires_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(expires_at) ON TABLE kith.email_tokens TO kith_runtime;

--
-- Name: COLUMN email_tokens.used_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(used_at) ON TABLE kith.email_tokens TO kith_runtime;

--
-- Name: TABLE emails; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.emails TO kith_runtime;
GRANT SELECT ON TABLE kith.emails TO kith_reader;

--
-- Name: COLUMN emails.email; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email) ON TABLE kith.emails TO kith_runtime;

--
-- Name: COLUMN emails.vouched_by; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(vouched_by) ON TABLE kith.emails TO kith_runtime;

--
-- Name: COLUMN emails.vouched_by_token; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(vouched_by_token) ON TABLE kith.emails TO kith_runtime;

--
-- Name: TABLE event_log; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT ON TABLE kith.event_log TO kith_runtime;
GRANT SELECT ON TABLE kith.event_log TO kith_reader;

--
-- Name: TABLE events; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.events TO kith_runtime;
GRANT SELECT ON TABLE kith.events TO kith_reader;

--
-- Name: TABLE functions; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT ON TABLE kith.functions TO kith_runtime;
GRANT SELECT ON TABLE kith.functions TO kith_reader;

--
-- Name: TABLE identities; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.identities TO kith_runtime;
GRANT SELECT ON TABLE kith.identities TO kith_reader;

--
-- Name: COLUMN identities.user_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(user_id) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.email; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.email_canonical; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email_canonical) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.email_verified; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email_verified) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.is_private_email; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(is_private_email) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.linked_by; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(linked_by) ON TABLE kith.identities TO kith_runtime;

--
-- Name: COLUMN identities.user_status; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(user_status) ON TABLE kith.identities TO kith_runtime;

--
-- Name: TABLE keys; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.keys TO kith_runtime;

--
-- Name: TABLE last_sign_ins; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.last_sign_ins TO kith_runtime;
GRANT SELECT ON TABLE kith.last_sign_ins TO kith_reader;

--
-- Name: COLUMN last_sign_ins.at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(at) ON TABLE kith.last_sign_ins TO kith_runtime;

--
-- Name: TABLE merged_credentials; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merged_credentials TO kith_runtime;
GRANT SELECT ON TABLE kith.merged_credentials TO kith_reader;

--
-- Name: TABLE merged_emails; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merged_emails TO kith_runtime;
GRANT SELECT ON TABLE kith.merged_emails TO kith_reader;

--
-- Name: TABLE merged_identities; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merged_identities TO kith_runtime;
GRANT SELECT ON TABLE kith.merged_identities TO kith_reader;

--
-- Name: TABLE merged_reports; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merged_reports TO kith_runtime;
GRANT SELECT ON TABLE kith.merged_reports TO kith_reader;

--
-- Name: COLUMN merged_reports.at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(at) ON TABLE kith.merged_reports TO kith_runtime;

--
-- Name: TABLE merged_users; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merged_users TO kith_runtime;
GRANT SELECT ON TABLE kith.merged_users TO kith_reader;

--
-- Name: TABLE merges; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.merges TO kith_runtime;
GRANT SELECT ON TABLE kith.merges TO kith_reader;

--
-- Name: COLUMN merges.state; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(state) ON TABLE kith.merges TO kith_runtime;

--
-- Name: COLUMN merges.undone_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(undone_at) ON TABLE kith.merges TO kith_runtime;

--
-- Name: COLUMN merges.undone_by; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(undone_by) ON TABLE kith.merges TO kith_runtime;

--
-- Name: COLUMN merges.undo_reason; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(undo_reason) ON TABLE kith.merges TO kith_runtime;

--
-- Name: TABLE migrations; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT ON TABLE kith.migrations TO kith_runtime;
GRANT SELECT ON TABLE kith.migrations TO kith_reader;

--
-- Name: TABLE namespaces; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.namespaces TO kith_runtime;
GRANT SELECT ON TABLE kith.namespaces TO kith_reader;

--
-- Name: TABLE registrations; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.version; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(version) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.sealed; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(sealed) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.key_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(key_id) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.email_index; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email_index) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.link; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(link) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.caller; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(caller) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.attempts; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(attempts) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.last_reason; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(last_reason) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.said_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(said_at) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.email_said_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(email_said_at) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.expires_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(expires_at) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.user_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(user_id) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: COLUMN registrations.completed_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(completed_at) ON TABLE kith.registrations TO kith_runtime;

--
-- Name: TABLE removed_emails; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.removed_emails TO kith_runtime;
GRANT SELECT ON TABLE kith.removed_emails TO kith_reader;

--
-- Name: COLUMN removed_emails.at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(at) ON TABLE kith.removed_emails TO kith_runtime;

--
-- Name: COLUMN removed_emails.by_merge; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(by_merge) ON TABLE kith.removed_emails TO kith_runtime;

--
-- Name: TABLE request_keys; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.request_keys TO kith_runtime;

--
-- Name: COLUMN request_keys.sealed; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(sealed) ON TABLE kith.request_keys TO kith_runtime;

--
-- Name: COLUMN request_keys.key_id; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(key_id) ON TABLE kith.request_keys TO kith_runtime;

--
-- Name: TABLE unlinked; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT,DELETE ON TABLE kith.unlinked TO kith_runtime;
GRANT SELECT ON TABLE kith.unlinked TO kith_reader;

--
-- Name: COLUMN unlinked.at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(at) ON TABLE kith.unlinked TO kith_runtime;

--
-- Name: COLUMN unlinked.by_merge; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(by_merge) ON TABLE kith.unlinked TO kith_runtime;

--
-- Name: TABLE users; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT SELECT,INSERT ON TABLE kith.users TO kith_runtime;
GRANT SELECT ON TABLE kith.users TO kith_reader;

--
-- Name: COLUMN users.status; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(status) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.merged_into; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(merged_into) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.epoch; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(epoch) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.profile; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(profile) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.search_name; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(search_name) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.disabled_reason; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(disabled_reason) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.updated_at; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(updated_at) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.disabled_by_merge; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(disabled_by_merge) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.match_name; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(match_name) ON TABLE kith.users TO kith_runtime;

--
-- Name: COLUMN users.match_birthday; Type: ACL; Schema: kith; Owner: kith_owner
--

GRANT UPDATE(match_birthday) ON TABLE kith.users TO kith_runtime;

--
-- PostgreSQL database dump complete
--

