import { DeckhandError, type Run } from '@deckhand/sdk';
import { type Definition, type ExecutionResponse, getExecutionResult, getVersion } from '@deckhand/sdk/operations';
import { EXIT, type ExitCode, ExitError, type Text, toJson } from '@deckhand/terminal';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { elapsedText, statusText } from '../format.ts';
import { untilInterrupted } from './interrupt.ts';
import { createView, type View } from './view.ts';

/** How to follow a run. */
export interface FollowOptions {
  /** Stop following after so many seconds; the run continues. */
  readonly timeout?: number;
}

/**
 * Follows a run to its end, prints its result, and sets the exit code by its status. Ctrl+C and the time limit end the
 * following, and not the run.
 * @throws ExitError for both.
 */
export async function followRun(
  { output }: Context,
  connection: Connection,
  run: Run,
  { timeout }: FollowOptions,
): Promise<void> {
  const continues = `Run ${run.id} continues: "deckhand runs follow ${run.id}" follows it, "deckhand runs stop ${run.id}" stops it.`;
  const last = await untilInterrupted(continues, async (signal) => {
    let view: View | undefined;
    let execution: ExecutionResponse | undefined;
    const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
    try {
      for await (const state of run.events({ signal, ...limit })) {
        view ??= createView(output, output.isJson ? undefined : await findDefinition(connection, state));
        view.show(state);
        execution = state;
      }
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      throw isLate ? new ExitError(`Not finished within ${timeout ?? 0} s. ${continues}`, EXIT.timedOut) : error;
    } finally {
      view?.end();
    }
    return execution ?? (await run.get({ slim: true }));
  });
  await printEnd(last);

  async function printEnd(execution: ExecutionResponse): Promise<void> {
    const result = execution.resultOmitted ? await readResult(connection, run.id) : execution.result;
    output.result({ ...execution, result, resultOmitted: undefined }, () => endOf(execution, result));
    process.exitCode = exitCodeOf(execution.status);
  }
}

async function readResult({ deckhand: { client } }: Connection, id: string): Promise<ExecutionResponse['result']> {
  return (await getExecutionResult({ client, path: { id }, throwOnError: true })).data.result;
}

/** Returns the lines about the end of a run: its status, its error, and the body of its result. */
export function endOf(execution: ExecutionResponse, result: ExecutionResponse['result']): Text[] {
  const { executionId, status, startedAt, finishedAt, error } = execution;
  const lines: Text[] = [
    [`Run ${executionId}  `, statusText(status), `  ${elapsedText(startedAt, finishedAt, Date.now())}`],
  ];
  if (error) {
    const where = error.nodeId === null ? '' : `${error.nodeId}: `;
    lines.push({ text: `${where}${error.message} (${error.code})`, style: 'red' });
  }
  const isResponse = typeof result === 'object' && result !== null && !Array.isArray(result) && 'body' in result;
  const body = isResponse ? result.body : result;
  if (body !== null && body !== undefined) lines.push(...toJson(body, 2).split('\n'));
  return lines;
}

/** Reads the definition that a run follows; undefined if the key may not, so that the view does without. */
export async function findDefinition(
  { deckhand: { client } }: Connection,
  { workflowId, workflowVersionId }: ExecutionResponse,
): Promise<Definition | undefined> {
  try {
    const path = { id: workflowId, versionId: workflowVersionId };
    return (await getVersion({ client, path, throwOnError: true })).data.definition;
  } catch (error) {
    if (error instanceof DeckhandError) return undefined;
    throw error;
  }
}

/** Returns the exit code for the end of a run; 0 while it is not finished. */
function exitCodeOf(status: ExecutionResponse['status']): ExitCode {
  switch (status) {
    case 'failed':
      return EXIT.runFailed;
    case 'timeout':
      return EXIT.runTimedOut;
    case 'stopped':
      return EXIT.runStopped;
    case 'success':
    case 'pending':
    case 'running':
    case 'paused':
    case 'waiting_for_input':
    case 'waiting_for_human':
      return EXIT.done;
  }
}
