-- Why: whoever comes back from a merge has what was theirs, and the other keeps nothing of it. So what is done to them while
-- they are one has to be known by whose it was.

-- The merges that an identity went through.
create index moved_identities_are_found_by_identity on kith.merged_identities (identity_id);
