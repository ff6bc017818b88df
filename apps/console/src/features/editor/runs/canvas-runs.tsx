import { type Definition, type Execution, isFinished, type RerunBody } from '@deckhand/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useCallback } from 'react';
import { lastRunQuery, rerun } from '../../../api/executions.ts';
import { useLiveRun } from '../../../api/follow-run.ts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { versionQuery } from '../../../api/workflows.ts';
import { notify, notifyProblem } from '../../../components/notice-board.ts';
import { i18n } from '../../../language/i18n.ts';
import { selectedNode } from '../model/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from '../model/editor-session.tsx';
import { isAboutDefinition } from '../model/issues.ts';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** The run that the canvas shows, updated live; the URL names it. */
export interface ShownRun {
  /** Undefined while none is shown. */
  readonly executionId: string | undefined;
  /** Undefined until it is read. */
  readonly run: Execution | undefined;
  /** The version that ran; undefined until it is read. */
  readonly version: { readonly number: number; readonly definition: Definition } | undefined;
  readonly error: unknown;
  /** Shows another run, or none. It does not change between renders. */
  readonly show: (executionId: string | undefined) => void;
}

/** The run on the canvas, and runs of the selected node, which save the canvas first and are then shown on it. */
export interface CanvasRuns {
  readonly shown: ShownRun;
  /** Runs the selected node alone; undefined where it cannot. */
  readonly test: (() => void) | undefined;
  /** Reruns the run from the selected node; undefined where it cannot. */
  readonly rerun: (() => void) | undefined;
  readonly isStarting: boolean;
}

const CanvasRunsContext = createContext<CanvasRuns | undefined>(undefined);

/** Returns the runs of the editor around the component. */
export function useCanvasRuns(): CanvasRuns {
  const runs = use(CanvasRunsContext);
  if (!runs) throw new Error('There is a CanvasRunsProvider around this component only in the editor');
  return runs;
}

/** Provides the runs to the parts of the editor. */
export function CanvasRunsProvider({ children }: { children: ReactNode }) {
  const { workflow, model, versions } = useEditorSession();
  const { workspaceId, can } = useWorkspace();
  const shown = useShownRun(workflow.id);
  const node = useEditor(selectedNode);
  const pinned = usePinnedOutputs();
  const start = useMutation({
    async mutationFn({ executionId, ...body }: RerunBody & { executionId: string }) {
      await versions.save();
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
    enabled: isOffCanvas && can('runs.start'),
  }).data?.data[0];

  const { run } = shown;
  const mocks = Object.keys(pinned).length > 0 ? { mocks: pinned } : {};
  // Without a run on the canvas, the node gets the input that it had in the last one.
  const source = isOffCanvas ? last : run;
  const isStartable = node !== undefined && can('runs.test');
  // A pinned node does not run, and a trigger has nothing before it.
  const canTest = isStartable && !model.types.get(node.type)?.isTrigger && pinned[node.id] === undefined;
  const runs: CanvasRuns = {
    shown,
    isStarting: start.isPending,
    rerun:
      isStartable && run && isFinished(run.status)
        ? () =>
            start.mutate({
              executionId: run.id,
              fromNodeId: node.id,
              ...(run.executionMode === 'normal' ? {} : mocks),
            })
        : undefined,
    test:
      canTest && source && isFinished(source.status)
        ? () =>
            start.mutate({
              executionId: source.executionId,
              fromNodeId: node.id,
              untilNodeId: node.id,
              // Its logs are kept in the mode debug only.
              executionMode: source.executionMode === 'sandbox' ? 'sandbox' : 'debug',
              ...mocks,
            })
        : undefined,
  };
  return <CanvasRunsContext value={runs}>{children}</CanvasRunsContext>;
}

function useShownRun(workflowId: string): ShownRun {
  const { run: executionId } = route.useSearch();
  const navigate = route.useNavigate();
  const live = useLiveRun(executionId);
  // A URL may name a run of another workflow.
  const run = executionId === undefined || live.data?.workflowId !== workflowId ? undefined : live.data;
  const version = useQuery({
    ...versionQuery(workflowId, run?.workflowVersionId ?? ''),
    enabled: run !== undefined,
  });
  const show = useCallback(
    (next: string | undefined): void =>
      void navigate({ search: next === undefined ? {} : { run: next }, replace: true, resetScroll: false }),
    [navigate],
  );
  const isOther = live.data !== undefined && live.data.workflowId !== workflowId;
  return {
    executionId,
    run,
    version: run && version.data,
    error: isOther ? new Error(i18n.t('This run is one of another workflow')) : (live.error ?? version.error),
    show,
  };
}
