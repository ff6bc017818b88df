import type { ExecuteBody } from '@deckhand/contracts';
import type { NeededScope } from '../../auth/access-rule.js';
import { toIdempotencyKey } from '../../runs/idempotency.js';
import { startRun } from '../../runs/start-run.js';
import { runToOutcome } from '../questions.js';
import type { ToolAnswer, ToolCall } from '../tool.js';

/** What starting a run needs. */
export const STARTS: NeededScope = { scope: 'workflows:write', startsRuns: true };

/** A start of a run, and how long to wait for it. */
interface Start {
  readonly body: ExecuteBody;
  /** Its idempotency key. */
  readonly key: string | undefined;
  readonly waitSeconds: number;
}

/** Starts a run and waits for it, if the key may read runs; otherwise returns its id. */
export async function startAndWait(
  call: ToolCall,
  workflowId: string,
  { body, key, waitSeconds }: Start,
): Promise<ToolAnswer> {
  const start = async (): Promise<string> => {
    const toKey = (asked: object) => (key === undefined ? undefined : toIdempotencyKey(key, asked));
    return (await startRun(call.services, call.caller, workflowId, body, toKey)).executionId;
  };
  if (call.may('executions:read')) return runToOutcome(call, waitSeconds, start);
  const next = 'The key may not read runs: it needs the scope executions:read for results';
  return { kind: 'outcome', value: { executionId: await start(), status: 'pending', next }, isError: false };
}
