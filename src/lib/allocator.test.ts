import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnFreedMemory } from './allocator.ts';
import { loadForeignFunctions } from './foreign-functions.ts';

const LARGE_BYTES = 8_000_000;
const PAGE_BYTES = 4_096;
/** glibc's header of a piece that is mapped on its own. */
const HEADER_BYTES = 16;

const isGlibc = process.platform === 'linux' && 'glibcVersionRuntime' in Object(process.report.getReport()).header;

test('large pieces are returned to the system also after larger ones were freed', () => {
  // Elsewhere nothing is changed.
  returnFreedMemory();
  if (!isGlibc) return;
  const library = loadForeignFunctions().load(null);
  const allocate = library.func('void *malloc(size_t bytes)');
  const usableSize = library.func('size_t malloc_usable_size(void *piece)');
  const free = library.func('void free(void *piece)');
  free(allocate(16 * 1024 * 1024));

  const piece = allocate(LARGE_BYTES);

  assert.equal((usableSize(piece) + HEADER_BYTES) % PAGE_BYTES, 0);
  free(piece);
});
