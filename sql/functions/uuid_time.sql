-- When a version 7 UUID was made, to the millisecond: the creation time of a user is the time in its id.
create or replace function kith.uuid_time(id uuid) returns timestamptz
language sql immutable strict parallel safe
return to_timestamp(('x' || encode(substring(uuid_send(id) from 1 for 6), 'hex'))::bit(48)::bigint / 1000.0);

revoke all on function kith.uuid_time(uuid) from public;
grant execute on function kith.uuid_time(uuid) to kith_runtime, kith_reader;
