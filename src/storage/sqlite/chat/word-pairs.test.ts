import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { pairExpressions, pairTokens } from './word-pairs.ts';

describe('tokens of what is beside each other', () => {
  it('has the end of a word and the beginning of the next', () => {
    assert.deepEqual([...pairTokens('out of memory')], ['_jout_of', '_jof_mem']);
    assert.deepEqual([...pairTokens('a (b)')], ['_ja_b']);
  });

  it('has a single sign between words, and the words beside a telling one', () => {
    assert.deepEqual([...pairTokens('foo_bar')], ['_jfoo_bar', '_k5f_foo_bar', '_k5f_o_bar', '_k5f_foo_', '_k5f__bar']);
    assert.deepEqual([...pairTokens('tcp/ip.')], ['_jtcp_ip', '_k2f_tcp_ip', '_k2f__ip']);
    assert.deepEqual([...pairTokens('[you]')], ['_k5b__you', '_k5d_you_']);
    assert.deepEqual([...pairTokens('c++')], ['_k2b_c_']);
  });

  it('has none across symbols and characters of scripts without spaces', () => {
    assert.deepEqual([...pairTokens('one + two')], []);
    assert.deepEqual([...pairTokens('one 好 two')], []);
  });

  it('asks for what is certain of a text that begins and ends within words', () => {
    assert.deepEqual(pairExpressions('mem alloc'), ['"_jmem_all"']);
    assert.deepEqual(pairExpressions('mem a'), ['"_jmem_a" *']);
    assert.deepEqual(pairExpressions('m alloc'), []);
    assert.deepEqual(pairExpressions('foo_'), ['"_k5f_foo_"']);
    assert.deepEqual(pairExpressions('.net'), ['"_k2e__net"']);
    assert.deepEqual(pairExpressions('word'), []);
  });

  it('asks for all letters that may be before a part of a word', () => {
    assert.match(pairExpressions('em alloc').join(), /^\("_jem_all" OR "_jaem_all" OR .* OR "_j_em_all"\)$/);
    assert.match(pairExpressions('em_alloc').join(), /^\("_k5f_em_all" OR "_k5f_aem_all" OR .* OR "_k5f__em_all"\)$/);
    assert.deepEqual(pairExpressions('m_alloc'), ['"_k5f_m_all"']);
  });

  it('finds every text by any part of it', () => {
    const character = fc.constantFrom(...'abcé 中好ß𐐷😀\u0301_/.#[]+-', 'x', ' ', 'ab');
    const text = fc.array(character, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(60), (original, start, length) => {
        const folded = fold(original);
        const part = folded.slice(start % (folded.length + 1)).slice(0, length);
        fc.pre(part.isWellFormed());

        const tokens = [...pairTokens(folded)];
        const missing = pairExpressions(part).filter((expression) => !isIn(expression, tokens));

        assert.deepEqual(missing, []);
      }),
    );
  });
});

function isIn(expression: string, tokens: readonly string[]): boolean {
  if (expression.startsWith('('))
    return expression
      .slice(1, -1)
      .split(' OR ')
      .some((each) => isIn(each, tokens));
  const [, token = '', prefix] = /^"(.*)"( \*)?$/.exec(expression) ?? [];
  return tokens.some((each) => (prefix === undefined ? each === token : each.startsWith(token)));
}
