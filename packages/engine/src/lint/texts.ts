import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { renderPath } from '../expressions/error.ts';

/** The keys that lead to a text in parameters. It changes after the visit: copy it to keep it. */
export type TextPath = readonly (string | number)[];

/** Calls `visit` with each text in a value, and the keys that lead to it. */
export function visitTexts(value: JsonValue, visit: (text: string, path: TextPath) => void): void {
  const path: (string | number)[] = [];
  const enter = (key: string | number, part: JsonValue): void => {
    path.push(key);
    visitPart(part);
    path.pop();
  };
  const visitPart = (part: JsonValue): void => {
    if (typeof part === 'string') visit(part, path);
    else if (isJsonObject(part)) for (const key of Object.keys(part)) enter(key, part[key] ?? null);
    else if (Array.isArray(part)) part.forEach((element: JsonValue, index) => enter(index, element));
  };
  visitPart(value);
}

/** Longest path of a warning, in characters: keys may be as long as their author likes. */
const MAX_PATH = 300;

/** Returns the path of a part of the parameters, relative to the node. */
export function pathText(path: TextPath): string {
  const text = renderPath(path);
  return text.length > MAX_PATH ? `${text.slice(0, MAX_PATH)}…` : text;
}
