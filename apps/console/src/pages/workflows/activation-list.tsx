import type { ActivationEntry } from '@deckhand/contracts';
import { Modal, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { activationsQuery } from '../../api/workflows.js';
import { Broken } from '../../components/broken.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { RelativeTime } from '../../components/relative-time.js';

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
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={`Activations of ${name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Activations workflowId={workflowId} />
    </Modal>
  );
}

function Activations({ workflowId }: { workflowId: string }) {
  const query = useQuery(activationsQuery(workflowId));
  if (query.isError) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  if (query.data.data.length === 0) return <EmptyState title="Never active">Turn it on in the editor.</EmptyState>;
  return (
    <Table aria-label="Activations">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Change</Table.Th>
          <Table.Th>Who</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {query.data.data.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>{describeChange(entry)}</Table.Td>
            <Table.Td>{entry.byUser?.name ?? 'Former member'}</Table.Td>
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
  if (status !== 'active') return 'Deactivated';
  return activeVersionNumber === null ? 'Activated' : `Version ${activeVersionNumber} active`;
}
