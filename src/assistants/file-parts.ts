import type { Assistant } from '../domain/assistant.ts';
import type { Json } from '../domain/json.ts';
import { entryOf, sectionOf } from './entry-shapes.ts';
import { hasJsonSection, jsonEntry, removeJsonEntry, setJsonEntry } from './json-entry.ts';
import type { Launch } from './launch.ts';
import { appendTomlEntry, removeTomlEntry, setTomlEntry, tomlEntry } from './toml-entry.ts';

/** Something of ours in a file of another program. */
export interface FilePart {
  set(text: string): string;
  has(text: string): boolean;
  /** Takes it out. `before` is the file as it was without it, if that is known. */
  unset(text: string, before: string | undefined): string;
  /** Puts it into another text as it is in `current`, to find out whether that is all that differs. */
  copy(current: string, into: string): string;
}

/** The entry of an assistant. Only Continue needs a parser of YAML. */
export async function entryPart(assistant: Assistant, name: string, launch: Launch): Promise<FilePart> {
  if (assistant === 'codex') return tomlPart(name, launch);
  if (assistant !== 'continue') {
    return jsonPart(sectionOf(assistant), name, (existing) => entryOf(assistant, launch, existing));
  }
  const { hasYamlSection, removeYamlEntry, setYamlEntry, yamlEntry } = await import('./yaml-entry.ts');
  return {
    set: (text) => setYamlEntry(text, name, (existing) => entryOf(assistant, launch, existing)),
    has: (text) => yamlEntry(text, name) !== undefined,
    unset: (text, before) => removeYamlEntry(text, name, { dropsEmptySection: !hasYamlSection(before ?? '') }),
    copy: (current, into) => setYamlEntry(into, name, () => yamlEntry(current, name) ?? {}),
  };
}

export function jsonPart(section: string, name: string, entryFrom: (existing?: Json) => Json): FilePart {
  return {
    set: (text) => setJsonEntry(text, section, name, entryFrom),
    has: (text) => jsonEntry(text, section, name) !== undefined,
    unset: (text, before) =>
      removeJsonEntry(text, section, name, { dropsEmptySection: !hasJsonSection(before ?? '', section) }),
    copy: (current, into) => setJsonEntry(into, section, name, () => jsonEntry(current, section, name) ?? null),
  };
}

function tomlPart(name: string, launch: Launch): FilePart {
  return {
    set: (text) => setTomlEntry(text, name, launch),
    has: (text) => tomlEntry(text, name) !== undefined,
    unset: (text) => removeTomlEntry(text, name),
    copy: (current, into) => appendTomlEntry(into, tomlEntry(current, name) ?? ''),
  };
}
