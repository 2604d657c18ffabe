export const sql = `
-- Parts of words are merged a little with every batch, as words are, and never much at once.
insert into message_term_parts (message_term_parts, rank) values ('automerge', 0);
`;
