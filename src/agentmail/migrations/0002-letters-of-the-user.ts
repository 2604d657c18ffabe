/**
 * The letters that the user wrote through this program. A mailbox is a file of a repository, where any letter can
 * claim to be the user's.
 */
export const sql = `
create table agentmail_own_letters (
  repository text not null,
  id text not null,
  digest text not null,
  stored_at integer not null,
  primary key (repository, id)
) strict, without rowid;
`;
