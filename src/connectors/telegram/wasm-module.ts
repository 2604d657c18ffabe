import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The library's AES, compiled to WebAssembly. The build replaces this function by one that contains the bytes. */
export async function wasmModule(): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve('@mtcute/wasm/mtcute-simd.wasm')));
}
