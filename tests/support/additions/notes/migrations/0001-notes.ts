export const sql = `
create table notes (
  position integer primary key,
  text text not null,
  at integer not null
) strict;
`;
