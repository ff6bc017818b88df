import type { JsonValue } from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import type { SampleData } from '../forms/sample-data.ts';

/**
 * The editors, which are loaded when a form first has a field for them. Until then, and if that fails, text areas do.
 */
export const editorsQuery = queryOptions({
  queryKey: ['editors'],
  queryFn: () => import('./editors.ts'),
  staleTime: Infinity,
  gcTime: Infinity,
});

/** Evaluates the list of a loop that has ended. The evaluator is loaded when it is first needed. */
export async function readPastItemsOf(items: JsonValue, data: SampleData): Promise<readonly JsonValue[]> {
  const { readPastItems } = await import('./try-expression.ts');
  return readPastItems(items, data);
}
