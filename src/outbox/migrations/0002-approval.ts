/** Rows from before have no identity: their submitter is known by name. */
export const sql = `
alter table outbox add column identity text; -- of the principal that submitted it
alter table outbox add column session text; -- in which it was submitted
alter table outbox add column approved_by text; -- name of the principal; null: not approved
alter table outbox add column held_because text; -- JSON list of {source, chat, name, at}: the chats the session had read

create table session_reads (
  session text not null,
  source text not null,
  chat text not null,
  name text not null,
  first_at integer not null,
  last_at integer not null,
  primary key (session, source, chat)
) strict, without rowid;
create index session_reads_by_age on session_reads (last_at);
`;
