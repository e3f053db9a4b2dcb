extension Load {
  /// As many statements as `merge.run` has, which read and write about the same rows, one after the other. Only the audit
  /// trail is left out, whose end one transaction holds locked at a time: another event is written instead.
  static let mergeScript = #"""
    \set n :n + 1
    \set q :base + :n * :clients + :client_id
    select '01' || :q::text || '70008000000000000001' as s, '01' || :q::text || '70008000000000000002' as a,
      gen_random_uuid() as m \gset
    begin;
    with concerned as materialized (
      select uuid_hash_extended(u.id, 0) as name from unnest(array[:s::uuid, :a::uuid]) u (id) order by name
    )
    select pg_advisory_xact_lock(c.name) from concerned c;
    select id, status, merged_into, profile, disabled_by_merge from kith.users where id in (:s::uuid, :a::uuid)
    order by id for update;
    select id, access_group, account, service from kith.credentials where user_id = :a::uuid;
    select id, user_id, email, email_verified from kith.identities where user_id in (:s::uuid, :a::uuid);
    select user_id, canonical, vouched_by, vouched_by_token from kith.emails where user_id in (:s::uuid, :a::uuid);
    select id, state, at from kith.merges where plan_sha256 = sha256(:m::text::bytea);
    select pg_current_xact_id();
    insert into kith.merges (id, survivor, absorbed, reason, caller, at, identities, emails, credentials, registrations,
      credentials_left, absorbed_status, filled, plan_sha256)
    values (:m::uuid, :s::uuid, :a::uuid, 'One person.', 'bench', now(), 2, 2, 0, 0, 0, 'active', '{}',
      sha256(:m::text::bytea));
    insert into kith.merged_emails (merge_id, canonical, email, added_at, vouched_by, vouched_by_token)
    select :m::uuid, canonical, email, added_at, vouched_by, vouched_by_token from kith.emails where user_id = :a::uuid;
    update kith.users set epoch = epoch + 1, updated_at = now() where id = :s::uuid;
    with kept as (
      insert into kith.merged_identities (merge_id, identity_id, linked_by)
      select :m::uuid, id, linked_by from kith.identities where user_id = :a::uuid
    )
    update kith.identities set user_id = :s::uuid, linked_by = 'merge' where user_id = :a::uuid;
    delete from kith.emails where user_id = :a::uuid;
    insert into kith.emails (user_id, canonical, email, added_at, vouched_by, vouched_by_token)
    select :s::uuid, canonical, email, added_at, vouched_by, vouched_by_token
    from kith.merged_emails where merge_id = :m::uuid;
    delete from kith.removed_emails r using kith.merged_emails j
    where j.merge_id = :m::uuid and r.user_id = :s::uuid and r.canonical = j.canonical;
    insert into kith.removed_emails (user_id, canonical, at, by_merge)
    select :s::uuid, canonical, at, :m::uuid from kith.removed_emails where user_id = :a::uuid;
    insert into kith.unlinked (namespace_id, subject, user_id, at, by_merge)
    select namespace_id, subject, :s::uuid, at, :m::uuid from kith.unlinked where user_id = :a::uuid;
    update kith.users set merged_into = :s::uuid where merged_into = :a::uuid;
    update kith.users set status = 'merged', merged_into = :s::uuid, epoch = epoch + 1, updated_at = now()
    where id = :a::uuid;
    insert into kith.events (id, type, at, user_id, caller, data)
    values (gen_random_uuid(), 'user.merged', now(), :s::uuid, 'bench', json_build_object('merge_id', :m::uuid));
    insert into kith.events (id, type, at, user_id, caller, data)
    values (gen_random_uuid(), 'user.merged', now(), :s::uuid, 'bench', json_build_object('merge_id', :m::uuid));
    commit;

    """#
}
