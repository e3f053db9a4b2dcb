-- A time as the interface writes it: RFC 3339 in UTC, with milliseconds.
create or replace function kith.wire_time(at timestamptz) returns text
language sql immutable strict parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

revoke all on function kith.wire_time(timestamptz) from public;
grant execute on function kith.wire_time(timestamptz) to kith_runtime, kith_reader;
