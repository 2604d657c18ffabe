export const sql = `
alter table audit add column identity text; -- the beginning of the principal's identity: tells tokens of one name apart
alter table audit add column session text;
alter table audit add column object text; -- JSON: what the call named, as ids and names; never content
alter table audit add column reason text; -- why it was refused
`;
