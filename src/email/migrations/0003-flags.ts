export const sql = `
-- Flags change often, and others of the same moment are changed with them: in short rows they are on few pages.
alter table emails rename to email_contents;
drop index unread_emails;
drop index flagged_emails;
drop index discarded_emails;
create table emails (
  message integer primary key references messages (id) on delete cascade,
  account integer not null, -- that of its contents, which searches check
  flags text not null, -- separated by spaces
  is_seen integer not null,
  is_flagged integer not null,
  is_discarded integer not null -- only in the trash or among junk
) strict;
insert into emails (message, account, flags, is_seen, is_flagged, is_discarded)
  select message, account, flags, is_seen, is_flagged, is_discarded from email_contents order by message;
create index unread_emails on emails (message) where is_seen = 0;
create index flagged_emails on emails (message) where is_flagged = 1;
create index discarded_emails on emails (message) where is_discarded = 1;
alter table email_contents drop column flags;
alter table email_contents drop column is_seen;
alter table email_contents drop column is_flagged;
alter table email_contents drop column is_discarded;
`;
