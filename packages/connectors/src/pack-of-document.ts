import type { JsonObject } from '@deckhand/contracts';
import type { Api, OperationSummary } from './read-api.ts';

/** Maximum length of each half of an id. */
const MAX_HALF = 40;
/** Steps of paths that name no resource. */
const NO_RESOURCE = /^(v\d+(\.\d+)*|api|rest|\{.*)$/i;

/** Returns the operations of a pack that shows all of a document, with ids of their paths and `operationId`s. */
export function allOperations({ operations }: Api): JsonObject[] {
  const taken = new Set<string>();
  return operations.map((each) => {
    const id = firstFree(idOf(each), taken);
    taken.add(id);
    return { id, operation: each.id, title: each.title };
  });
}

/** Returns a noun and a verb: `issues.listForRepo` of `issues/list-for-repo` in `/issues`. */
function idOf({ id, method, path }: OperationSummary): string {
  const steps = path.split('/').filter((step) => step !== '' && !NO_RESOURCE.test(step));
  const noun = camelCase(steps[0] ?? '') || 'api';
  const isNamed = !/[\s{]/.test(id);
  const words = camelCase(isNamed ? id : [method.toLowerCase(), ...steps.slice(1)].join(' '));
  const isPrefixed = isNamed && words.startsWith(noun) && /^[A-Z]/.test(words.slice(noun.length));
  const verb = isPrefixed ? lowerFirst(words.slice(noun.length)) : words;
  return `${noun}.${verb.slice(0, MAX_HALF) || method.toLowerCase()}`;
}

/** Joins the words of a text: `list-for_repo` becomes `listForRepo`. Digits at its beginning are left out. */
function camelCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  return lowerFirst(joined.replace(/^\d+/, '')).slice(0, MAX_HALF);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function firstFree(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  const [noun = '', verb = ''] = id.split('.');
  for (let number = 2; ; number += 1) {
    const suffix = String(number);
    const other = `${noun}.${verb.slice(0, MAX_HALF - suffix.length)}${suffix}`;
    if (!taken.has(other)) return other;
  }
}
