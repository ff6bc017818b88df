import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { readDebug } from './executions.ts';

/** How long console output stays in memory once a later one is shown, in ms. */
const FORMER_MS = 30_000;

/** The console output of the latest iteration of a node of a debug run, as lines; none of a node without debug data. */
export const consoleQuery = (executionId: string, nodeId: string, finishedAt: string | null) =>
  queryOptions({
    queryKey: ['console', executionId, nodeId, finishedAt],
    queryFn: async ({ signal }) => linesOf((await readDebug(executionId, nodeId, { signal }))?.console),
    gcTime: FORMER_MS,
  });

/** Returns the latest console output of a node that was read; undefined if none was. */
export function formerConsole(queryClient: QueryClient, executionId: string, nodeId: string): string[] | undefined {
  return queryClient
    .getQueriesData<string[]>({ queryKey: ['console', executionId, nodeId] })
    .findLast(([, lines]) => lines !== undefined)?.[1];
}

function linesOf(console: unknown): string[] {
  return Array.isArray(console) ? console.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))) : [];
}
