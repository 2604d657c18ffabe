import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { managedServer } from '../../../tests/support/servers/managed-fixture.ts';
import type { ServerState } from '../../domain/server-state.ts';
import { indexOffers } from './offer-index.ts';

describe('what other servers offer', () => {
  test('HOST-22 tools and prompts are sorted by name, with the definition of the server', () => {
    const echo = { name: 'echo', title: 'Echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    const { tools, prompts, toolByName } = indexOffers([
      managedServer('zoo', { tools: [{ name: 'feed' }] }),
      managedServer('art', { tools: [echo], prompts: [{ name: 'paint' }] }),
    ]);

    assert.deepEqual(
      tools.map(({ definition }) => definition.name),
      ['art__echo', 'zoo__feed'],
    );
    assert.deepEqual(toolByName.get('art__echo')?.definition, { ...echo, name: 'art__echo' });
    assert.equal(toolByName.get('art__echo')?.original, 'echo');
    assert.equal(prompts[0]?.definition.name, 'art__paint');
  });

  test('HOST-22 only the word of a trusted server makes a tool one that changes nothing', () => {
    const tools = [{ name: 'get', annotations: { readOnlyHint: true } }];
    const { toolByName } = indexOffers([
      managedServer('a', { tools, trusted: true }),
      managedServer('b', { tools, trusted: false }),
    ]);

    assert.equal(toolByName.get('a__get')?.isReadOnly, true);
    assert.equal(toolByName.get('b__get')?.isReadOnly, false);
  });

  test('HOST-22 tools that the configuration denies are not there', () => {
    const tools = [{ name: 'get' }, { name: 'delete' }];
    const { toolByName } = indexOffers([managedServer('a', { tools, filter: { deny: ['del*'] } })]);

    assert.deepEqual([...toolByName.keys()], ['a__get']);
  });

  test('HOST-11 a server that failed, is disabled or was stopped by hand offers nothing; one that sleeps does', () => {
    const tools = [{ name: 'get' }];
    const states = [
      { state: 'disabled' },
      { state: 'stopped', byHand: true },
      { state: 'error', problem: { code: 'NETWORK_ERROR', message: '' }, failures: 1 },
      { state: 'stopped', byHand: false },
      { state: 'starting' },
    ] as unknown as ServerState[];
    const { toolByName } = indexOffers(states.map((state, index) => managedServer(`s${index}`, { tools, state })));

    assert.deepEqual([...toolByName.keys()], ['s3__get', 's4__get']);
  });

  test('HOST-22 of two servers with the same resource the first has it, and templates find the server of a URI', () => {
    const first = managedServer('a', { resources: [{ uri: 'x://1', name: 'of a' }] });
    const second = managedServer('b', {
      resources: [{ uri: 'x://1', name: 'of b' }],
      resourceTemplates: [{ uriTemplate: 'y://{id}/data', name: 't' }],
    });
    const index = indexOffers([first, second]);

    assert.deepEqual(index.resources, [{ uri: 'x://1', name: 'of a' }]);
    assert.equal(index.ownerOfResource('x://1'), first);
    assert.equal(index.ownerOfResource('y://7/data'), second);
    assert.equal(index.ownerOfResource('y://7'), undefined);
    assert.equal(index.ownerOfTemplate('y://{id}/data'), second);
  });
});
