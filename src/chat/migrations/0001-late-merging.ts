export const sql = `
-- A bulk job leaves many segments, which are merged once, after it: FTS5 would merge them again and again meanwhile.
insert into message_words (message_words, rank) values ('crisismerge', 256);
insert into message_term_parts (message_term_parts, rank) values ('crisismerge', 256);
`;
