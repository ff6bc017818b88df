import { SubmitApprovalBody } from '@deckhand/contracts';
import { listApprovals } from '@deckhand/db';
import Type from 'typebox';
import { decide } from '../../runs/decide.ts';
import { defineTool, json, READS } from '../tool.ts';
import { CLOSED, PAGE, WORKSPACE } from './arguments.ts';

/** Tools for approvals. */
export const approvalTools = [
  defineTool({
    name: 'deckhand_list_approvals',
    title: 'List approvals',
    description: 'Lists the approvals that runs of a workspace wait for, the oldest first, with their choices.',
    annotations: READS,
    needed: { scope: 'approvals:read' },
    input: Type.Object({ ...WORKSPACE, ...PAGE }, CLOSED),
    async act({ runs, caller, workspace }, { workspaceId, limit = 50, offset = 0 }) {
      const page = { limit, offset, includeTotal: false };
      return json(await listApprovals(runs.db, caller, { workspaceId: await workspace(workspaceId), ...page }));
    },
  }),
  defineTool({
    name: 'deckhand_submit_approval',
    title: 'Submit a decision',
    description:
      'Submits a decision on an approval, which continues the run. Ask a person first: approvals exist so that people decide. The first decision counts.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    needed: { scope: 'approvals:write' },
    input: SubmitApprovalBody,
    async act({ runs, caller }, body) {
      return json(await decide(runs, caller, body));
    },
  }),
];
