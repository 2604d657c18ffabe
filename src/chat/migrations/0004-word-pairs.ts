export const sql = `
-- Ends and beginnings of words and signs that are beside each other. Written in the background.
create virtual table message_pairs using fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
insert into message_pairs (message_pairs, rank) values ('automerge', 0), ('deletemerge', 0), ('crisismerge', 256);

-- Messages that are not in it yet.
create table message_pairs_pending (id integer primary key) strict;
insert into message_pairs_pending select id from messages;

-- How many messages there were when the indexes were last merged into one segment each.
insert into message_marks (name, value) values ('merged', 0);
`;
