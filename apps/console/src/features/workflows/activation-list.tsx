import type { ActivationEntry } from '@deckhand/contracts';
import { Table } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { useQuery } from '@tanstack/react-query';
import { activationsQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

/** Lists who activated and deactivated a workflow, and published its versions. */
export function ActivationList({
  workflowId,
  name,
  onClose,
}: {
  workflowId: string;
  name: string;
  onClose: () => void;
}) {
  return (
    <Dialog size="lg" onClose={onClose} title={i18n.t('Activations of {name}', { name })}>
      <Activations workflowId={workflowId} />
    </Dialog>
  );
}

function Activations({ workflowId }: { workflowId: string }) {
  const query = useQuery(activationsQuery(workflowId));
  if (query.isError) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  if (query.data.data.length === 0)
    return <EmptyState title={i18n.t('Never active')}>{i18n.t('Turn it on in the editor.')}</EmptyState>;
  return (
    <Table aria-label={i18n.t('Activations')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{i18n.t({ id: 'noun: Change', message: 'Change' })}</Table.Th>
          <Table.Th>{i18n.t('Who')}</Table.Th>
          <Table.Th>{i18n.t('When')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {query.data.data.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>{describeChange(entry)}</Table.Td>
            <Table.Td>{entry.byUser?.name ?? i18n.t('Former member')}</Table.Td>
            <Table.Td>
              <RelativeTime at={entry.at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function describeChange({ status, activeVersionNumber }: ActivationEntry): string {
  if (status !== 'active') return i18n.t('Deactivated');
  return activeVersionNumber === null
    ? i18n.t('Activated')
    : i18n.t('Version {number} active', { number: activeVersionNumber });
}
