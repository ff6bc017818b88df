// Loaded into a worker under test by --import: a JSON text that begins with the marker blocks the thread that parses it
// for so many ms, or until the file `unblockedBy` exists.
import { existsSync } from 'node:fs';

const MARKER = '{"blockForMs":';
const { parse } = JSON;

JSON.parse = (text, reviver) => {
  const value = parse(text, reviver);
  if (typeof text === 'string' && text.startsWith(MARKER)) block(value);
  return value;
};

function block({ blockForMs, unblockedBy }) {
  const until = performance.now() + blockForMs;
  while (performance.now() < until && !(unblockedBy && existsSync(unblockedBy)));
}
