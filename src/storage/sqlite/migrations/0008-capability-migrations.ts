export const sql = `
-- From here on each capability numbers its own migrations from 1. Programs that know only the shared ones refuse this store.
create table capability_migrations (
  capability text not null,
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at integer not null,
  primary key (capability, number)
) strict, without rowid;
`;
