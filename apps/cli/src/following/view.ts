import type { Definition, ExecutionResponse } from '@deckhand/sdk/operations';
import { type Output, render, type Text } from '@deckhand/terminal';
import { clearScreenDown, moveCursor } from 'node:readline';
import { elapsedText, statusText } from '../format.ts';
import { details, inOrder, nodeRows } from './rows.ts';

/** Shows a run while it is followed, on the standard error. */
export interface View {
  show(execution: ExecutionResponse): void;
  /** Leaves the last state on the screen. */
  end(): void;
}

/** Interval at which running times are shown anew, in ms. */
const REFRESH_MS = 500;

/** Creates the view: a tree that changes in its place on a terminal, a line for each change elsewhere. */
export function createView(output: Output, definition: Definition | undefined): View {
  if (output.isJson) return { show: () => undefined, end: () => undefined };
  return process.stderr.isTTY ? onTerminal(process.stderr, definition) : inLog(output, definition);
}

function onTerminal(stream: NodeJS.WriteStream, definition: Definition | undefined): View {
  let drawn = 0;
  let shown: ExecutionResponse | undefined;
  const draw = (): void => {
    if (!shown) return;
    moveCursor(stream, 0, -drawn);
    clearScreenDown(stream);
    // A line that wraps, or one above the screen, could not be replaced.
    const lines = fit(linesOf(shown, definition), stream.rows - 1);
    stream.write(lines.map((line) => `${render(line, stream, stream.columns - 1)}\n`).join(''));
    drawn = lines.length;
  };
  const timer = setInterval(draw, REFRESH_MS);
  return {
    show(execution) {
      shown = execution;
      draw();
    },
    end() {
      clearInterval(timer);
      draw();
    },
  };
}

function linesOf(execution: ExecutionResponse, definition: Definition | undefined): Text[] {
  const now = Date.now();
  const { workflowName, executionId, status, startedAt, finishedAt } = execution;
  const title: Text = [
    { text: workflowName ?? execution.workflowId, style: 'bold' },
    { text: `  ${executionId}  `, style: 'dim' },
    statusText(status),
    { text: `  ${elapsedText(startedAt, finishedAt, now)}`, style: 'dim' },
  ];
  const hint = hintOf(execution);
  // Below the title: a long tree is cut at its end.
  return [title, ...(hint === undefined ? [] : [hint]), ...nodeRows(execution, definition, now)];
}

/** Returns what has to happen for the run to go on; undefined if nothing has. */
function hintOf({ status, executionId }: ExecutionResponse): string | undefined {
  if (status === 'waiting_for_input') return `It waits for a decision: "deckhand approve ${executionId}".`;
  if (status === 'waiting_for_human') return `It waits for a form: "deckhand runs open ${executionId}".`;
  return status === 'paused' ? 'It is paused: someone has to resume it.' : undefined;
}

function fit(lines: readonly Text[], rows: number): readonly Text[] {
  if (lines.length <= rows) return lines;
  const room = Math.max(1, rows - 1);
  return [...lines.slice(0, room), { text: `… ${lines.length - room} more nodes`, style: 'dim' }];
}

function inLog(output: Output, definition: Definition | undefined): View {
  const last = new Map<string, string>();
  let status = '';
  return {
    show(execution) {
      const now = Date.now();
      for (const [nodeId, node] of inOrder(execution, definition)) {
        if (node.status === 'pending' || last.get(nodeId) === node.status) continue;
        last.set(nodeId, node.status);
        const shown = node.status === 'success' ? ['  ', statusText(node.status)] : [];
        output.message([nodeId, ...shown, ...details(node, now)]);
      }
      const hint = hintOf(execution);
      if (execution.status !== status) {
        output.message(['run  ', statusText(execution.status)]);
        if (hint !== undefined) output.message(hint);
      }
      status = execution.status;
    },
    end: () => undefined,
  };
}
