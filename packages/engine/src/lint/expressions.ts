import { isExpression } from '../expressions/index.ts';
import { findUnknownLetters } from '../expressions/functions/date-format.ts';
import { ENOUGH_FINDINGS, type Finding, type Rule } from './rule.ts';
import { pathText, visitTexts } from './texts.ts';

/* Expressions that mean something else than their author thinks, or that fail in every run. */

/** Finds conditions that are a text, which is always true unless it is empty. */
export const conditions: Rule =
  () =>
  ({ definition: { parameters = {} }, type }) => {
    const condition = type.condition === undefined ? undefined : parameters[type.condition];
    if (typeof condition !== 'string' || condition === '' || isExpression(condition)) return [];
    const advice = condition.includes('{{')
      ? 'put all of it into one {{ }}, with nothing before and after'
      : 'an expression is in {{ }}';
    const message = `The condition is a text, which is always true: ${advice}.`;
    return [{ code: 'CONDITION_IS_TEXT', path: `parameters.${type.condition}`, message }];
  };

/** What of n8n is valid here and means something else, and what to write. Names that are not known here are refused. */
const OF_N8N: readonly (readonly [found: string, instead: string])[] = [
  ['$input.item.json', '$input'],
  ['$input.first().json', '$input, or $input[0] for a list'],
  ['$input.last().json', '$input, or $input.at(-1) for a list'],
];

/** Finds expressions that are written as in n8n. */
export const foreignSyntax: Rule =
  () =>
  ({ definition: { parameters = {} }, type }) => {
    const findings: Finding[] = [];
    visitTexts(parameters, (text, path) => {
      if (findings.length >= ENOUGH_FINDINGS || !text.includes('{{') || type.verbatim.some((name) => name === path[0]))
        return;
      const place = { code: 'FOREIGN_SYNTAX', path: pathText(path) } as const;
      if (text.startsWith('={{'))
        findings.push({ ...place, message: 'The "=" before {{ }} is that of n8n: here, it is a part of the text.' });
      for (const [found, instead] of OF_N8N)
        if (text.includes(found))
          findings.push({
            ...place,
            message: `${found} is that of n8n: here, the output of the node before is ${instead}.`,
          });
    });
    return findings;
  };

/** Finds literal formats of dates with letters that expressions do not have: they fail. */
export const dateFormats: Rule =
  () =>
  ({ references: { formats = [] } }) =>
    formats.slice(0, ENOUGH_FINDINGS).flatMap((format): Finding[] => {
      const letters = findUnknownLetters(format);
      if (letters === undefined) return [];
      const message = `format("${format.slice(0, 50)}") fails: ${letters} is not a part of a date format.`;
      return [{ code: 'DATE_FORMAT_UNKNOWN', path: 'parameters', message, remedy: adviceFor(letters) }];
    });

/** Letters of other libraries, and those that mean the same here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['YYYY', 'yyyy'],
  ['YY', 'yy'],
  ['DD', 'dd'],
  ['D', 'd'],
  ['dddd', 'EEEE'],
  ['ddd', 'EEE'],
  ['A', 'a'],
  ['cccc', 'EEEE'],
  ['ccc', 'EEE'],
]);

function adviceFor(letters: string): string {
  const meant = MEANT.get(letters);
  return `${meant === undefined ? '' : `Write ${meant} instead. `}Text within a format is in 'single quotes'.`;
}
