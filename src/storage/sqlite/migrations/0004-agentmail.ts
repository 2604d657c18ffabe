export const sql = `
create table agentmail_letters (
  position integer primary key,
  repository text not null,
  id text not null,
  sender text not null,
  recipient text not null,
  message text not null,
  created_at integer not null, -- 0 where the letter does not say
  in_reply_to text,
  unique (repository, id)
) strict;
create index agentmail_letters_by_time on agentmail_letters (created_at, position);
create index agentmail_letters_by_id on agentmail_letters (id);
create index agentmail_answers on agentmail_letters (repository, in_reply_to) where in_reply_to is not null;
create virtual table agentmail_words using fts5 (
  message, content = 'agentmail_letters', content_rowid = 'position', tokenize = 'unicode61 remove_diacritics 2'
);

create table agentmail_marks (
  path text primary key,
  bytes integer not null,
  line_start integer not null,
  last_id text not null
) strict;

create table agentmail_repositories (
  folder text primary key,
  seen_at integer not null
) strict;

create table agentmail_sessions (
  folder text not null references agentmail_repositories (folder) on delete cascade,
  tmux text not null,
  pane text not null,
  seen_at integer not null,
  primary key (folder, tmux, pane)
) strict;
`;
