import { AppError } from '../domain/errors.ts';
import type { ClientInfo } from '../domain/session.ts';
import { isRecord } from '../lib/is-record.ts';
import { SESSION_VERSIONS } from './versions.ts';

/** What a client states about itself in `initialize`. */
export interface Introduction {
  protocolVersion: string;
  client: ClientInfo;
  clientCapabilities: Record<string, unknown>;
}

/**
 * Checks the parameters of `initialize` as the SDK does, but without the SDK's schemas, which take longer to create
 * than the rest of a start. A test compares the two. A client whose parameters are refused may try again.
 */
export function introductionOf(params: Record<string, unknown> = {}): Introduction {
  const { protocolVersion, clientInfo, capabilities } = params;
  const { name, version } = isRecord(clientInfo) ? clientInfo : {};
  if (typeof protocolVersion !== 'string') throw wrong('protocolVersion', 'a string');
  if (!isRecord(capabilities)) throw wrong('capabilities', 'an object');
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw wrong('clientInfo', 'an object with name and version');
  }
  if (!areCapabilities(capabilities) || !isImplementation(clientInfo)) {
    throw wrong('capabilities', 'those of the protocol');
  }
  return { protocolVersion: negotiated(protocolVersion), client: { name, version }, clientCapabilities: capabilities };
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isTheme: Check = (value) => value === 'light' || value === 'dark';

/** `JSON.parse` reads `1e999` as infinity, which the protocol does not allow. */
const isJson: Check = (value) => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
};
const isJsonObject: Check = (value) => isRecord(value) && isJson(value);

const objectOf =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.entries(checks).every(([key, check]) => value[key] === undefined || check(value[key]));

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);

const both =
  (one: Check, other: Check): Check =>
  (value) =>
    one(value) && other(value);

const isIcon = both(
  objectOf({ mimeType: isText, sizes: listOf(isText), theme: isTheme }),
  (icon) => isRecord(icon) && isText(icon.src),
);

/** All but `name` and `version`, which are checked before. */
const isImplementation = objectOf({ title: isText, description: isText, websiteUrl: isText, icons: listOf(isIcon) });

const areCapabilities = objectOf({
  experimental: recordOf(isJsonObject),
  extensions: recordOf(isJsonObject),
  roots: objectOf({ listChanged: isFlag }),
  sampling: objectOf({ context: isJsonObject, tools: isJsonObject }),
  elicitation: both(isJsonObject, objectOf({ form: objectOf({ applyDefaults: isFlag }), url: isRecord })),
  tasks: objectOf({
    list: isJsonObject,
    cancel: isJsonObject,
    requests: objectOf({
      sampling: objectOf({ createMessage: isJsonObject }),
      elicitation: objectOf({ create: isJsonObject }),
    }),
  }),
});

function wrong(field: string, kind: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field} must be ${kind}.`, { field });
}

function negotiated(requested: string): string {
  return SESSION_VERSIONS.find((version) => version === requested) ?? SESSION_VERSIONS[0];
}
