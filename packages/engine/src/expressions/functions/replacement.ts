import type { Match } from '../pattern.ts';

const reference = /\$(?:\$|&|`|'|<([^>]*)>|(\d{1,2}))/g;

/**
 * A replacement text. It may refer to the match as in JavaScript's `replace`: `$&`, `$1`, `$<name>`, `$$` and so on.
 */
export interface Replacement {
  /** The replacement text as given. */
  readonly text: string;
  /** True if the text contains references. */
  readonly isPlain: boolean;
  /** The numbers of named groups, by name. */
  readonly groupNames: readonly (readonly [name: string, group: number])[];
}

/** Returns the parts that replace `match` in `whole`, in order. Their lengths can be charged before they are joined. */
export function expandReplacement(replacement: Replacement, whole: string, match: Match): readonly string[] {
  if (replacement.isPlain) return [replacement.text];
  const parts: string[] = [];
  let end = 0;
  for (const found of replacement.text.matchAll(reference)) {
    const [token, name, digits] = found;
    const value = digits === undefined ? byToken(token, name, replacement, whole, match) : byNumber(digits, match);
    if (value === undefined) continue;
    parts.push(replacement.text.slice(end, found.index), value);
    end = found.index + token.length;
  }
  parts.push(replacement.text.slice(end));
  return parts;
}

function byToken(
  token: string,
  name: string | undefined,
  replacement: Replacement,
  whole: string,
  match: Match,
): string | undefined {
  if (token === '$$') return '$';
  if (token === '$&') return match.groups[0];
  if (token === '$`') return whole.slice(0, match.start);
  if (token === "$'") return whole.slice(match.end);
  if (replacement.groupNames.length === 0) return undefined;
  const group = replacement.groupNames.find(([groupName]) => groupName === name)?.[1];
  return group === undefined ? '' : (match.groups[group] ?? '');
}

/** `$12` is group 12 if it exists, otherwise group 1 followed by "2". */
function byNumber(digits: string, match: Match): string | undefined {
  const isGroup = (group: number): boolean => group >= 1 && group < match.groups.length;
  if (isGroup(Number(digits))) return match.groups[Number(digits)] ?? '';
  const first = Number(digits[0]);
  if (digits.length === 1 || !isGroup(first)) return undefined;
  return (match.groups[first] ?? '') + digits.slice(1);
}
