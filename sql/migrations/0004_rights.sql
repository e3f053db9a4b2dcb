-- Why: the daemon's role gets what it uses and no more, so that a flaw in the daemon cannot rewrite what identifies
-- people or what was recorded about them. Columns that are never changed are not granted.

alter default privileges for role kith_owner revoke execute on functions from public;

grant usage on schema kith to kith_runtime, kith_reader;

grant select on kith.database, kith.migrations, kith.functions to kith_runtime, kith_reader;

grant select, insert on kith.namespaces to kith_runtime;
grant select, insert on kith.users to kith_runtime;
grant update (status, epoch, profile, search_name, disabled_reason, updated_at) on kith.users to kith_runtime;
grant select, insert, delete on kith.identities to kith_runtime;
grant update (email, email_canonical, email_verified, is_private_email) on kith.identities to kith_runtime;
grant select, insert on kith.last_sign_ins to kith_runtime;
grant update (at) on kith.last_sign_ins to kith_runtime;
grant select, insert, delete on kith.emails to kith_runtime;
grant update (email, vouched_by, vouched_by_token) on kith.emails to kith_runtime;
grant select, insert, delete on kith.unlinked to kith_runtime;
grant select, insert, delete on kith.challenges to kith_runtime;
grant update (attempts, used_at) on kith.challenges to kith_runtime;
grant select, insert, delete on kith.request_keys to kith_runtime;
grant select, insert on kith.events to kith_runtime;
grant select on kith.audit to kith_runtime;

grant select on
  kith.namespaces, kith.users, kith.identities, kith.last_sign_ins, kith.emails, kith.unlinked, kith.events, kith.audit
to kith_reader;
