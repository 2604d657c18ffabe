export const sql = `
alter table sessions add column active_at integer not null default 0;
update sessions set active_at = coalesce(json_extract(body, '$.createdAt'), 0);
`;
