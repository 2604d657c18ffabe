export const sql = `
alter table tokens add column grants text; -- what other capabilities confine it to, JSON by name; null is nothing
`;
