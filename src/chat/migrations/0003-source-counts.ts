export const sql = `
-- Kept together with the counts of its chats, so that their sum is never needed.
alter table chat_sources add column messages integer not null default 0;
update chat_sources set messages = (select coalesce(sum(messages), 0) from chats where source = chat_sources.key);

-- Whether any history of a source is still to be fetched.
create index chat_timelines_to_fetch on chat_timelines (source) where complete = 0;
`;
