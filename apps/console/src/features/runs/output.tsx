import { useQuery } from '@tanstack/react-query';
import { outputQuery } from '../../api/executions.ts';
import type { Picking } from '../../components/json-tree.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { RunValue } from './run-value.tsx';

/** The output of a node, fetched when it is shown. */
export function Output({
  executionId,
  nodeId,
  iteration,
  finishedAt,
  picking,
}: {
  executionId: string;
  nodeId: string;
  iteration?: string;
  /** When the node finished: another time means another output. */
  finishedAt: string | null;
  picking?: Picking | undefined;
}) {
  const output = useQuery(outputQuery(executionId, nodeId, iteration, finishedAt));
  if (output.isError) return <Problem error={output.error} />;
  if (!output.data) return <Loading />;
  return (
    <RunValue
      executionId={executionId}
      key={output.dataUpdatedAt}
      label={i18n.t('Output of {nodeId}', { nodeId })}
      value={output.data.output}
      picking={picking}
    />
  );
}
