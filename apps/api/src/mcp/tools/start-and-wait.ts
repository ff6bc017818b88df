import type { ExecuteBody } from '@deckhand/contracts';
import { toIdempotencyKey } from '../../http/read-request.ts';
import { startRun } from '../../runs/start-run.ts';
import { runToOutcome } from '../questions.ts';
import type { ToolAnswer, ToolCall } from '../tool.ts';

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
  let executionId: string | undefined;
  const start = async (): Promise<string> => {
    const toKey = (asked: object) => (key === undefined ? undefined : toIdempotencyKey(key, asked));
    ({ executionId } = await startRun(call.starts, call.caller, workflowId, body, toKey));
    return executionId;
  };
  if (!call.may('executions:read')) {
    return started(await start(), 'The key may not read runs: it needs the scope executions:read for results');
  }
  try {
    return await runToOutcome(call, waitSeconds, start);
  } catch (error) {
    if (executionId === undefined) throw error;
    // An error would be read as if nothing had started, and a repeated call starts a second run.
    call.starts.logger.warn({ err: error, executionId }, 'failed to wait for a started run');
    return started(executionId, 'It was started, but could not be awaited: call deckhand_wait_for_run');
  }
}

function started(executionId: string, next: string): ToolAnswer {
  return { kind: 'outcome', value: { executionId, status: 'pending', next }, isError: false };
}
