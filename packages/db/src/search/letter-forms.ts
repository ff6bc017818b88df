import { Prisma } from '../client.ts';

/**
 * Letters that have two small forms: lower case alone does not make them equal. The final sigma ends words, the others
 * are symbols of mathematics and units, such as the micro sign.
 */
const FORMS: readonly (readonly [other: string, usual: string])[] = [
  ['ς', 'σ'],
  ['µ', 'μ'],
  ['ϐ', 'β'],
  ['ϑ', 'θ'],
  ['ϕ', 'φ'],
  ['ϖ', 'π'],
  ['ϰ', 'κ'],
  ['ϱ', 'ρ'],
  ['ϵ', 'ε'],
];
const OTHERS = FORMS.map(([other]) => other).join('');
const USUAL = FORMS.map(([, usual]) => usual).join('');
/** Matches these letters in any form, also as capitals. */
const ANY_FORM = new RegExp(`[${OTHERS}${USUAL}]`, 'giu');

/** Returns whether a text has letters with two small forms. Others are compared without the cost of folding. */
export function hasLetterForms(text: string): boolean {
  return text.search(ANY_FORM) !== -1;
}

/** Returns a text in lower case (as SQL) with the usual form of each letter. */
export function withUsualForms(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`translate(${text}, ${OTHERS}, ${USUAL})`;
}

/** Returns a pattern of LIKE in which each of these letters is any character. */
export function withAnyForm(pattern: string): string {
  return pattern.replaceAll(ANY_FORM, '_');
}

/** Returns the spellings in which a text may be found: as it is, with usual forms, and with a final sigma in words. */
export function letterSpellings(text: string): readonly string[] {
  if (!hasLetterForms(text)) return [text];
  const usual = Array.from(text.toLowerCase(), (letter) => FORMS.find(([other]) => other === letter)?.[1] ?? letter);
  // JavaScript writes a final sigma at the end of words that are capitals.
  return [...new Set([text, usual.join(''), usual.join('').toUpperCase().toLowerCase()])];
}
