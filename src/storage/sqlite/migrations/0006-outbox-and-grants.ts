export const sql = `
alter table outbox add column lane text;
create index outbox_lanes on outbox (source, lane, position) where state = 'queued';
create index outbox_finished on outbox (changed_at) where state in ('sent', 'failed', 'discarded');

alter table tokens add column chats text; -- JSON lists of chats that it may read and send to; null is all
alter table tokens add column send_chats text;
alter table tokens add column policy text; -- what may leave on its behalf, JSON; null is as the general policy says
`;
