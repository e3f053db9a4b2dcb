-- The three roles of Kith. A cluster may hold several databases of Kith, so a role may exist already, or be made by
-- somebody else at this very moment; both are fine. Making one needs CREATEROLE; where an administrator has made all
-- three beforehand, no right beyond that of kith_owner is needed here.
--
--   kith_owner    owns everything in the schema and migrates it
--   kith_runtime  is what kithd serves as: it cannot change the schema or the audit trail
--   kith_reader   looks, for reports and support

do $roles$
declare
  wanted text;
begin
  foreach wanted in array array['kith_owner', 'kith_runtime', 'kith_reader'] loop
    continue when exists (select from pg_catalog.pg_roles where rolname = wanted);
    begin
      execute format('create role %I login', wanted);
    exception
      when duplicate_object or unique_violation then continue;
    end;
    -- A daemon that hangs may not hold others up. kithd sets its own limits when it connects; these stand for whoever
    -- else comes as this role.
    if wanted = 'kith_runtime' then
      alter role kith_runtime set statement_timeout = '5s';
      alter role kith_runtime set lock_timeout = '3s';
      alter role kith_runtime set idle_in_transaction_session_timeout = '10s';
    end if;
  end loop;

  -- Whoever migrates takes the owner's place; a superuser may do so anyway.
  if not pg_has_role('kith_owner', 'member') then
    execute format('grant kith_owner to %I', current_user);
  end if;

  if not has_database_privilege('kith_owner', current_database(), 'create') then
    execute format('grant create on database %I to kith_owner', current_database());
  end if;
end
$roles$;
