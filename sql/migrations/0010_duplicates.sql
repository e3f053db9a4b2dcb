-- Why: one person may have come twice, by two providers, and nobody noticed. Who is probably whom is looked for along what
-- users may have in common, in the order of an index for each kind of it. What costs a new user something is kept small:
-- most claim no address, have no second spelling of their mailbox and no birthday, and stand in none of those indexes.

-- The mailbox that an address leads to: without the tag after a plus sign, and for Gmail without dots. It stands in an
-- index, so it never changes.
create function kith.mailbox(canonical text) returns text
language sql immutable parallel safe
return case
  when split_part(canonical, '@', 2) in ('gmail.com', 'googlemail.com') then
    replace(split_part(split_part(canonical, '@', 1), '+', 1), '.', '') || '@gmail.com'
  when strpos(canonical, '+') > 1 and strpos(canonical, '+') < strpos(canonical, '@') then
    split_part(canonical, '+', 1) || '@' || split_part(canonical, '@', 2)
  else canonical
end;

grant execute on function kith.mailbox(text) to kith_runtime, kith_reader;

create index addresses_are_found_by_mailbox on kith.emails (kith.mailbox(canonical), user_id)
  where kith.mailbox(canonical) <> canonical;

-- Those whose address Apple made up, to hide their own.
create index relay_addresses_are_found_by_user on kith.emails (user_id)
  where split_part(canonical, '@', 2) = 'privaterelay.appleid.com';

-- With the users, so that the index alone tells who shares an address, and whoever goes along it can jump over one that
-- thousands claim.
drop index kith.claims_are_found_by_address;
create index claims_are_found_by_address on kith.emails (canonical, user_id) where not verified;

-- What kithd makes of a name and of the details beside it, for comparing; '' for what cannot be compared. A name that may
-- be Korean is romanised, so that it is the same in Hangul and in Latin letters; a birthday is MM-DD or MM-DD-YYYY.
alter table kith.users
  add column match_name text collate "C" not null default '',
  add column match_birthday text collate "C" not null default '',
  add constraint a_match_name_has_at_most_255_bytes check (octet_length(match_name) <= 255),
  add constraint a_match_birthday_is_one
    check (match_birthday = '' or match_birthday ~ '^[0-9]{2}-[0-9]{2}(-[0-9]{4})?$'),
  add constraint an_erased_user_is_compared_with_nobody
    check (status <> 'erased' or (match_name = '' and match_birthday = ''));

create index users_are_compared_by_name on kith.users (match_name, id)
  where match_name <> '' and status in ('active', 'disabled');

create index users_are_compared_by_birthday on kith.users (match_name, match_birthday, id)
  where match_name <> '' and match_birthday <> '' and status in ('active', 'disabled');

grant update (match_name, match_birthday) on kith.users to kith_runtime;
