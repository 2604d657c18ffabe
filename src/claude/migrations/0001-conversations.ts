export const sql = `
create table conversations (
  id text primary key,
  identity text not null,
  status text not null,
  turn text not null,
  title text not null,
  version integer not null,
  changed_at integer not null,
  body text not null
) strict;
create index conversations_by_change on conversations (changed_at, id);
create table conversation_messages (
  key integer primary key,
  conversation text not null references conversations (id),
  number integer not null,
  client_id text,
  text text not null,
  body text not null,
  unique (conversation, number)
) strict;
create unique index conversation_messages_by_client on conversation_messages (conversation, client_id)
  where client_id is not null;
create virtual table conversation_index using fts5 (
  text, content = 'conversation_messages', content_rowid = 'key', tokenize = 'unicode61 remove_diacritics 2'
);
`;
