import {
  type Definition,
  type Execution,
  isJsonObject,
  type JsonObject,
  type NodeProgress,
  type NodeTypeEntry,
} from '@deckhand/contracts';

/** Nodes that wait for an answer from outside, which is their output. */
const ANSWERED = ['approval', 'human', 'wait.event'];

/**
 * Returns a run as a test of its workflow (docs/workflows-as-code.md): what it was started with, a mock for each node
 * that acted outside or waited for somebody, and how it ended. A node in a loop gets the mock of its last iteration.
 */
export function toTest(
  run: Pick<Execution, 'status' | 'createdAt' | 'progress' | 'data' | 'result' | 'error'>,
  definition: Definition,
  types: ReadonlyMap<string, Pick<NodeTypeEntry, 'hasEffects'>>,
): JsonObject {
  const mocks = Object.fromEntries(
    definition.nodes.flatMap(({ id, type, credentialId }) => {
      const needsMock = types.get(type)?.hasEffects === true || credentialId !== undefined || ANSWERED.includes(type);
      const mock = needsMock ? toMock(type, run.progress[id]) : undefined;
      return mock ? [[id, mock] as const] : [];
    }),
  );
  const hasLoops = Object.values(run.progress).some(({ iterations }) => iterations !== undefined);
  return {
    name: `run of ${run.createdAt}`,
    ...(isJsonObject(run.data.trigger) && { input: run.data.trigger }),
    trigger: run.data.triggerNodeId,
    now: run.createdAt,
    mocks,
    expect: {
      status: run.status === 'success' ? 'success' : 'failed',
      // In a loop, the path has each iteration, which the run does not show.
      ...(!hasLoops && { path: pathOf(run.progress, definition) }),
      ...(isJsonObject(run.result) && 'body' in run.result && { result: run.result.body ?? null }),
      ...(run.error && {
        error: { ...(run.error.nodeId !== null && { node: run.error.nodeId }), code: run.error.code },
      }),
    },
  };
}

function toMock(type: string, progress: NodeProgress | undefined): JsonObject | undefined {
  if (progress?.error) return { error: { ...progress.error, retry: false } };
  if (progress?.status !== 'success' || progress.output === undefined) return undefined;
  const { output } = progress;
  if (!ANSWERED.includes(type)) return { output };
  // A wait for an event that none ended has its input as output.
  if (type === 'wait.event' && !(isJsonObject(output) && 'receivedAt' in output)) return undefined;
  return { answer: output };
}

/** Returns the nodes that ended, in their order; of those that ended at the same time, along the edges. */
function pathOf(progress: Execution['progress'], { nodes, edges }: Definition): string[] {
  const ranks = new Map(nodes.map(({ id }) => [id, 0]));
  let isChanged = true;
  // A graph without cycles: no rank is above the number of nodes.
  for (let pass = 0; isChanged && pass < nodes.length; pass += 1) {
    isChanged = false;
    for (const { source, target } of edges) {
      const rank = (ranks.get(source) ?? 0) + 1;
      if (rank <= (ranks.get(target) ?? 0)) continue;
      ranks.set(target, rank);
      isChanged = true;
    }
  }
  return Object.entries(progress)
    .flatMap(([id, { status, finishedAt }]) =>
      (status === 'success' || status === 'failed') && finishedAt !== null
        ? [{ id, endedAt: Date.parse(finishedAt), rank: ranks.get(id) ?? 0 }]
        : [],
    )
    .sort((a, b) => a.endedAt - b.endedAt || a.rank - b.rank)
    .map(({ id }) => id);
}

/** Returns a test as an item of the list `tests` in the file of a workflow: JSON is YAML, too. */
export function testAsYaml(test: JsonObject): string {
  return `  - ${JSON.stringify(test, null, 2).replaceAll('\n', '\n    ')}`;
}
