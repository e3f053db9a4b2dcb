-- Why: a name in Hangul, Han or Kana is said in one word and family name first, and a given name stands beside a whole one
-- that does not show it. Users who are there already are to be found by what they are called, as those who come now.

comment on column kith.users.search_name is
  'What a name is searched by, folded: its own words on the first line, what else the person is called on a second.';

-- Folding is the daemon's, so what has case is taken here in ASCII alone; the rest comes with the next change of the
-- profile. A family name has one syllable, or two in those that are named here.
update kith.users u set search_name = u.search_name || chr(10) || f.words
from (
  select n.id, string_agg(distinct w.word, ' ') as words
  from (
    select u.id, u.search_name, normalize(u.profile #>> '{name,given}') as given,
      normalize(u.profile #>> '{name,family}') as family, normalize(u.profile #>> '{name,full}') as whole
    from kith.users u where u.search_name <> '' and strpos(u.search_name, chr(10)) = 0
  ) n
  cross join lateral (
    select lower(p.part) as called
    from (values (n.given), (n.family)) p (part)
    where n.whole is not null and p.part ~ '^([ -~]+|[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\U00020000-\U000323AF]+)$'
    union all
    select n.family || n.given
    where n.whole is null
      and n.family ~ '^[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\U00020000-\U000323AF]+$'
      and n.given ~ '^[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\U00020000-\U000323AF]+$'
    union all
    select replace(n.whole, ' ', '')
    where n.whole ~ '^[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\U00020000-\U000323AF]+( +[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\U00020000-\U000323AF]+)+$'
    union all
    select regexp_replace(n.whole, '^(남궁|황보|제갈|사공|독고|선우|서문|동방)(?=.)|^.', '')
    where n.whole ~ '^[\uAC00-\uD7A3]{2,5}$'
  ) c
  cross join lateral regexp_split_to_table(c.called, '\s+') w (word)
  where w.word <> '' and w.word <> all (regexp_split_to_array(n.search_name, '\s+'))
  group by n.id
) f
where u.id = f.id and octet_length(u.search_name) + octet_length(f.words) < 4096;
