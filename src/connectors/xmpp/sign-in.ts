import { AppError } from '../../domain/errors.ts';
import { rejected } from '../outcome-error.ts';
import { NS } from './namespaces.ts';
import { createScram } from './scram.ts';
import { conditionOf, type Wire } from './wire.ts';
import { type Element, xml } from './xml.ts';

export interface XmppCredentials {
  user: string;
  password: string;
}

const SCRAM_HASHES = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-1': 'sha1' } as const;

/** SASL errors that are not about the password: a retry may help. */
const TEMPORARY: ReadonlySet<string> = new Set(['temporary-auth-failure', 'aborted']);

/** SASL with the best mechanism that the server offers and the connection allows. */
export async function signIn(
  wire: Wire,
  features: Element,
  { user, password }: XmppCredentials,
  { mayTellPassword }: { mayTellPassword: boolean },
): Promise<void> {
  const offered = features.getChild('mechanisms', NS.sasl)?.getChildren('mechanism') ?? [];
  const names = new Set(offered.map((mechanism) => mechanism.getText()));
  for (const [name, hash] of Object.entries(SCRAM_HASHES)) {
    if (names.has(name)) return signInByScram(wire, name, createScram(hash, { user, password }));
  }
  if (!names.has('PLAIN') || !mayTellPassword) {
    throw rejected('The server offers no way of signing in that is safe on this connection.');
  }
  await expectSuccess(wire, auth('PLAIN', `\0${user}\0${password}`));
}

async function signInByScram(wire: Wire, mechanism: string, scram: ReturnType<typeof createScram>): Promise<void> {
  wire.write(auth(mechanism, scram.first).toString());
  const challenge = await answerOf(wire, 'challenge');
  const success = await expectSuccess(
    wire,
    xml('response', NS.sasl, encode(await scram.answer(decode(challenge.getText())))),
  );
  if (!scram.proves(decode(success.getText()))) {
    throw new AppError('NETWORK_ERROR', 'The server could not show that it knows the password: it may be another one.');
  }
}

async function expectSuccess(wire: Wire, element: Element): Promise<Element> {
  wire.write(element.toString());
  return answerOf(wire, 'success');
}

async function answerOf(wire: Wire, name: string): Promise<Element> {
  const answer = await wire.next();
  if (answer.is(name, NS.sasl)) return answer;
  if (!answer.is('failure', NS.sasl)) throw new Error('the server answered out of turn while signing in');
  const condition = conditionOf(answer);
  if (TEMPORARY.has(condition)) {
    const cause = new Error(condition);
    throw new AppError('NETWORK_ERROR', 'The server cannot check the password at the moment.', { cause });
  }
  throw rejected('The server does not accept the address and the password.', { cause: new Error(condition) });
}

function auth(mechanism: string, initial: string): Element {
  return xml('auth', { xmlns: NS.sasl, mechanism }, encode(initial));
}

function encode(text: string): string {
  return text === '' ? '=' : Buffer.from(text).toString('base64');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
