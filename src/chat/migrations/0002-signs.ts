export const sql = `
-- Messages up to this id are indexed with their signs, and ß as ss. Older stores are indexed again in the background.
insert into message_marks (name, value)
  select 'signs', case when exists (select 1 from messages) then 0 else 9007199254740991 end;
`;
