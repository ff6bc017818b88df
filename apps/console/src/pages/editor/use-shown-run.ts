import type { Definition, Execution, Workflow } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useLiveRun } from '../../api/follow-run.ts';
import { versionQuery } from '../../api/workflows.ts';
import { i18n } from '../../language/i18n.ts';

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

/** Returns the run of a workflow that its canvas shows. */
export function useShownRun({ id }: Workflow): ShownRun {
  const { run: executionId } = route.useSearch();
  const navigate = route.useNavigate();
  const live = useLiveRun(executionId);
  // A URL may name a run of another workflow.
  const run = executionId === undefined || live.data?.workflowId !== id ? undefined : live.data;
  const version = useQuery({
    ...versionQuery(id, run?.workflowVersionId ?? ''),
    enabled: run !== undefined,
  });
  const show = useCallback(
    (next: string | undefined): void =>
      void navigate({ search: next === undefined ? {} : { run: next }, replace: true, resetScroll: false }),
    [navigate],
  );
  const isOther = live.data !== undefined && live.data.workflowId !== id;
  return {
    executionId,
    run,
    version: run && version.data,
    error: isOther ? new Error(i18n.t('This run is one of another workflow')) : (live.error ?? version.error),
    show,
  };
}
