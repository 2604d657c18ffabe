import type { MailConnector, MailDiscovery } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import type { Log } from '../../lib/log.ts';
import { isAddress } from '../../settings.ts';
import type { AccountRepository } from '../ports.ts';
import { AccountSchema } from '../settings.ts';
import { type Account, type Accounts, presetOf, toAccount } from './account.ts';
import { checkIsFree, freeId } from './account-id.ts';
import { accountFailure, checkAccount } from './check-account.ts';
import { type ChosenServers, chooseServers, type ServersRequest } from './choose-servers.ts';
import type { MailAccess } from './mail-access.ts';
import { type AccountStep, ask, type SignInParts, type SignInRequest, signIn } from './sign-in.ts';

/** What is known of a new account; the rest is asked for. */
export interface AddRequest extends ServersRequest, SignInRequest {
  email?: string | undefined;
  id?: string | undefined;
  name?: string | undefined;
  fromName?: string | undefined;
  user?: string | undefined;
  /** An absolute path. */
  ca?: string | undefined;
  oauth?: { clientId?: string | undefined; provider?: 'google' | 'microsoft' | undefined; issuer?: string | undefined };
}

export interface AddParts extends Omit<SignInParts, 'access'> {
  mail(): Promise<MailConnector>;
  discovery(): Promise<MailDiscovery>;
  access: MailAccess;
  repository: AccountRepository;
  accounts: Pick<Accounts, 'list'>;
  /** Whether a source or an account has this id. */
  isTaken(id: string): Promise<boolean>;
  clock: Clock;
  log: Log;
}

/** Adds an account: finds its servers, signs in to them, and only then saves it. */
export async function* addAccount(
  request: AddRequest,
  parts: AddParts,
  signal: AbortSignal,
): Dialog<AccountStep, Account> {
  const email = (request.email ?? (yield ask('email', 'Email address'))).trim();
  if (!isAddress(email)) throw new AppError('VALIDATION_ERROR', 'This is no email address.', { field: 'email' });
  const id = request.id ?? (await newId(email, parts));
  await checkIsFree(id, parts.isTaken);
  const servers = yield* chooseServers(email, request, await parts.discovery(), signal);
  const { oauth, clientSecret } = yield* chooseOAuth(servers, request);
  const settings = settingsOf({ ...request, email, oauth }, servers);
  const account = toAccount(id, AccountSchema.parse(settings), 'store');
  try {
    const { credentials, keep } = yield* signIn(account, { ...request, clientSecret }, parts, signal);
    await checkAccount(account, credentials, parts, signal);
    await save(account, settings, parts, keep);
  } catch (error) {
    throw accountFailure(error, account);
  }
  return account;
}

/** Someone who adds an address again by mistake would fetch all its mail twice. */
async function newId(email: string, { accounts, isTaken }: AddParts): Promise<string> {
  const same = (await accounts.list()).find((account) => account.email.toLowerCase() === email.toLowerCase());
  if (!same) return freeId(email, isTaken);
  throw new AppError('CONFLICT', `The address is that of account '${same.id}' already.`, {
    field: 'email',
    hint: `Sign in to it with \`switchboard email login ${same.id}\`, or choose another id with --id to add it again.`,
  });
}

interface ChosenOAuth {
  oauth?: JsonObject;
  clientSecret?: string | undefined;
}

/** OAuth where a client or an authority is given, or the provider takes nothing else. */
async function* chooseOAuth(
  servers: ChosenServers,
  { oauth = {}, clientSecret }: AddRequest,
): Dialog<AccountStep, ChosenOAuth> {
  const preset = presetOf(servers);
  const isWanted = Object.values(oauth).some((value) => value !== undefined);
  if (!isWanted && (!preset || preset.password.isAccepted)) return {};
  const why = preset && !preset.password.isAccepted ? ` (${preset.name} ${preset.password.rule})` : '';
  const clientId = (oauth.clientId ?? (yield ask('client_id', `Id of your OAuth client${why}`))).trim();
  if (clientId === '')
    throw new AppError('VALIDATION_ERROR', 'OAuth needs the id of a client.', { field: 'client_id' });
  const secret =
    clientSecret ?? (yield ask('client_secret', 'Secret of your OAuth client (empty if it has none)', true));
  const { provider: authority, issuer } = oauth;
  return {
    oauth: {
      client_id: clientId,
      ...(authority === undefined ? {} : { provider: authority }),
      ...(issuer === undefined ? {} : { issuer }),
    },
    ...(secret.trim() === '' ? {} : { clientSecret: secret.trim() }),
  };
}

/** As in the configuration. A preset is stored by its name, so that later changes of its servers are followed. */
function settingsOf(
  {
    email,
    name,
    fromName,
    user,
    ca,
    oauth,
  }: Omit<AddRequest, 'oauth'> & { email: string; oauth?: JsonObject | undefined },
  { provider, imap, smtp }: ChosenServers,
): JsonObject {
  return {
    email,
    provider,
    ...(name === undefined ? {} : { name }),
    ...(fromName === undefined ? {} : { from_name: fromName }),
    ...(provider === 'imap' ? { imap: { ...imap }, ...(smtp ? { smtp: { ...smtp } } : {}) } : {}),
    ...(ca === undefined ? {} : { ca }),
    auth: { ...(user === undefined ? {} : { user }), ...(oauth === undefined ? {} : { oauth }) },
  };
}

/** The row first: secrets without an account would be found by no one. */
async function save(
  { id }: Account,
  settings: JsonObject,
  { repository, access, isTaken, clock }: AddParts,
  keep: () => Promise<void>,
): Promise<void> {
  await checkIsFree(id, isTaken);
  await repository.add({ id, settings, createdAt: clock.now() });
  try {
    await keep();
  } catch (error) {
    await repository.remove(id);
    await access.forget(id);
    throw error;
  }
}
