import { isJsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import type { ClaimedExecution } from '@deckhand/db';

/** Returns the outputs that a test run uses instead of running nodes, by their ids. */
export function mocksOf({ mocks }: Pick<ClaimedExecution, 'mocks'>): ReadonlyMap<string, JsonValue> {
  const parsed = mocks === null ? {} : parseJson(mocks);
  return new Map(isJsonObject(parsed) ? Object.entries(parsed) : []);
}
