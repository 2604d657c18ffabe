import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { PNG } from './fixture-samples.ts';

export const WATCHED = 'test://watched-resource';

const TEXT: Record<string, string> = {
  'test://static-text': 'This is the content of the static text resource.',
  'test://embedded-resource': 'This is an embedded resource content.',
  [WATCHED]: 'Watched resource content',
};

const BINARY = 'test://static-binary';

export const fixtureResources: readonly Resource[] = [
  ...Object.keys(TEXT).map((uri) => ({
    uri,
    name: uri,
    description: 'A text that can be read.',
    mimeType: 'text/plain',
  })),
  { uri: BINARY, name: BINARY, description: 'A picture that can be read.', mimeType: 'image/png' },
].sort((a, b) => (a.uri < b.uri ? -1 : 1));

export const fixtureTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data of one id.',
    mimeType: 'application/json',
  },
];

export function readFixture(uri: string): ReadResourceResult | undefined {
  if (uri === BINARY) return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  const text = TEXT[uri];
  if (text !== undefined) return { contents: [{ uri, mimeType: 'text/plain', text }] };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: data }] };
}
