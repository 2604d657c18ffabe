/** Before, the recipient's name was in the payload of a chat message, and its id in the payload and the lane. */
export const sql = `
alter table outbox add column recipients text not null default '[]'; -- JSON list of {id, name}
alter table outbox add column summary text not null default ''; -- one line for lists

update outbox set
  recipients = json_array(json_object(
    'id', json(coalesce(payload -> 'chat', json_quote(lane))),
    'name', json(coalesce(payload -> 'to', payload -> 'chat', json_quote(lane)))
  ))
where kind = 'chat' and coalesce(payload ->> 'chat', lane) is not null;

update outbox set
  summary = case
    when length(payload ->> 'text') > 200 then substr(payload ->> 'text', 1, 200) || '…'
    else payload ->> 'text'
  end,
  payload = json_remove(payload, '$.to')
where kind = 'chat' and payload ->> 'text' is not null;
`;
