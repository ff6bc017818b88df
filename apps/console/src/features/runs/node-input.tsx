import type { Definition, Execution } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useNodeTypes } from '../../api/workflows.ts';
import type { Picking } from '../../components/json-tree.tsx';
import { i18n } from '../../language/i18n.ts';
import { iterationOf } from './iteration.ts';
import { NodeDebugData } from './node-debug.tsx';
import { Output } from './output.tsx';
import { RunValue } from './run-value.tsx';
import { containersOf, hasOutput, sourcesOf } from './sources.ts';

const NONE: readonly string[] = [];

/** The input of a node: the outputs of its predecessors that ran, or the trigger data. */
export function NodeInput({
  run,
  nodeId,
  definition,
  titles,
  iteration,
  earlier = NONE,
  pickingOf,
}: {
  run: Execution;
  nodeId: string;
  definition: Definition;
  titles: ReadonlyMap<string, string>;
  /** The iteration of the node; predecessors are shown at the one that it is in. */
  iteration: string | undefined;
  /** Further nodes whose outputs the node can read, shown on demand. */
  earlier?: readonly string[] | undefined;
  /** Returns what a click on a key of the data from a node does. */
  pickingOf?: ((nodeId: string) => Picking | undefined) | undefined;
}) {
  const types = useNodeTypes();
  if (nodeId === run.data.triggerNodeId) {
    return (
      <RunValue
        executionId={run.id}
        label={i18n.t('Input of {nodeId}', { nodeId })}
        value={run.data.trigger}
        picking={pickingOf?.(nodeId)}
      />
    );
  }
  const containers = containersOf(nodeId, definition, types);
  const sources = sourcesOf(nodeId, definition.edges, run.progress).filter((source) => !containers.includes(source));
  if (sources.length + containers.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('No input: no previous node has an output.')}
      </Text>
    );
  }
  const outputOf = (source: string): ReactNode => {
    const progress = run.progress[source];
    const at = iterationOf(iteration, { from: nodeId, to: source }, definition, types);
    return (
      <Output
        executionId={run.id}
        nodeId={source}
        finishedAt={progress?.finishedAt ?? null}
        picking={pickingOf?.(source)}
        {...(at === undefined ? {} : { iteration: at })}
      />
    );
  };
  return (
    <Stack gap="sm">
      {containers.map((container) => (
        <Source key={container} title={titles.get(container) ?? container}>
          {run.executionMode === 'debug' ? (
            <NodeDebugData
              parts={['input']}
              executionId={run.id}
              nodeId={nodeId}
              iteration={iteration}
              finishedAt={run.progress[nodeId]?.finishedAt ?? null}
              picking={pickingOf?.(container)}
            />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t('The input of each iteration is kept in debug runs only.')}
            </Text>
          )}
        </Source>
      ))}
      {sources.map((source) => (
        <Source key={source} title={titles.get(source) ?? source}>
          {outputOf(source)}
        </Source>
      ))}
      {earlier
        .filter((source) => !sources.includes(source) && hasOutput(run.progress[source]))
        .map((source) => (
          <Earlier key={source} title={titles.get(source) ?? source}>
            {outputOf(source)}
          </Earlier>
        ))}
    </Stack>
  );
}

function Source({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={i18n.t('From {title}', { title })}>
      <Text size="sm" mb={6}>
        <Trans id="From <0/>" components={{ 0: <strong>{title}</strong> }} />
      </Text>
      {children}
    </section>
  );
}

function Earlier({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <Text size="sm" component="summary" mb={6}>
        <Trans id="From <0/>" components={{ 0: <strong>{title}</strong> }} />
      </Text>
      {isOpen && children}
    </details>
  );
}
