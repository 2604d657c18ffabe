export const sql = `
create table chat_sources (
  key integer primary key,
  id text not null unique
) strict;

create table chat_added_sources (
  id text primary key,
  kind text not null,
  name text not null,
  settings text not null,
  created_at integer not null
) strict;

create table chats (
  key integer primary key,
  source integer not null references chat_sources (key),
  id text not null, -- the network's
  name text, -- null where the network does not say
  folded_name text not null,
  type text not null,
  participant_count integer,
  last_at integer not null, -- -1 where nothing was said
  messages integer not null,
  unique (source, id)
) strict;
create index chats_by_activity on chats (source, last_at, key);

create table senders (
  key integer primary key,
  source integer not null references chat_sources (key),
  id text not null,
  name text not null,
  folded_name text not null,
  unique (source, id)
) strict;

create table messages (
  id integer primary key, -- grows with time
  chat integer not null,
  sender integer not null,
  external_id text not null,
  at integer not null,
  own integer not null,
  content_type text not null,
  text text not null,
  reply_to text, -- the network's id
  edited_at integer,
  deleted_at integer,
  extra text -- attachments and reactions, as JSON
) strict;
create unique index messages_by_external_id on messages (chat, external_id);
create index messages_by_chat on messages (chat, id, sender); -- so that it alone tells who takes part
create index message_answers on messages (chat, reply_to) where reply_to is not null;

-- What a message says and where it belongs, as words that were cut by ourselves: spaces are all that is left to do.
create virtual table message_words using fts5 (
  words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

-- Every word that was ever said, once, and the threes of characters in it: where a part of a word is looked up.
create table message_terms (
  key integer primary key,
  term text not null unique
) strict;
create virtual table message_term_parts using fts5 (
  term, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

-- The index is put in order in small steps of their own: what FTS5 does by itself, within other transactions, takes too
-- long at a time.
insert into message_words (message_words, rank) values ('automerge', 0);
insert into message_words (message_words, rank) values ('deletemerge', 0);
insert into message_term_parts (message_term_parts, rank) values ('deletemerge', 0);

-- 'drift': how far an id is at most from its moment. 'vocabulary': grows when terms are taken out. 'forgotten':
-- messages that are gone and not yet cleared away.
create table message_marks (
  name text primary key,
  value integer not null
) strict;
insert into message_marks (name, value) values ('drift', 0), ('vocabulary', 0), ('forgotten', 0);

-- Edits, deletions and reactions that came before their message.
create table message_changes (
  position integer primary key autoincrement,
  source integer not null references chat_sources (key),
  chat text not null,
  message text not null,
  received_at integer not null,
  event text not null
) strict;
create index message_changes_by_message on message_changes (source, chat, message);

create table chat_timelines (
  source text not null,
  id text not null,
  newest text,
  oldest text,
  complete integer not null,
  chat text,
  primary key (source, id)
) strict, without rowid;

create table chat_memory (
  source text not null,
  key text not null,
  value text not null,
  primary key (source, key)
) strict;
`;
