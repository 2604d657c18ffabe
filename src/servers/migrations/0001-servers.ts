export const sql = `
create table servers (
  position integer primary key autoincrement,
  id text not null unique,
  config text not null,
  stopped_by_hand integer not null default 0,
  created_at integer not null,
  manifest text,
  pins text
) strict;
`;
