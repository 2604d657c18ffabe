import { AppError } from '../../domain/errors.ts';

const ID = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;
const LONGEST_ID = 64;
/** Ids with another meaning. */
const RESERVED: ReadonlySet<string> = new Set(['demo', 'agentmail', 'human']);

type IsTaken = (id: string) => Promise<boolean>;

export function isAccountId(id: string): boolean {
  return ID.test(id) && id.length <= LONGEST_ID && !RESERVED.has(id);
}

/** Sources and accounts share their ids. */
export async function checkIsFree(id: string, isTaken: IsTaken): Promise<void> {
  if (!(await isTaken(id))) return;
  throw new AppError('CONFLICT', `There is an account or source '${id}' already.`, {
    field: 'id',
    hint: 'Choose another id with --id, or remove that one first.',
  });
}

/** An id for a new account: the name of its domain, with a number if that is taken. */
export async function freeId(email: string, isTaken: IsTaken): Promise<string> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const [label = ''] = domain.split('.');
  const base =
    label
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, LONGEST_ID - 4) || 'mail';
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (isAccountId(id) && !(await isTaken(id))) return id;
  }
}
