import type { JsonObject } from '../../domain/json.ts';
import type { ServerManifest, ServerPins } from '../../domain/server-manifest.ts';
import { visibleText } from '../../lib/visible.ts';
import { comparedPart, hasHiddenCharacters, isDefinition, isSameDefinition, isToolDefinition } from './definitions.ts';

/** Something that is kept back until a person has accepted it. */
export interface Difference {
  kind: 'tool' | 'prompt' | 'instructions';
  name: string;
  reason: 'changed' | 'hidden characters';
  /** As it was accepted; missing where it never was. */
  before?: JsonObject;
  after: JsonObject;
}

export interface Reviewed {
  /** What may be offered. */
  tools: readonly (JsonObject & { name: string })[];
  prompts: readonly (JsonObject & { name: string })[];
  instructions?: string;
  differences: readonly Difference[];
  /** The pins with what is seen for the first time. */
  pins: ServerPins;
  /** How many entries are no definitions, too large, or too many. */
  dropped: number;
}

/** Of tools, and of prompts, those that are gone included: a server that invents names has no more of them. */
const MAX_PINS = 10_000;

const NOTHING: ServerPins = { tools: {}, prompts: {} };

/**
 * Compares what a server offers with what was accepted. What is new is accepted as it is, unless it hides characters; what has
 * changed since is kept back, also if it was gone in between.
 */
export function review(manifest: ServerManifest, pins: ServerPins = NOTHING, isTrusted = false): Reviewed {
  const tools = reviewAll('tool', manifest.tools.filter(isToolDefinition), pins.tools, isTrusted);
  const prompts = reviewAll('prompt', manifest.prompts.filter(isDefinition), pins.prompts, isTrusted);
  const instructions = reviewInstructions(manifest.instructions, pins.instructions, isTrusted);
  const seen = tools.seen + prompts.seen;
  return {
    tools: tools.offered,
    prompts: prompts.offered,
    ...(instructions.offered === undefined ? {} : { instructions: instructions.offered }),
    differences: [...tools.differences, ...prompts.differences, ...instructions.differences],
    pins: {
      tools: tools.pins,
      prompts: prompts.pins,
      ...(instructions.pinned === undefined ? {} : { instructions: instructions.pinned }),
    },
    dropped: manifest.tools.length + manifest.prompts.length - seen,
  };
}

/** The pins after a person has accepted some differences. */
export function accept(pins: ServerPins, accepted: readonly Difference[]): ServerPins {
  const of = (kind: Difference['kind']) =>
    accepted.filter((difference) => difference.kind === kind).map(({ name, after }) => [name, after] as const);
  const text = accepted.find(({ kind }) => kind === 'instructions')?.after.text;
  return {
    ...pins,
    tools: { ...pins.tools, ...Object.fromEntries(of('tool')) },
    prompts: { ...pins.prompts, ...Object.fromEntries(of('prompt')) },
    ...(typeof text === 'string' ? { instructions: text } : {}),
  };
}

function reviewAll(
  kind: 'tool' | 'prompt',
  definitions: readonly (JsonObject & { name: string })[],
  pinned: Readonly<Record<string, JsonObject>>,
  isTrusted: boolean,
) {
  const pins = new Map(Object.entries(pinned));
  const offered = new Map<string, JsonObject & { name: string }>();
  const differences: Difference[] = [];
  let leftOut = 0;
  for (const definition of definitions) {
    const { name } = definition;
    const before = pins.get(name);
    // Of two with one name the first counts.
    if (offered.has(name)) continue;
    if (!before && pins.size >= MAX_PINS) {
      leftOut += 1;
      continue;
    }
    const reason = isTrusted ? undefined : reasonToHold(definition, before);
    if (reason === undefined) {
      offered.set(name, definition);
      if (isTrusted || !before) pins.set(name, comparedPart(definition));
    } else {
      const after = comparedPart(definition);
      differences.push({ kind, name, reason, ...(before ? { before } : {}), after });
    }
  }
  return {
    offered: [...offered.values()],
    differences,
    pins: Object.fromEntries(pins),
    seen: definitions.length - leftOut,
  };
}

function reasonToHold(definition: JsonObject, before: JsonObject | undefined): Difference['reason'] | undefined {
  // What was accepted as it is may hide what it wants: a person has seen it.
  if (before) return isSameDefinition(before, definition) ? undefined : 'changed';
  return hasHiddenCharacters(definition) ? 'hidden characters' : undefined;
}

function reviewInstructions(now: string | undefined, pinned: string | undefined, isTrusted: boolean) {
  if (now === undefined || now === pinned || isTrusted) return { offered: now, pinned: now ?? pinned, differences: [] };
  if (pinned === undefined && visibleText(now) === now) return { offered: now, pinned: now, differences: [] };
  const difference: Difference = {
    kind: 'instructions',
    name: 'instructions',
    reason: pinned === undefined ? 'hidden characters' : 'changed',
    ...(pinned === undefined ? {} : { before: { text: pinned } }),
    after: { text: now },
  };
  return { offered: pinned, pinned, differences: [difference] };
}
