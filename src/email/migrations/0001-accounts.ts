export const sql = `
create table email_accounts (
  id text primary key,
  settings text not null, -- JSON, as in the configuration, without secrets
  created_at integer not null
) strict;
`;
