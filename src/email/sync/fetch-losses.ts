/** Where a connection was lost while emails were being fetched. */
export interface FetchLoss {
  folder: number;
  uidValidity: string;
  /** The first UID that was wanted. */
  from: number;
  /** The email, if it was asked for alone. */
  uid?: number;
}

/** What the next attempt does differently. */
export interface FetchCare {
  isCareful: boolean;
  /** UIDs that are left out. */
  unreadable: readonly number[];
}

/**
 * Remembers losses across connections. Some servers end the connection when an email is damaged, again at every attempt: after
 * several losses at the same place, emails are asked for one by one, and one that ends the connection repeatedly is left out.
 */
export interface FetchLosses {
  add(loss: FetchLoss): void;
  careFor(folder: number, uidValidity: string): FetchCare;
}

const LOSSES_UNTIL_CAREFUL = 2;
const LOSSES_UNTIL_UNREADABLE = 2;

export function createFetchLosses(): FetchLosses {
  const folders = new Map<string, { from: number; losses: number; emails: Map<number, number> }>();
  const keyOf = (folder: number, uidValidity: string) => `${folder} ${uidValidity}`;

  return {
    add({ folder, uidValidity, from, uid }) {
      const key = keyOf(folder, uidValidity);
      const { from: before, losses, emails } = folders.get(key) ?? { from, losses: 0, emails: new Map() };
      folders.set(key, { from, losses: before === from ? losses + 1 : 1, emails });
      if (uid !== undefined) emails.set(uid, (emails.get(uid) ?? 0) + 1);
    },
    careFor(folder, uidValidity) {
      const { losses = 0, emails = [] } = folders.get(keyOf(folder, uidValidity)) ?? {};
      return {
        isCareful: losses >= LOSSES_UNTIL_CAREFUL,
        unreadable: [...emails].filter(([, count]) => count >= LOSSES_UNTIL_UNREADABLE).map(([uid]) => uid),
      };
    },
  };
}
