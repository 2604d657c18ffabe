export const sql = `
create table tokens (
  name text primary key,
  hash text not null unique, -- SHA-256 of the token, which itself is kept nowhere
  scopes text not null,
  agent text,
  created_at integer not null
) strict;
`;
