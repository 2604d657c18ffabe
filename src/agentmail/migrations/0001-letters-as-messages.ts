/**
 * From here on letters are messages of the source `agentmail`. SQL cannot tokenize their text, so the rows of the
 * former index are copied when the store is first used, and the table is dropped then.
 */
export const sql = `
create table agentmail_replies (
  repository text not null,
  id text not null,
  in_reply_to text not null,
  primary key (repository, id)
) strict, without rowid;
create index agentmail_replies_by_answered on agentmail_replies (repository, in_reply_to);
insert into agentmail_replies (repository, id, in_reply_to)
  select repository, id, in_reply_to from agentmail_letters where in_reply_to is not null;

insert or ignore into agentmail_repositories (folder, seen_at) select distinct repository, 0 from agentmail_letters;

drop table agentmail_words;
drop index agentmail_letters_by_time;
drop index agentmail_letters_by_id;
drop index agentmail_answers;
alter table agentmail_letters rename to agentmail_letters_to_copy;
`;
