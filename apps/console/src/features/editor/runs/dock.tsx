import type { Definition, Execution, NodeDefinition } from '@deckhand/contracts';
import { ActionIcon, Group, Stack, Text, Title } from '@mantine/core';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { memberPath } from '../../../components/json-rows.ts';
import { JsonTree, type Picking } from '../../../components/json-tree.tsx';
import { Loading } from '../../../components/loading.tsx';
import { expressionOf, nodesBefore } from '../model/upstream.ts';
import { useCanvasRuns } from './canvas-runs.tsx';
import { definitionOf, selectedNode } from '../model/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from '../model/editor-session.tsx';
import { copyExpression, useInsertion } from '../inspector/insertion.tsx';
import { i18n } from '../../../language/i18n.ts';
import { NodeData } from '../../runs/node-data.tsx';
import { NodeInput } from '../../runs/node-input.tsx';
import classes from './dock.module.css';
import { NodeActions } from './node-actions.tsx';

/** The data of the selected node in the run on the canvas. A click on a key inserts its expression, or copies it. */
export function Dock({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  const { shown } = useCanvasRuns();
  const insertion = useInsertion();
  const chosen = useEditor(selectedNode);
  // Kept from node to node.
  const [tab, setTab] = useState('output');
  const title = chosen && (chosen.name ?? chosen.id);
  const isInput = tab === 'input' || (chosen && shown.run?.progress[chosen.id] === undefined);
  return (
    <section
      {...insertion.dock}
      // A click on it keeps the field that the focus came from.
      tabIndex={-1}
      className={classes.dock}
      data-open={isOpen}
      aria-label={i18n.t('Run data')}
    >
      <Group className={classes.bar} gap="sm" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-expanded={isOpen}
          aria-label={isOpen ? i18n.t('Collapse run data') : i18n.t('Expand run data')}
          onClick={onToggle}
        >
          {isOpen ? <ChevronDown size={16} aria-hidden /> : <ChevronUp size={16} aria-hidden />}
        </ActionIcon>
        <Title order={2} size="h6" className={classes.title}>
          {title === undefined ? i18n.t('Run data') : i18n.t('Run data of {title}', { title })}
        </Title>
        {isOpen && chosen && (
          <Text size="xs" c="dimmed" className={classes.hint}>
            {insertion.field && isInput
              ? i18n.t('Click a key to insert it into "{field}"', { field: insertion.field.label })
              : i18n.t('Click a key to copy its expression')}
          </Text>
        )}
      </Group>
      {isOpen && (
        <div className={classes.body}>
          {chosen ? (
            <DataOfNode node={chosen} tab={tab} onTab={setTab} onInsert={insertion.insert} />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t('Select a node to see its input, output and logs.')}
            </Text>
          )}
        </div>
      )}
    </section>
  );
}

/** The data of a node in the run on the canvas, for a place beside its script. A click on a key inserts it there. */
export function NodeDataBeside({
  node,
  onInsert,
  children,
}: {
  node: NodeDefinition;
  onInsert: (expression: string) => void;
  /** Shown above the data. */
  children?: ReactNode;
}) {
  const [tab, setTab] = useState('output');
  return (
    <div className={classes.beside}>
      {children}
      <DataOfNode node={node} tab={tab} onTab={setTab} onInsert={onInsert} />
    </div>
  );
}

/** What the data of a node is shown with. */
interface DataProps {
  readonly node: NodeDefinition;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly onInsert: (expression: string) => void;
}

function DataOfNode(props: DataProps) {
  const { node } = props;
  const { executionId, run, version, error } = useCanvasRuns().shown;
  if (run && version) {
    return <DataInRun key={`${run.id} ${node.id}`} run={run} ran={version.definition} {...props} />;
  }
  if (executionId === undefined) {
    return (
      <Stack gap="sm">
        <NodeActions key={node.id} node={node} run={undefined} />
        <Text size="sm" c="dimmed">
          {i18n.t('Run the workflow to see the data of this node.')}
        </Text>
        <PinnedOutput nodeId={node.id} />
      </Stack>
    );
  }
  return error instanceof Error ? <Text size="sm">{error.message}</Text> : <Loading />;
}

function DataInRun({ run, ran, node, tab, onTab, onInsert }: DataProps & { run: Execution; ran: Definition }) {
  const { types } = useEditorSession().model;
  const definition = useEditor(definitionOf);
  const pinned = usePinnedOutputs();
  const { id } = node;
  const [iteration, setIteration] = useState<string>();
  const titles = useMemo(
    () => new Map([...ran.nodes, ...definition.nodes].map((node) => [node.id, node.name ?? node.id])),
    [ran, definition],
  );
  const { triggerNodeId } = run.data;
  const rootOf = (of: string): string | undefined =>
    expressionOf(definition, { of, at: id, triggerId: triggerNodeId, types });
  const earlier = nodesBefore(definition, id).filter((before) => !['$input', undefined].includes(rootOf(before)));
  const pickingOf = (of: string): Picking | undefined => {
    if (of === id) {
      const root = of === triggerNodeId ? '$trigger' : `$nodes${memberPath(of)}.output`;
      // No field of a node reads its own output: it is for those after it.
      return { root, onPick: (expression) => void copyExpression(expression) };
    }
    const root = rootOf(of);
    return root === undefined ? undefined : { root, onPick: onInsert };
  };
  const progress = run.progress[id];
  if (!progress) {
    return (
      <Stack gap="sm">
        <NodeActions node={node} run={run} />
        <PinnedOutput nodeId={id} />
        <Text size="sm" c="dimmed">
          {i18n.t('The run has not reached this node. Its input would be:')}
        </Text>
        <NodeInput
          run={run}
          nodeId={id}
          definition={definition}
          titles={titles}
          iteration={undefined}
          earlier={earlier}
          pickingOf={pickingOf}
        />
      </Stack>
    );
  }
  return (
    <NodeData
      run={run}
      nodeId={id}
      progress={progress}
      definition={ran}
      titles={titles}
      tab={tab}
      onTab={onTab}
      iteration={iteration}
      onIteration={setIteration}
      earlier={earlier}
      pickingOf={pickingOf}
      pinned={pinned[id]}
    >
      <NodeActions node={node} run={run} />
    </NodeData>
  );
}

function PinnedOutput({ nodeId }: { nodeId: string }) {
  const output = usePinnedOutputs()[nodeId];
  return output === undefined ? null : (
    <JsonTree label={i18n.t('Pinned output of {node}', { node: nodeId })} value={output} />
  );
}
