import { setImmediate } from 'node:timers';

// Loaded into a worker under test by --import: a JSON text that begins with the marker makes the code that parses it
// throw, where nothing catches, a moment later: as an error of a callback, or as a rejection.
const MARKER = '{"throwAs":';
const { parse } = JSON;

JSON.parse = (text, reviver) => {
  const value = parse(text, reviver);
  if (typeof text === 'string' && text.startsWith(MARKER)) throwLater(value.throwAs);
  return value;
};

function throwLater(kind) {
  if (kind === 'rejection') void Promise.reject(new Error('thrown by a test'));
  else
    setImmediate(() => {
      throw new Error('thrown by a test');
    });
}
