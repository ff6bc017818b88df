import { pagesByOffset } from '@deckhand/sdk';
import { type ApprovalEntry, listApprovals as listPage } from '@deckhand/sdk/operations';
import { askChoice, canAsk, EXIT, ExitError, misused, table } from '@deckhand/terminal';
import { Command, Option } from 'commander';
import type { Connection } from '../connection.ts';
import type { Context } from '../context.ts';
import { timeText } from '../format.ts';
import { MAX_PAGE, take } from '../take.ts';

interface ApproveOptions {
  readonly decision?: string;
  readonly reject?: boolean;
  readonly node?: string;
  readonly wait?: string;
  readonly comment?: string;
}

/** Creates `approve`, which decides pending approvals. */
export function approveCommand(context: Context): Command {
  return new Command('approve')
    .summary('decide an approval that a run waits for, or list them')
    .description(
      'Without a run, lists the pending approvals of the workspace that you may decide; on a terminal, asks which one, and how.',
    )
    .argument('[run]', 'the id of the waiting run')
    .addOption(new Option('--decision <choice>', 'one of the choices; approved by default').conflicts('reject'))
    .option('--reject', 'the same as --decision rejected')
    .option('--node <node>', 'the approval node, if the run waits at several')
    .option('--wait <id>', 'the id of the wait, if the node waits in several iterations of a loop')
    .option('--comment <text>', 'a note that is kept with the decision')
    .action(async (runId: string | undefined, options: ApproveOptions) => {
      const connection = await context.connect();
      if (runId === undefined && (context.output.isJson || !canAsk())) return listApprovals(context, connection);
      return runId === undefined ? ask(context, connection, options) : decide(context, connection, runId, options);
    });
}

/** Returns the pending approvals of a workspace that the caller may answer. */
function pending({ deckhand: { client } }: Connection, workspaceId: string): Promise<readonly ApprovalEntry[]> {
  const pages = pagesByOffset(async (position) => {
    const query = { workspaceId, canAnswer: true, limit: MAX_PAGE, ...position };
    return (await listPage({ client, query, throwOnError: true })).data;
  });
  return take(pages);
}

async function listApprovals({ output }: Context, connection: Connection): Promise<void> {
  const entries = await pending(connection, await connection.workspaceId());
  output.result(entries, () =>
    table(
      ['run', 'node', 'workflow', 'since', 'choices', 'message'],
      entries.map((entry) => [
        entry.id,
        entry.currentNodeId,
        entry.workflowName ?? entry.workflowId,
        timeText(entry.waitingSince),
        entry.choices.join(', '),
        entry.message,
      ]),
      'Nothing waits for an approval of yours.',
    ),
  );
}

async function ask(context: Context, connection: Connection, options: ApproveOptions): Promise<void> {
  const entries = await pending(connection, await connection.workspaceId());
  if (entries.length === 0) throw new ExitError('Nothing waits for an approval of yours.', EXIT.notFound);
  const entry = await askChoice(
    'Which approval?',
    entries.map((value) => ({ value, label: `${value.workflowName ?? ''} ${value.currentNodeId}: ${value.message}` })),
  );
  const named = options.reject ? 'rejected' : options.decision;
  const decision =
    named ??
    (await askChoice(
      entry.message,
      entry.choices.map((value) => ({ value, label: value })),
    ));
  await submit(context, connection, entry, decision, options.comment);
}

async function decide(context: Context, connection: Connection, id: string, options: ApproveOptions): Promise<void> {
  const { workspaceId, status } = await connection.deckhand.runs.of(id).get({ slim: true });
  const entries = (await pending(connection, workspaceId)).filter(
    (entry) =>
      entry.id === id.toLowerCase() &&
      (options.node === undefined || entry.currentNodeId === options.node) &&
      (options.wait === undefined || entry.waitId === options.wait),
  );
  const [entry] = entries;
  if (!entry)
    throw new ExitError(`Run ${id} does not wait for this approval, or not for yours: its status is ${status}.`);
  if (entries.length > 1) {
    const waits = entries.map(({ currentNodeId, waitId }) => `${waitId} (${currentNodeId})`);
    throw misused(`Run ${id} waits for ${entries.length} approvals: name one with --wait: ${waits.join(', ')}.`);
  }
  const decision = options.reject ? 'rejected' : (options.decision ?? 'approved');
  if (!entry.choices.includes(decision)) {
    throw misused(
      `${decision} is not a choice of ${entry.currentNodeId}: use --decision with one of ${entry.choices.join(', ')}.`,
    );
  }
  await submit(context, connection, entry, decision, options.comment);
}

async function submit(
  { output }: Context,
  { deckhand }: Connection,
  entry: ApprovalEntry,
  decision: string,
  comment: string | undefined,
): Promise<void> {
  const { id: executionId, currentNodeId: nodeId, waitId } = entry;
  await deckhand.approvals.submit({ executionId, nodeId, waitId, decision, ...(comment !== undefined && { comment }) });
  output.result({ executionId, nodeId, waitId, decision }, () => [`${decision}: run ${executionId} continues.`]);
}
