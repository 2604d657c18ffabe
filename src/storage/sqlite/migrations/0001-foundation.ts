export const sql = `
create table events (
  number integer primary key autoincrement, -- so that a number is never given twice, even when its event was pruned
  at integer not null,
  type text not null,
  subject text not null,
  data text not null
) strict;

create table outbox (
  position integer primary key,
  id text not null unique,
  kind text not null,
  source text not null,
  principal text not null,
  idempotency_key text,
  payload text not null,
  state text not null,
  attempts integer not null,
  created_at integer not null,
  changed_at integer not null,
  due_at integer not null,
  external_id text,
  reason text,
  unique (principal, kind, source, idempotency_key)
) strict;
create index outbox_queued on outbox (position, kind, due_at) where state = 'queued';
create index outbox_by_state on outbox (state, position);

create table sessions (
  id text primary key,
  state text not null,
  body text not null
) strict;
create index sessions_open on sessions (id) where state not in ('closing', 'closed');

create table audit (
  position integer primary key,
  at integer not null,
  principal text not null,
  door text not null,
  operation text not null,
  effect text not null,
  duration_ms real not null,
  result text not null
) strict;
create index audit_by_principal on audit (principal, position);
`;
