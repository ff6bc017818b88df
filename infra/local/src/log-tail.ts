import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Returns the end of a text file: whole lines of at most `maxBytes`; an empty text if there is no such file. */
export function tail(path: string, maxBytes = 4_000): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(file);
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(size - start);
    readSync(file, buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8');
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}
