// Loaded into a worker under test by --import: a JSON text that begins with the marker blocks the thread that parses it
// for so many ms.
const MARKER = '{"blockForMs":';
const { parse } = JSON;

JSON.parse = (text, reviver) => {
  const value = parse(text, reviver);
  if (typeof text === 'string' && text.startsWith(MARKER)) block(value.blockForMs);
  return value;
};

function block(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
