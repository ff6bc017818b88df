import { isFinished, type NodeDefinition, type RerunBody, type Workflow } from '@deckhand/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lastRunQuery, rerun } from '../../api/executions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { notify, notifyProblem } from '../../components/notice-board.ts';
import { isAboutDefinition } from '../../editor/issues.ts';
import type { Pins } from '../../editor/use-pins.ts';
import type { NodeTypes } from '../../graph/handles.ts';
import type { NodeActionsOf } from './node-actions.tsx';
import type { ShownRun } from './use-shown-run.ts';

/**
 * Runs a node again, and tests it alone; both save the canvas first, and the run is then shown on it.
 * @param node the selected one
 * @returns what starts such a run; undefined where it cannot.
 */
export function useNodeRuns(
  workflow: Workflow,
  node: NodeDefinition | undefined,
  {
    shown,
    pins,
    types,
    onSave,
  }: { shown: ShownRun; pins: Pins; types: NodeTypes; onSave: () => Promise<string | null> },
): Pick<NodeActionsOf, 'onTest' | 'onRerun' | 'isStarting'> {
  const { workspaceId, can } = useWorkspace();
  const start = useMutation({
    async mutationFn({ executionId, ...body }: RerunBody & { executionId: string }) {
      await onSave();
      return rerun(executionId, body);
    },
    onSuccess({ executionId, warning }) {
      shown.show(executionId);
      if (warning !== undefined) notify(warning);
    },
    onError: (error) => {
      if (!isAboutDefinition(error)) notifyProblem(error);
    },
  });
  const isOffCanvas = shown.executionId === undefined;
  const last = useQuery({
    ...lastRunQuery(workspaceId, workflow.id),
    enabled: isOffCanvas && can('editor'),
  }).data?.data[0];
  const { isPending: isStarting } = start;
  if (node === undefined || !can('editor')) return { onTest: undefined, onRerun: undefined, isStarting };

  const { run } = shown;
  const mocks = Object.keys(pins.outputs).length > 0 ? { mocks: pins.outputs } : {};
  const onRerun =
    run && isFinished(run.status)
      ? () =>
          start.mutate({
            executionId: run.id,
            fromNodeId: node.id,
            ...(run.executionMode === 'normal' ? {} : mocks),
          })
      : undefined;
  // Without a run on the canvas, the node gets the input that it had in the last one.
  const source = isOffCanvas ? last : run;
  // A pinned node does not run, and a trigger has nothing before it.
  const canTest = !types.get(node.type)?.isTrigger && pins.outputs[node.id] === undefined;
  const onTest =
    source && isFinished(source.status) && canTest
      ? () =>
          start.mutate({
            executionId: source.executionId,
            fromNodeId: node.id,
            untilNodeId: node.id,
            // Its logs are kept in the mode debug only.
            executionMode: source.executionMode === 'sandbox' ? 'sandbox' : 'debug',
            ...mocks,
          })
      : undefined;
  return { onTest, onRerun, isStarting };
}
