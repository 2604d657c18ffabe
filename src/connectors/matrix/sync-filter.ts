/** Events per room in a sync; the rest is requested separately. */
const MAX_EVENTS = 100;

const NOTHING = { not_types: ['*'] };
/** State events that determine name, type, members and replacement of a room. */
const STATE = [
  'm.room.create',
  'm.room.name',
  'm.room.canonical_alias',
  'm.room.encryption',
  'm.room.member',
  'm.room.tombstone',
];

/** For a new account: messages are fetched as history. */
export const FIRST_FILTER = filter(1);
export const LIVE_FILTER = filter(MAX_EVENTS);

/** Only what is used. Members are loaded lazily, because large rooms have thousands. */
function filter(mostEvents: number): string {
  return JSON.stringify({
    presence: NOTHING,
    account_data: { types: ['m.direct'] },
    room: {
      account_data: NOTHING,
      ephemeral: NOTHING,
      state: { types: STATE, lazy_load_members: true, include_redundant_members: true },
      timeline: { limit: mostEvents, lazy_load_members: true, include_redundant_members: true },
    },
  });
}
