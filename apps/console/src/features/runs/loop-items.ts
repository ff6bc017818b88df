import { type Definition, type Execution, isFinished, type JsonValue } from '@deckhand/contracts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { outputQuery } from '../../api/executions.ts';
import { useNodeTypes } from '../../api/workflows.ts';
import { readPastItemsOf } from '../../code/load.ts';
import { loopsAround } from './iteration.ts';
import { containersOf } from './sources.ts';

/** Maximum size of an output that is fetched for a preview, in bytes. */
const MAX_OUTPUT_BYTES = 4_194_304;

/** Returns the output of a node in the run; undefined if it is not available, or too large for a preview. */
export async function readOutput(
  queryClient: QueryClient,
  run: Execution | undefined,
  nodeId: string,
): Promise<JsonValue | undefined> {
  const progress = run?.progress[nodeId];
  if (!run || progress?.outputOmitted !== true || progress.outputBytes > MAX_OUTPUT_BYTES) return undefined;
  const query = outputQuery(run.executionId, nodeId, undefined, progress.finishedAt);
  const response = await queryClient.query({ ...query, staleTime: Infinity }).catch(() => undefined);
  return response?.output;
}

/**
 * Returns the output that a node had in a run; undefined for a node without one.
 * @throws Error if it cannot be read: a list that is evaluated without it would be another one.
 */
export async function readPastOutput(
  queryClient: QueryClient,
  run: Execution,
  nodeId: string,
): Promise<JsonValue | undefined> {
  const output = await readOutput(queryClient, run, nodeId);
  if (output === undefined && run.progress[nodeId]?.outputOmitted === true)
    throw new Error(`the output of ${nodeId} cannot be read`);
  return output;
}

/**
 * Returns the items of the loop around a node, in a finished run; none for nodes in several loops, and where the list
 * cannot be evaluated again.
 */
export function useLoopItems(run: Execution, nodeId: string, definition: Definition): readonly JsonValue[] {
  const types = useNodeTypes();
  const queryClient = useQueryClient();
  const [loopId = '', ...others] = loopsAround(nodeId, definition, types);
  const items = definition.nodes.find(({ id }) => id === loopId)?.parameters?.items;
  // What begins the body of a container has another input than an output.
  const isPlain = others.length === 0 && containersOf(loopId, definition, types).length === 0;
  const read = async (): Promise<readonly JsonValue[]> => {
    const before = definition.edges.filter(({ target }) => target === loopId).map(({ source }) => source);
    return readPastItemsOf(items ?? [], {
      run: { id: run.id, mode: run.executionMode, trigger: run.data.trigger },
      before,
      links: [],
      sources: [...new Set(before)].map((source) => ({ nodeId: source, gives: 'output' })),
      tryData: () => {
        throw new Error('The loop does not begin the body of a try');
      },
      loop: undefined,
      output: (id) =>
        id === run.data.triggerNodeId ? Promise.resolve(run.data.trigger) : readPastOutput(queryClient, run, id),
      shapes: { trigger: {}, output: () => undefined },
      vars: () => Promise.resolve({}),
    });
  };
  const query = useQuery({
    queryKey: ['loop-items', run.id, loopId],
    queryFn: read,
    enabled: isPlain && items !== undefined && isFinished(run.status),
    staleTime: Infinity,
  });
  return query.data ?? [];
}
