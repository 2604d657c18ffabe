/** How many events of a room come by themselves; where there are more, the rest is asked for. */
const MAX_EVENTS = 100;

const NOTHING = { not_types: ['*'] };
/** The state that a room's name, kind and people are read from. */
const STATE = ['m.room.create', 'm.room.name', 'm.room.canonical_alias', 'm.room.encryption', 'm.room.member'];

/** For an account that is new to us: what has been said is fetched as history. */
export const FIRST_FILTER = filter(1);
export const LIVE_FILTER = filter(MAX_EVENTS);

/** Only what is read here. Members come when they speak: in large rooms there are thousands who never do. */
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
