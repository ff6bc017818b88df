/** The fields that the letters of a date format stand for; those of a macro such as `D` stand for several. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  G: ['era'],
  y: ['year'],
  M: ['month'],
  L: ['month'],
  d: ['day'],
  o: ['day of the year'],
  E: ['weekday'],
  c: ['weekday'],
  H: ['hour'],
  h: ['hour'],
  m: ['minute'],
  s: ['second'],
  S: ['second fraction'],
  u: ['second fraction'],
  a: ['half of the day'],
  q: ['quarter'],
  k: ['year of the week'],
  W: ['week'],
  Z: ['zone'],
  z: ['zone'],
  D: ['year', 'month', 'day', 'weekday'],
  t: ['hour', 'minute', 'second', 'zone'],
  T: ['hour', 'minute', 'second', 'zone'],
  f: ['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second', 'zone'],
  F: ['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second', 'zone'],
};

/** Quoted text, or one letter, repeated any number of times. */
const TOKEN = /'[^']*(?:'|$)|([A-Za-z])\1*/g;

/**
 * Returns the name of the first field that a format of luxon has twice; undefined when each occurs once at most. Luxon
 * reads by a regular expression that tries every way to share out digits between the fields: with each field once there
 * are some 100,000 ways, and with repeated ones there is no bound.
 */
export function findRepeatedField(format: string): string | undefined {
  const seen = new Set<string>();
  for (const [, letter] of format.matchAll(TOKEN)) {
    for (const field of FIELDS[letter ?? ''] ?? []) {
      if (seen.has(field)) return field;
      seen.add(field);
    }
  }
  return undefined;
}
