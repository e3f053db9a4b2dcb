\ir preamble.psql
select plan(31);

select pg_temp.add_user(n) from generate_series(1, 3) as n;
select pg_temp.add_identity(1, 1, 'subject');

select pg_temp.refuses($$select pg_temp.add_identity(2, 2, 'subject')$$, 'identity_belongs_to_one_user');
select pg_temp.refuses($$select pg_temp.add_identity(1, 2, 'other')$$, 'an_identity_id_is_used_once');
select pg_temp.refuses($$select pg_temp.add_identity(9, 9, 'nobody')$$, 'an_identity_has_a_user');
select pg_temp.refuses(
  $$insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
    values (-1, 's', pg_temp.u(1), pg_temp.i(9), now(), 'register')$$,
  'an_identity_has_a_namespace');
select lives_ok($$select pg_temp.add_identity(3, 2, 'Subject')$$, 'subjects that differ in case are two');
select lives_ok($$select pg_temp.add_identity(4, 2, U&'\212A')$$, 'a kelvin sign is a subject');
select lives_ok($$select pg_temp.add_identity(5, 2, 'K')$$, 'and no letter K');
select lives_ok($$select pg_temp.add_identity(6, 2, U&'e\0301')$$, 'a decomposed letter is a subject');
select lives_ok($$select pg_temp.add_identity(7, 2, U&'\00e9')$$, 'and not the composed one');
select lives_ok(
  $$insert into kith.identities (namespace_id, subject, user_id, id, linked_at, linked_by)
    values (pg_temp.namespace('linkedin'), 'subject', pg_temp.u(2), pg_temp.i(8), now(), 'link')$$,
  'the same subject in another namespace is another identity');
select pg_temp.refuses($$select pg_temp.add_identity(20, 1, '')$$, 'a_subject_has_1_to_255_bytes');
select pg_temp.refuses($$select pg_temp.add_identity(20, 1, repeat('é', 128))$$, 'a_subject_has_1_to_255_bytes');
select lives_ok($$select pg_temp.add_identity(21, 1, repeat('x', 255))$$, 'a subject may have 255 bytes');

select pg_temp.refuses(
  format('update kith.identities set email = %L, email_canonical = %L where id = pg_temp.i(1)', '', 'a@example.org'),
  'an_identity_email_has_1_to_1024_bytes');
select pg_temp.refuses(
  format('update kith.identities set email = %L, email_canonical = %L where id = pg_temp.i(1)',
    repeat('x', 1025), 'a@example.org'),
  'an_identity_email_has_1_to_1024_bytes');
select pg_temp.refuses(
  format('update kith.identities set email = %L, email_canonical = %L where id = pg_temp.i(1)',
    'a@example.org', repeat('x', 255)),
  'an_identity_email_is_canonical_within_254_bytes');
select pg_temp.refuses(
  $$update kith.identities set email = 'a@example.org' where id = pg_temp.i(1)$$, 'an_identity_email_has_both_forms');
select pg_temp.refuses(
  $$update kith.identities set email_verified = true where id = pg_temp.i(1)$$,
  'an_identity_says_verified_of_an_email');
select pg_temp.refuses(
  $$update kith.identities set linked_by = 'magic' where id = pg_temp.i(1)$$, 'an_identity_was_linked_in_a_known_way');
select lives_ok(
  $$update kith.identities set linked_by = way
    from unnest(array['register', 'email', 'confirm', 'link', 'merge', 'import']) as way where id = pg_temp.i(1)$$,
  'every way of linking is known');
select lives_ok(
  format(
    $$insert into kith.identities
        (namespace_id, subject, user_id, id, email, email_canonical, email_verified, is_private_email, linked_at, linked_by)
      values (pg_temp.namespace(), %L, pg_temp.u(1), pg_temp.i(22), %L, %L, true, true, now(), 'register')$$,
    -- Random, because text that compresses would not prove it.
    (select string_agg(chr(97 + (random() * 25)::integer), '') from generate_series(1, 255)),
    (select string_agg(chr(97 + (random() * 25)::integer), '') from generate_series(1, 1024)),
    'a@example.org'),
  'the longest entry fits into the index');

select is(user_status, 'active', 'the status of the user is copied') from kith.identities where id = pg_temp.i(1);
update kith.users set status = 'disabled' where id = pg_temp.u(1);
select results_eq(
  $$select distinct user_status::text collate "default" from kith.identities where user_id = pg_temp.u(1)$$, array['disabled'],
  'disabling a user marks all its identities');
select is(user_status, 'active', 'and nobody else''s') from kith.identities where id = pg_temp.i(3);
select pg_temp.refuses($$select pg_temp.add_identity(23, 1, 'late')$$, 'an_identity_has_a_user');
update kith.users set status = 'active' where id = pg_temp.u(1);
select results_eq(
  $$select distinct user_status::text collate "default" from kith.identities where user_id = pg_temp.u(1)$$, array['active'],
  'enabling a user clears the mark');
select pg_temp.refuses(
  $$update kith.identities set user_status = 'disabled' where id = pg_temp.i(1)$$, 'an_identity_has_a_user');
select pg_temp.refuses(
  $$update kith.users set status = 'merged', merged_into = pg_temp.u(2) where id = pg_temp.u(1)$$,
  'a_merged_or_erased_user_has_no_identity');
select pg_temp.refuses(
  $$update kith.users set status = 'erased' where id = pg_temp.u(1)$$, 'a_merged_or_erased_user_has_no_identity');
select pg_temp.refuses($$delete from kith.users where id = pg_temp.u(1)$$, 'an_identity_has_a_user');

-- What a sign-in asks for comes from the index alone.
create function pg_temp.plan_of_sign_in() returns setof text language plpgsql as $$
begin
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  return query execute
    'explain select user_id, id, email, email_verified, is_private_email, linked_at, linked_by, user_status
     from kith.identities where namespace_id = 1 and subject = ''subject''';
end
$$;
select isnt_empty(
  $$select line from pg_temp.plan_of_sign_in() as line
    where line like '%Index Only Scan using identity_belongs_to_one_user%'$$,
  'a sign-in is one index-only scan');

select * from finish();
rollback;
