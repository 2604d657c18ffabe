export const sql = `
-- What only stretches a word in Arabic (U+0640) is no longer a part of folded names.
update chats set folded_name = replace(folded_name, char(1600), '') where instr(folded_name, char(1600)) > 0;
delete from sender_names where rowid in (select key from senders where instr(folded_name, char(1600)) > 0);
insert into sender_names (rowid, name)
  select key, replace(folded_name, char(1600), '') || char(10) || lower(id)
  from senders where instr(folded_name, char(1600)) > 0;
update senders set folded_name = replace(folded_name, char(1600), '') where instr(folded_name, char(1600)) > 0;
`;
