\ir preamble.psql
select plan(19);

select pg_temp.add_user(n) from generate_series(1, 2) as n;

select is(kith.mailbox(canonical), mailbox, 'the mailbox of ' || canonical)
from (values
  ('mira@example.org', 'mira@example.org'), ('mira+shop@example.org', 'mira@example.org'),
  ('m.ira@example.org', 'm.ira@example.org'), ('+mira@example.org', '+mira@example.org'),
  ('m.i.ra+a+b@gmail.com', 'mira@gmail.com'), ('mira@googlemail.com', 'mira@gmail.com'),
  ('mira@example+b.org', 'mira@example+b.org')
) as expected (canonical, mailbox);

-- Only addresses that lead elsewhere stand in the index of mailboxes, and it answers for them.
select pg_temp.add_email(1, 'mira+a@example.org');
select pg_temp.add_email(2, 'mira@example.org');
set local enable_seqscan = off;
select results_eq(
  $$select user_id from kith.emails
    where kith.mailbox(canonical) = 'mira@example.org' and kith.mailbox(canonical) <> canonical$$,
  array[pg_temp.u(1)], 'an address is found by its mailbox');

-- What goes along an index reads nothing but the index, and begins behind a key that many share.
create function pg_temp.plan_of(query text) returns text language plpgsql as $$
declare
  line text;
  lines text := '';
begin
  for line in execute 'explain (costs off) ' || query loop
    lines := lines || line || E'\n';
  end loop;
  return lines;
end
$$;
select matches(
  pg_temp.plan_of(query), '^Limit\n *-> *Index (Only )?Scan using ' || name || ' on [a-z]+ ?[a-z]*\n *Index Cond: \(ROW',
  name || ' is gone along')
from (values
  ('claims_are_found_by_address',
    $$select e.canonical, e.user_id from kith.emails e
      where not e.verified and (e.canonical, e.user_id) > ('a@example.org', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by e.canonical, e.user_id limit 10$$),
  ('addresses_are_found_by_mailbox',
    $$select kith.mailbox(e.canonical), e.user_id from kith.emails e
      where kith.mailbox(e.canonical) <> e.canonical
        and (kith.mailbox(e.canonical), e.user_id) > ('a@example.org', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by kith.mailbox(e.canonical), e.user_id limit 10$$),
  ('users_are_compared_by_name',
    $$select u.match_name, u.id from kith.users u
      where u.match_name <> '' and u.status in ('active', 'disabled')
        and (u.match_name, u.id) > ('mira okafor', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      order by u.match_name, u.id limit 10$$),
  ('users_are_compared_by_birthday',
    $$select u.match_name, u.match_birthday, u.id from kith.users u
      where u.match_name <> '' and u.match_birthday <> '' and u.status in ('active', 'disabled')
        and (u.match_name, u.match_birthday, u.id) > ('mira okafor', '10-01~', '00000000-0000-0000-0000-000000000000')
      order by u.match_name, u.match_birthday, u.id limit 10$$)
) as gone (name, query);

select is(match_name || match_birthday, '', 'a user without a name is compared with nobody')
from kith.users where id = pg_temp.u(1);
select lives_ok(
  $$update kith.users set match_name = '~gim hanul', match_birthday = '10-01-1990' where id = pg_temp.u(1)$$,
  'a name and a birthday to compare');
select lives_ok(
  $$update kith.users set match_birthday = '10-01' where id = pg_temp.u(1)$$, 'a birthday needs no year');
select pg_temp.refuses(
  $$update kith.users set match_birthday = '1990-10-01' where id = pg_temp.u(1)$$, 'a_match_birthday_is_one');
select pg_temp.refuses(
  $$update kith.users set match_name = repeat('x', 256) where id = pg_temp.u(1)$$,
  'a_match_name_has_at_most_255_bytes');
select pg_temp.refuses(
  $$update kith.users set status = 'erased' where id = pg_temp.u(1)$$, 'an_erased_user_is_compared_with_nobody');
select lives_ok(
  $$update kith.users set status = 'erased', match_name = '', match_birthday = '' where id = pg_temp.u(1)$$,
  'nothing to compare is left of an erased user');

select * from finish();
rollback;
