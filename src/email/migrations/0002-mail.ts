export const sql = `
-- All emails of a folder with low <= UID < high are stored.
create table email_folders (
  key integer primary key,
  account text not null,
  path text not null,
  role text,
  uid_validity text,
  modseq text,
  low integer not null,
  high integer not null,
  unique (account, path)
) strict;

-- What only emails have. Subject, sender and recipients are in the message, because they are searched.
create table emails (
  message integer primary key references messages (id) on delete cascade,
  account integer not null references chat_sources (key),
  identity text not null, -- a hash of its content: the same in every folder
  server_id text, -- the server's own id, where it has one
  rfc_id text,
  in_reply_to text,
  refs text not null, -- ids, separated by spaces
  headers text not null, -- JSON
  attachments text, -- JSON
  flags text not null, -- separated by spaces
  is_seen integer not null,
  is_flagged integer not null,
  is_discarded integer not null, -- only in the trash or among junk
  size integer not null,
  received_at integer not null,
  unique (account, identity)
) strict;
create index emails_by_rfc_id on emails (account, rfc_id);
create index emails_by_server_id on emails (account, server_id) where server_id is not null;
create index unread_emails on emails (message) where is_seen = 0;
create index flagged_emails on emails (message) where is_flagged = 1;
create index discarded_emails on emails (message) where is_discarded = 1;

create table email_locations (
  folder integer not null references email_folders (key) on delete cascade,
  uid integer not null,
  message integer not null references emails (message) on delete cascade,
  primary key (folder, uid)
) strict, without rowid;
create index email_locations_by_message on email_locations (message, folder);

-- Emails that are in no folder any more, until all folders were looked at.
create table email_unlocated (
  message integer primary key references emails (message) on delete cascade
) strict;

-- The conversation of each Message-ID, also of those that were only referred to.
create table email_threads (
  account integer not null references chat_sources (key) on delete cascade,
  rfc_id text not null,
  chat text not null,
  primary key (account, rfc_id)
) strict, without rowid;
create index email_threads_by_chat on email_threads (account, chat);
`;
