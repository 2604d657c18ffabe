import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { z } from 'zod';
import { openHttpDoor, rawRequest } from '../../tests/support/http/door.ts';
import { passThroughPipeline } from '../../tests/support/pass-through-pipeline.ts';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import { type HttpMethod, type Operation, operation } from '../operation.ts';
import { createRest } from './rest.ts';

const ANY = z.object({}).loose();
const MAX_BODY = 200;

describe('the routing of a REST request', () => {
  test('finds the operation of its method and path', async (context) => {
    const ask = await serve(context, [route('GET', '/notes'), route('POST', '/notes'), route('DELETE', '/notes/:id')]);

    assert.partialDeepStrictEqual(await ask('GET', '/notes'), { status: 200, body: { route: 'GET /notes' } });
    assert.partialDeepStrictEqual(await ask('POST', '/notes'), { status: 200, body: { route: 'POST /notes' } });
    assert.partialDeepStrictEqual(await ask('DELETE', '/notes/5'), { status: 200, body: { input: { id: '5' } } });
  });

  test('prefers a fixed segment to a variable one, in any order of registration', async (context) => {
    const ask = await serve(context, [route('GET', '/notes/:id'), route('GET', '/notes/search')]);

    assert.partialDeepStrictEqual(await ask('GET', '/notes/search'), { body: { route: 'GET /notes/search' } });
    assert.partialDeepStrictEqual(await ask('GET', '/notes/other'), { body: { route: 'GET /notes/:id' } });
  });

  test('finds nothing for an unknown path', async (context) => {
    const ask = await serve(context, [route('GET', '/notes/:id')]);

    for (const path of ['/', '/notes', '/notes/', '/notes/1/2', '/Notes/1', '/constructor', '/notes/1/', '/notes//1']) {
      assert.partialDeepStrictEqual(await ask('GET', path), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
    }
  });

  test('reports the methods that a path allows', async (context) => {
    const ask = await serve(context, [route('GET', '/notes'), route('POST', '/notes')]);

    const { status, headers } = await ask('PUT', '/notes');

    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET, HEAD, POST');
  });

  test('answers HEAD with the headers of GET', async (context) => {
    const operation = route('GET', '/notes');
    const rest = createRest([capabilityOf([operation])], passThroughPipeline, () => MAX_BODY);
    const { url } = await openHttpDoor(context, { rest });

    const got = await rawRequest(url, { method: 'GET', path: '/api/v1/notes' });
    const head = await rawRequest(url, { method: 'HEAD', path: '/api/v1/notes' });

    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal(head.headers['content-length'], got.headers['content-length']);
  });
});

describe('the input of a REST request', () => {
  test('is read from the path, decoded once', async (context) => {
    const ask = await serve(context, [route('GET', '/notes/:shelf/:note')]);

    const { body } = await ask('GET', '/notes/a%20b%2Fc/%2525');

    assert.deepEqual(body.input, { shelf: 'a b/c', note: '%25' });
  });

  test('with a broken percent-encoding is refused', async (context) => {
    const ask = await serve(context, [route('GET', '/notes/:id')]);

    for (const path of ['/notes/%', '/notes/%zz', '/notes/%ff']) {
      assert.partialDeepStrictEqual(await ask('GET', path), {
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR' } },
      });
    }
  });

  test('is read from the query, as numbers and lists where the operation wants them', async (context) => {
    const input = z.object({
      q: z.string(),
      limit: z.int().optional(),
      exact: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
    });
    const ask = await serve(context, [route('GET', '/notes', input)]);

    const one = await ask('GET', '/notes?q=5&limit=5&exact=true&tags=a&tags=b');
    const other = await ask('GET', '/notes?q=true&tags=%5B%22a%22%5D&limit=many');
    const single = await ask('GET', '/notes?q=&tags=a&limit=5.5');

    assert.deepEqual(one.body.input, { q: '5', limit: 5, exact: true, tags: ['a', 'b'] });
    assert.deepEqual(other.body.input, { q: 'true', tags: ['a'], limit: 'many' });
    assert.deepEqual(single.body.input, { q: '', tags: ['a'], limit: 5.5 });
  });

  test('may have names of Object.prototype, which reach the operation like any other', async (context) => {
    const ask = await serve(context, [route('GET', '/notes', z.strictObject({}))]);

    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
      const { status, body } = await ask('GET', `/notes?${name}=1`);

      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body.input), [name]);
    }
  });

  test('is read from the body, which overrides the query, and the path overrides both', async (context) => {
    const ask = await serve(context, [route('POST', '/notes/:id')]);

    const { body } = await ask('POST', '/notes/5?id=6&a=query&b=query', { id: 7, a: 'body' });

    assert.deepEqual(body.input, { id: '5', a: 'body', b: 'query' });
  });

  test('is not read from the body of a GET', async (context) => {
    const ask = await serve(context, [route('GET', '/notes')]);

    assert.deepEqual((await ask('GET', '/notes', { a: 1 })).body.input, {});
  });

  test('must be a JSON object if there is a body', async (context) => {
    const ask = await serve(context, [route('POST', '/notes')]);

    for (const body of ['[]', 'null', '5', '"text"', '{', 'a=1&b=2', '\ufeff{}']) {
      assert.partialDeepStrictEqual(await ask('POST', '/notes', body), {
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR', message: 'The body must be a JSON object.' } },
      });
    }
    assert.deepEqual((await ask('POST', '/notes', '')).body.input, {});
  });

  test('may be a list, or one item of it, where the operation accepts a list', async (context) => {
    const list = route('POST', '/notes');
    const ask = await serve(context, [{ ...list, rest: { method: 'POST', path: '/notes', body: 'notes' } }]);

    assert.deepEqual((await ask('POST', '/notes', '[{"a":1},{"a":2}]')).body.input, { notes: [{ a: 1 }, { a: 2 }] });
    assert.deepEqual((await ask('POST', '/notes', '{"a":1}')).body.input, { notes: [{ a: 1 }] });
    for (const body of ['null', '5', '"text"', '{', 'a=1']) {
      assert.partialDeepStrictEqual(await ask('POST', '/notes', body), {
        status: 400,
        body: { error: { message: 'The body must be a JSON object or a list of them.' } },
      });
    }
  });

  test('must be valid UTF-8: invalid bytes are not replaced', async (context) => {
    const ask = await serve(context, [route('POST', '/notes')]);

    assert.partialDeepStrictEqual(await ask('POST', '/notes', Buffer.from([0x22, 0xff, 0x22])), {
      status: 400,
      body: { error: { message: 'The body is not UTF-8 text.' } },
    });
  });

  test('that is a list is not read from the query', async (context) => {
    const list = route('POST', '/notes');
    const ask = await serve(context, [{ ...list, rest: { method: 'POST', path: '/notes', body: 'notes' } }]);
    const query = `notes=${encodeURIComponent('[{"a":1}]')}`;

    assert.deepEqual((await ask('POST', `/notes?${query}`, '')).body.input, { notes: [] });
    assert.deepEqual((await ask('POST', `/notes?${query}`, '{"a":2}')).body.input, { notes: [{ a: 2 }] });
  });

  test('may have as many bytes as the limit, and not one more', async (context) => {
    const ask = await serve(context, [route('POST', '/notes')]);
    const fits = JSON.stringify({ a: 'x'.repeat(MAX_BODY - 8) });

    assert.equal((await ask('POST', '/notes', fits)).status, 200);
    assert.partialDeepStrictEqual(await ask('POST', '/notes', `${fits} `), {
      status: 413,
      body: { error: { code: 'TOO_LARGE' } },
    });
    assert.equal((await ask('POST', '/notes', 'x'.repeat(500_000))).status, 413);
  });
});

test('a failure has the status of its code', async (context) => {
  const failing: Operation = {
    ...route('GET', '/notes'),
    async run() {
      throw new AppError('BUSY', 'Too much at once.');
    },
  };
  const ask = await serve(context, [failing]);

  assert.partialDeepStrictEqual(await ask('GET', '/notes'), {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error: { code: 'BUSY', message: 'Too much at once.' } },
  });
});

describe('a form of a foreign page', () => {
  const FORMS = [
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/jsonx',
    'application/json-patch+json',
    'application/json, text/plain',
    '',
  ];

  for (const type of FORMS) {
    test(`changes nothing, with a body and without: Content-Type ${type || 'missing'}`, async (context) => {
      const ask = await serve(context, [route('POST', '/notes'), route('PUT', '/notes'), route('DELETE', '/notes')]);

      for (const method of ['POST', 'PUT', 'DELETE']) {
        const empty = await ask(method, '/notes', undefined, { 'content-type': type });
        const filled = await ask(method, '/notes', '{}', { 'content-type': type });

        // A form always has a type.
        assert.equal(empty.status, type === '' ? 200 : 415);
        assert.partialDeepStrictEqual(filled, { status: 415, body: { error: { field: 'content-type' } } });
      }
    });
  }

  test('differs from JSON, with any parameters', async (context) => {
    const ask = await serve(context, [route('POST', '/notes')]);

    for (const type of ['application/json', 'Application/JSON;charset=utf-8', 'application/json ; x=y']) {
      assert.equal((await ask('POST', '/notes', {}, { 'content-type': type })).status, 200);
    }
  });
});

function route(method: HttpMethod, path: string, input: z.ZodObject = ANY): Operation {
  return operation({
    rest: { method, path },
    kind: 'query',
    effect: 'reads',
    description: '',
    input,
    output: ANY,
    run: async (given) => ({ route: `${method} ${path}`, input: given }),
  });
}

function capabilityOf(operations: readonly Operation[]): Capability {
  return { name: 'notes', invalidInput: 'VALIDATION_ERROR', operations, parts: {} };
}

async function serve(context: TestContext, operations: readonly Operation[]) {
  const rest = createRest([capabilityOf(operations)], passThroughPipeline, () => MAX_BODY);
  const { url } = await openHttpDoor(context, { rest });
  return async (
    method: string,
    path: string,
    sent?: object | string | Buffer,
    headers: Record<string, string> = {},
  ) => {
    const body = sent === undefined || typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent);
    const answered = await rawRequest(url, {
      method,
      path: `/api/v1${path}`,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { ...answered, body: JSON.parse(answered.text) };
  };
}
