import { type ApprovalEntry, compileBody, DeckhandError, isJsonObject, SubmitApprovalBody } from '@deckhand/contracts';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { requireScope } from '../auth/authenticate.ts';
import { decide } from '../runs/decide.ts';
import { awaitOutcome, openApprovals, type RunOutcome } from './run-outcome.ts';
import type { ToolAnswer, ToolCall } from './tool.ts';

const parseDecision = compileBody(SubmitApprovalBody);

/**
 * Starts a run, waits for it, and returns how it stands. If it waits for approvals, the user of a client that can ask
 * is asked for the decisions; then the client repeats the call with the answers, which continues the same run.
 * @param start starts the run, and returns its id. Not called when the client repeats the call.
 */
export async function runToOutcome(
  call: ToolCall,
  waitSeconds: number,
  start: () => Promise<string>,
): Promise<ToolAnswer> {
  const { continued } = call;
  const executionId = continued ?? (await start());
  // A person who would not answer is not asked again.
  const mayAsk = continued === undefined || (await submitAnswers(call, continued));
  const outcome = await awaitOutcome(call, executionId, waitSeconds);
  const approvals = outcome.approvals ?? [];
  if (mayAsk && approvals.length > 0 && canAsk(call)) return ask(call, executionId, approvals);
  return toAnswer(outcome);
}

/** Returns an outcome as a result. */
function toAnswer(outcome: RunOutcome): ToolAnswer {
  const isError = outcome.status === 'failed' || outcome.status === 'timeout' || outcome.status === 'stopped';
  return { kind: 'outcome', value: { ...outcome }, isError };
}

/** Returns true if the client can show a form to its user, and the key may decide. */
function canAsk({ context, may }: ToolCall): boolean {
  // The SDK declares the envelope without its members.
  const capabilities: unknown = Reflect.get(context.mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
  const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined;
  if (!isJsonObject(elicitation) || !may('approvals:write')) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

async function ask(call: ToolCall, executionId: string, approvals: readonly ApprovalEntry[]): Promise<ToolAnswer> {
  const inputRequests = Object.fromEntries(
    approvals.map(({ waitId, message, choices }) => [
      waitId,
      inputRequired.elicit({
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            decision: { type: 'string', title: 'Decision', enum: [...choices] },
            comment: { type: 'string', title: 'Comment', maxLength: 10_000 },
          },
          required: ['decision'],
        },
      }),
    ]),
  );
  const requestState = await call.stateOf(executionId);
  return { kind: 'questions', result: inputRequired({ inputRequests, requestState }) };
}

/**
 * Submits the decisions that the client's user took.
 * @returns false if the user took none.
 * @throws DeckhandError as `decide`, unless another person has decided meanwhile.
 */
async function submitAnswers(call: ToolCall, executionId: string): Promise<boolean> {
  const { runs, caller, context } = call;
  requireScope(caller, { scope: 'approvals:write' });
  const responses = context.mcpReq.inputResponses;
  const { workspaceId } = await runs.executions.state(caller, executionId);
  const open = await openApprovals(call, executionId, workspaceId);
  let isAnswered = open.length === 0;
  for (const { waitId, currentNodeId: nodeId } of open) {
    const content = acceptedContent(responses, waitId);
    if (!isJsonObject(content)) {
      // An approval that was opened meanwhile was not asked for yet.
      if (inputResponse(responses, waitId).kind === 'missing') isAnswered = true;
      continue;
    }
    const { decision, comment } = content;
    const body = { executionId, nodeId, waitId, decision, ...(comment === undefined ? {} : { comment }) };
    await decide(runs, caller, parseDecision(body)).catch((error: unknown) => {
      if (!(error instanceof DeckhandError) || error.code !== 'ALREADY_DECIDED') throw error;
    });
    isAnswered = true;
  }
  return isAnswered;
}
