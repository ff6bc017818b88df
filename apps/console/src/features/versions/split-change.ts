import type { JsonValue } from '@deckhand/contracts';
import { toText } from '../../forms/values.ts';

/** A text before and after: the common start and end, and the different middle parts. */
export interface SplitChange {
  readonly start: string;
  readonly before: string;
  readonly after: string;
  readonly end: string;
}

/** Finds the difference of two values in the form in which they are shown. */
export function splitChange(before: JsonValue, after: JsonValue): SplitChange {
  const [left, right] = toDistinctTexts(before, after).map(toWords);
  return splitWords(left ?? [], right ?? []);
}

/** Formats the values as they are typed, with quotation marks if 5 could be confused with "5". */
function toDistinctTexts(before: JsonValue, after: JsonValue): string[] {
  const texts = [toText(before), toText(after)];
  return texts[0] === texts[1] ? [JSON.stringify(before), JSON.stringify(after)] : texts;
}

/** Splits a text into words and single other characters. */
function toWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|./gsu) ?? [];
}

function splitWords(before: readonly string[], after: readonly string[]): SplitChange {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return {
    start: before.slice(0, start).join(''),
    before: before.slice(start, before.length - end).join(''),
    after: after.slice(start, after.length - end).join(''),
    end: before.slice(before.length - end).join(''),
  };
}
