import { unsupported } from '../unsupported.ts';
import { lookup } from '../workflow.ts';

/** Tokens of Luxon's formats, and ours. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: 'yyyy',
  yy: 'yy',
  LLLL: 'MMMM',
  LLL: 'MMM',
  LL: 'MM',
  L: 'M',
  MMMM: 'MMMM',
  MMM: 'MMM',
  MM: 'MM',
  M: 'M',
  dd: 'dd',
  d: 'd',
  cccc: 'EEEE',
  ccc: 'EEE',
  EEEE: 'EEEE',
  EEE: 'EEE',
  HH: 'HH',
  H: 'H',
  hh: 'hh',
  h: 'h',
  a: 'a',
  mm: 'mm',
  m: 'm',
  ss: 'ss',
  s: 's',
  SSS: 'SSS',
};

/** Converts a format of Luxon. @throws UnsupportedError for a token that has no equivalent. */
export function convertFormat(format: string): string {
  return format.replace(/'[^']*'|([A-Za-z])\1*/g, (token) => {
    if (token.startsWith("'")) return token;
    return lookup(TOKENS, token) ?? unsupported(`the format of dates has "${token}", which has no equivalent`);
  });
}

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];

/** Returns the unit that a text names, in the plural. @throws UnsupportedError */
export function unitOf(name: string): string {
  const plural = name.endsWith('s') ? name : `${name}s`;
  return UNITS.includes(plural) ? plural : unsupported(`dates have no unit "${name}" here`);
}
