import {
  AnyObject,
  IDEMPOTENCY_KEY_PATTERN,
  RUN_NODE_ID_PATTERN,
  ReadOutputQuery,
  Tags,
  VersionChoice,
} from '@deckhand/contracts';
import Type from 'typebox';
import { readOutput } from '../../runs/read-output.ts';
import { stopRun } from '../../runs/stop-run.ts';
import { runToOutcome } from '../questions.ts';
import { MAX_WAIT_SECONDS } from '../run-outcome.ts';
import { defineTool, json, jsonText, READS } from '../tool.ts';
import { CLOSED, Uuid } from './arguments.ts';
import { STARTS_RUNS } from '../../auth/authenticate.ts';
import { startAndWait } from './start-and-wait.ts';

/** Characters of an output that a call returns at most. */
const MAX_OUTPUT_CHARS = 65_536;

/** How long a call waits for a run. */
const WAIT = {
  waitSeconds: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: MAX_WAIT_SECONDS,
      description: 'How long to wait until the run is finished or waits for a person',
    }),
  ),
};

/** Tools that start, read and stop runs. */
export const runTools = [
  defineTool({
    name: 'deckhand_start_workflow',
    title: 'Start a workflow',
    description:
      'Starts a run of the latest version of a workflow, or of another one, and waits for its result. A run that takes longer goes on: wait for it with deckhand_wait_for_run. Give an `idempotencyKey` to start nothing twice.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    needed: STARTS_RUNS,
    takesData: true,
    input: Type.Object(
      {
        workflowId: Uuid,
        input: Type.Optional({ ...AnyObject, description: 'The trigger data of the run' }),
        version: Type.Optional(VersionChoice),
        tags: Type.Optional(Tags),
        idempotencyKey: Type.Optional(
          Type.String({
            pattern: IDEMPOTENCY_KEY_PATTERN,
            description: 'Calls with the same key within 24 hours have one run',
          }),
        ),
        ...WAIT,
      },
      CLOSED,
    ),
    act(call, { workflowId, idempotencyKey: key, waitSeconds = MAX_WAIT_SECONDS, ...body }) {
      return startAndWait(call, workflowId.toLowerCase(), { body, key, waitSeconds });
    },
  }),
  defineTool({
    name: 'deckhand_get_run',
    title: 'Get a run',
    description:
      'Returns a run with the status of each node, without outputs: read those with deckhand_get_node_output.',
    annotations: READS,
    needed: { scope: 'executions:read' },
    input: Type.Object({ executionId: Uuid }, CLOSED),
    async act({ runs, caller }, { executionId }) {
      return jsonText((await runs.executions.read(caller, executionId.toLowerCase(), { isSlim: true })).json);
    },
  }),
  defineTool({
    name: 'deckhand_wait_for_run',
    title: 'Wait for a run',
    description:
      'Waits until a run is finished or waits for a person, up to `waitSeconds`, and returns its status, its result or its error.',
    annotations: READS,
    needed: { scope: 'executions:read' },
    input: Type.Object({ executionId: Uuid, ...WAIT }, CLOSED),
    act(call, { executionId, waitSeconds = MAX_WAIT_SECONDS }) {
      return runToOutcome(call, waitSeconds, () => Promise.resolve(executionId.toLowerCase()));
    },
  }),
  defineTool({
    name: 'deckhand_get_node_output',
    title: 'Get the output of a node',
    description:
      'Returns the output of a node of a run, as JSON text. A long one comes in parts: `nextOffset` is the `offset` of the next part.',
    annotations: READS,
    needed: { scope: 'executions:read' },
    input: Type.Object(
      {
        executionId: Uuid,
        nodeId: Type.String({ pattern: RUN_NODE_ID_PATTERN.source }),
        iteration: ReadOutputQuery.properties.iteration,
        offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'In characters' })),
      },
      CLOSED,
    ),
    async act({ runs, caller }, { executionId, nodeId, iteration, offset = 0 }) {
      const request = { executionId: executionId.toLowerCase(), nodeId, iteration };
      const text = await readOutput(runs, caller, request);
      if (offset === 0 && text.length <= MAX_OUTPUT_CHARS) return jsonText(text);
      const end = offset + MAX_OUTPUT_CHARS;
      const next = end < text.length ? { nextOffset: end } : {};
      return json({ part: text.slice(offset, end), offset, characters: text.length, ...next });
    },
  }),
  defineTool({
    name: 'deckhand_stop_run',
    title: 'Stop a run',
    description: 'Stops an unfinished run and the runs that it started. It cannot be continued.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    needed: { scope: 'executions:write' },
    input: Type.Object({ executionId: Uuid }, CLOSED),
    async act({ runs, caller }, { executionId }) {
      const id = executionId.toLowerCase();
      await stopRun(runs, caller, id);
      return json({ executionId: id, status: 'stopped' });
    },
  }),
];
