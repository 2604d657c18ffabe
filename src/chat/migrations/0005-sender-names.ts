export const sql = `
-- Trigrams of names and ids of senders, by which a part of one is found.
create virtual table sender_names using fts5 (
  name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
insert into sender_names (rowid, name) select key, folded_name || char(10) || lower(id) from senders;
`;
