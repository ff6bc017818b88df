import type { Definition } from '@deckhand/contracts';
import { type Database, startRuns } from '@deckhand/db';
import { compileWorkflow } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { v7 as uuidv7 } from 'uuid';
import { UNCOUNTED } from './start-limits.ts';

/** A workspace with an owner and one saved workflow. */
export interface Seed {
  readonly userId: string;
  readonly workspaceId: string;
  readonly workflowId: string;
  /** Starts a run as the API would, without adding its job. @returns its id. */
  accept(input?: object): Promise<string>;
}

/** Puts a workflow into the database. @throws when the definition has issues. */
export async function seedWorkflow(db: Database, definition: Definition): Promise<Seed> {
  const compiled = compileWorkflow(definition, await loadNodeTypes());
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  const { timeoutMs, countsHeldTime, triggers } = compiled.workflow;
  const [userId, workspaceId, workflowId, versionId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await db.user.create({ data: { id: userId, email: `${userId}@test.local`, name: 'Test', passwordHash: '-' } });
  await db.workspace.create({ data: { id: workspaceId, name: 'Test' } });
  await db.membership.create({ data: { workspaceId, userId, role: 'owner' } });
  await db.workflow.create({ data: { id: workflowId, workspaceId, name: 'Test' } });
  await db.workflowVersion.create({
    data: {
      id: versionId,
      workflowId,
      number: 1,
      definition,
      timeoutMs,
      countsHeldTime,
      triggerNodeIds: triggers.map(({ nodeId }) => nodeId),
      ...(definition.settings?.concurrency && { concurrency: definition.settings.concurrency }),
    },
  });
  await db.workflow.update({ where: { id: workflowId }, data: { latestVersionId: versionId } });
  return {
    userId,
    workspaceId,
    workflowId,
    async accept(input = {}) {
      const executionId = uuidv7();
      const [verdict] = await startRuns(
        db,
        [
          {
            executionId,
            workflowId,
            actor: { userId, boundTo: null },
            triggerNodeId: null,
            mode: 'normal',
            source: 'api',
            triggerData: JSON.stringify(input),
          },
        ],
        UNCOUNTED,
      );
      if (verdict?.kind !== 'accepted') throw new Error(`the run was not accepted: ${JSON.stringify(verdict)}`);
      return executionId;
    },
  };
}

/** A definition that is one chain: the trigger, then the given nodes. */
export function chain(...nodes: Definition['nodes']): Definition {
  const all = [{ id: 'start', type: 'trigger.manual' }, ...nodes];
  return {
    nodes: all,
    edges: nodes.map((node, index) => ({ source: all[index]?.id ?? '', target: node.id })),
  };
}
