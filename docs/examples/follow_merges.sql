-- An app's own tables, in SQLite; in PostgreSQL they are the same.
create table if not exists orders (
  id integer primary key,
  -- Whose it is now: the id that Kith knows the person by.
  user_id text not null,
  -- Whose it was when it was made; never changed, so that anybody can see what happened.
  original_user_id text not null,
  what text not null
);
create index if not exists orders_of_user on orders (user_id);

-- What each merge moved, so that undoing it takes back just that: what the person ordered since stays where it is.
create table if not exists moved_orders (
  merge_id text not null,
  order_id integer not null references orders (id),
  primary key (merge_id, order_id)
);

-- Events that were applied: each comes at least once, and is applied once.
create table if not exists applied_events (
  event_id text primary key
);
