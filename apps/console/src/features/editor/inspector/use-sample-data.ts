import type { Definition, Execution, JsonValue } from '@deckhand/contracts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { lastRunQuery, runQuery } from '../../../api/executions.ts';
import { variablesQuery } from '../../../api/variables.ts';
import type { SampleData } from '../../../forms/sample-data.ts';
import type { NodeTypes } from '../../../graph/handles.ts';
import { readOutput } from '../../runs/loop-items.ts';
import { useCanvasRuns } from '../runs/canvas-runs.tsx';
import { definitionOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { isErrorOutput, shapeOfOutput, shapeOfTrigger } from '../model/shapes.ts';
import { loopAround, nodesBefore, type Outcome, outcomeOf, sourcesOf } from '../model/upstream.ts';

const SUCCESSFUL = { status: 'success' } as const;

/**
 * Returns the data for previews of a node's expressions. They are from the run on the canvas;
 * without one, from the workflow's last run.
 */
export function useSampleData(nodeId: string): SampleData {
  const queryClient = useQueryClient();
  const { workflow, model } = useEditorSession();
  const { id: workflowId, workspaceId } = workflow;
  const { types } = model;
  const definition = useEditor(definitionOf);
  const shown = useCanvasRuns().shown.run;
  const last = useQuery({ ...lastRunQuery(workspaceId, workflowId), enabled: shown === undefined });
  const lastId = last.data?.data[0]?.executionId;
  const read = useQuery({ ...runQuery(lastId ?? ''), enabled: shown === undefined && lastId !== undefined });
  const run = shown ?? read.data;
  // A run that failed or is in progress has no outputs of later nodes: those of the last success are shown then.
  const needsSuccess = run !== undefined && run.status !== 'success';
  const success = useQuery({ ...lastRunQuery(workspaceId, workflowId, SUCCESSFUL), enabled: needsSuccess });
  const successId = success.data?.data[0]?.executionId;
  const earlier = useQuery({ ...runQuery(successId ?? ''), enabled: needsSuccess && successId !== undefined }).data;
  return useMemo(
    () =>
      sampleOf(
        { queryClient, workspaceId, definition, types, run, earlier: needsSuccess ? earlier : undefined },
        nodeId,
      ),
    [queryClient, workspaceId, definition, types, run, earlier, needsSuccess, nodeId],
  );
}

interface Sources {
  readonly queryClient: QueryClient;
  readonly workspaceId: string;
  readonly definition: Definition;
  readonly types: NodeTypes;
  readonly run: Execution | undefined;
  /** The last successful run before it, for nodes that it has not reached. */
  readonly earlier: Execution | undefined;
}

function sampleOf(sources: Sources, nodeId: string): SampleData {
  const { queryClient, workspaceId, definition, types, run } = sources;
  const loop = loopAround(definition, nodeId, types);
  const outcomeHere = (of: string): Outcome => outcomeOf(definition, { of, at: nodeId, types });
  return {
    run: run && { id: run.executionId, mode: run.executionMode, trigger: run.data.trigger },
    before: nodesBefore(definition, nodeId),
    links: definition.nodes.flatMap(({ id, parameters }) => (parameters?.allowLinks === true ? [id] : [])),
    sources: sourcesOf(definition, nodeId, types),
    tryData: (id) => sampleOf(sources, id),
    loop: loop && (() => ({ items: loop.parameters?.items ?? [], data: sampleOf(sources, loop.id) })),
    async output(id) {
      const outcome = outcomeHere(id);
      // The run may have taken another branch than that of the node.
      const fits = (output: JsonValue): boolean =>
        outcome === 'either' || isErrorOutput(output) === (outcome === 'error');
      for (const from of [run, sources.earlier]) {
        const output = await readOutput(queryClient, from, id);
        if (output !== undefined && fits(output)) return output;
      }
      return undefined;
    },
    shapes: {
      trigger: shapeOfTrigger(definition, types),
      output: (id) => shapeOfOutput(definition, id, { types, outcome: outcomeHere(id) }),
    },
    async vars() {
      const query = { ...variablesQuery(workspaceId), staleTime: 60_000 };
      const { data } = await queryClient.query(query).catch(() => ({ data: [] }));
      return Object.fromEntries(data.map(({ name, value }) => [name, value]));
    },
  };
}
